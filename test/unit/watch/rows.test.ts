import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchRows } from '../../../src/output/watch-rows.ts';
import type { WatchPrintOptions } from '../../../src/output/watch-rows.ts';
import { eventOf, itemOf, rowOf } from '../../support/watch-rows.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');

function rows(options: Partial<WatchPrintOptions> = {}): WatchRows {
  return new WatchRows({
    format: 'table',
    events: false,
    sync: false,
    headers: true,
    color: false,
    width: null,
    now: () => NOW,
    ...options,
  });
}

const ADDED = eventOf('ADDED', rowOf('data'));
const HEALED = eventOf(
  'DELETED',
  rowOf('data', { item: itemOf('data', { verdict: 'Consistent', cause: null, action: null }) }),
);
const GONE = eventOf('DELETED', rowOf('data'), true);
/** What a hostile server may put in the place of a name: a screen cleared, a line faked, text reordered. */
const HOSTILE = 'x\x1b[2J\x1b]0;owned\x07\r\nteam-a/vc   shop   faked\u202e\u0085';

test('the header comes once, before the first row, and none comes while there is none', () => {
  const printed = rows();
  assert.equal(printed.first([]), '');
  const first = printed.next(ADDED);
  const second = printed.next(HEALED);
  assert.match(first, /^VIRTUALCLUSTER +NAMESPACE +CLAIM +TENANT +SUPER +VERDICT +CAUSE +AGE\n/);
  assert.match(first, /\nteam-a\/vc +shop +data +Bound +Lost +SuperNotBound +VolumeDeleted +60m\n$/);
  assert.match(second, /^team-a\/vc +shop +data +Bound +Lost +Consistent +<none> +60m\n$/);
});

test('columns stay where the first rows put them, also for the longest words that are yet to come', () => {
  const printed = rows();
  const [header = ''] = printed
    .first([eventOf('ADDED', rowOf('data', { item: itemOf('data', { verdict: 'Held' }) }))])
    .split('\n');
  const long = printed.next(
    eventOf(
      'MODIFIED',
      rowOf('data', {
        item: itemOf('data', {
          verdict: 'TenantNotBound',
          cause: { code: 'Rebinding', message: '' },
        }),
      }),
    ),
  );
  assert.equal(long.indexOf('Rebinding'), header.indexOf('CAUSE'));
});

test('a row whose claim is gone says so in place of a verdict', () => {
  assert.match(rows({ headers: false }).next(GONE), /^team-a\/vc +shop +data +Bound +Lost +<gone> /);
});

test('the first rows are sorted, whatever order they were found in', () => {
  const names = ['b', 'a', 'c'].map((name) => eventOf('ADDED', rowOf(name)));
  assert.equal(
    rows({ format: 'name' }).first(names),
    'team-a/vc/shop/a\nteam-a/vc/shop/b\nteam-a/vc/shop/c\n',
  );
});

test('--output-watch-events tells what happened in a first column', () => {
  const printed = rows({ events: true, headers: false });
  assert.match(printed.next(ADDED), /^ADDED {6}team-a\/vc/);
  assert.match(printed.next(HEALED), /^DELETED {4}team-a\/vc/);
});

test('with --sync the table tells what was done and why', () => {
  const row = rowOf('data', { outcome: 'Contested', message: 'set back 3 times' });
  assert.match(
    rows({ sync: true }).next(eventOf('MODIFIED', row)),
    /RESULT +WHY\n.*Contested +set back 3 times\n$/,
  );
});

test('json is one object a line, with the event only where it was asked for', () => {
  const printed = rows({ format: 'json' });
  const lines = (printed.next(ADDED) + printed.next(HEALED) + printed.next(GONE)).trimEnd().split('\n');
  const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    objects.map(({ kind, time, verdict, gone }) => ({ kind, time, verdict, gone })),
    [
      { kind: 'ClaimState', time: '2026-05-01T12:00:00.000Z', verdict: 'SuperNotBound', gone: false },
      { kind: 'ClaimState', time: '2026-05-01T12:00:00.000Z', verdict: 'Consistent', gone: false },
      { kind: 'ClaimState', time: '2026-05-01T12:00:00.000Z', verdict: 'SuperNotBound', gone: true },
    ],
  );
  const event = JSON.parse(rows({ format: 'json', events: true }).next(GONE)) as {
    type: string;
    object: object;
  };
  assert.equal(event.type, 'DELETED');
  assert.deepEqual(event.object, objects[2]);
});

for (const format of ['table', 'wide', 'json', 'name'] as const) {
  test(`hostile text stays within its line and obeys nothing with -o ${format}`, () => {
    const item = itemOf(HOSTILE, { cause: { code: 'VolumeDeleted', message: HOSTILE } });
    const hostile = {
      ...item,
      virtualCluster: { namespace: HOSTILE, name: HOSTILE },
      super: item.super === null ? null : { ...item.super, phase: HOSTILE, volumeName: HOSTILE },
    };
    const text = rows({ format, sync: true, headers: false }).next(
      eventOf('ADDED', { item: hostile, outcome: 'Refused', message: HOSTILE }),
    );
    assert.equal(text.split('\n').length, 2, JSON.stringify(text));
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(text.trimEnd(), /[\u0000-\u001f\u007f-\u009f\u202e]/, JSON.stringify(text));
  });
}
