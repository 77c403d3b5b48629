/** What a watch prints where its output is read late, or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WatchPrinter } from '../../../src/commands/watch-printer.ts';
import { notesTo } from '../../../src/output/level-output.ts';
import type { WatchFormat } from '../../../src/output/watch-rows.ts';
import type { FleetWatch } from '../../../src/watch/fleet-watch.ts';
import type { RowEvent } from '../../../src/watch/observer.ts';
import { RowBook } from '../../../src/watch/row-book.ts';
import { SlowReader } from '../../support/slow-reader.ts';
import { pairOf } from '../../support/watched-objects.ts';
import { eventOf, healthOf, itemOf, rowOf } from '../../support/watch-rows.ts';

const VIRTUAL_CLUSTER = { namespace: 'team-a', name: 'vc' };
/** All that the first line on stderr asks of a fleet. */
const FLEET = { tenants: () => [] } as unknown as FleetWatch;

interface Printing {
  readonly printer: WatchPrinter;
  readonly stdout: SlowReader;
  readonly stderr: SlowReader;
}

/** A printer that has begun, with these rows. */
async function printing(
  format: WatchFormat,
  first: readonly RowEvent[] = [],
  kept?: number,
): Promise<Printing> {
  const [stdout, stderr] = [new SlowReader(kept), new SlowReader(kept)];
  const options = { events: true, sync: false, headers: true, color: false, width: null, now: () => 0 };
  const printer = new WatchPrinter({ ...options, format }, stdout, notesTo(stderr));
  for (const event of first) printer.row(event);
  printer.begin(FLEET);
  await stderr.readAll();
  return { printer, stdout, stderr };
}

/** Name and outcome of each row that lines of --output-watch-events leave. @throws where one does not follow */
function rowsAfter(text: string): Map<string, string | null> {
  const rows = new Map<string, string | null>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { type, object } = JSON.parse(line) as {
      type: string;
      object: { tenant: { name: string }; outcome: string | null };
    };
    const { name } = object.tenant;
    assert.equal(rows.has(name), type !== 'ADDED', line);
    if (type === 'DELETED') rows.delete(name);
    else rows.set(name, object.outcome);
  }
  return rows;
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      outcome: fc.constantFrom('gone', null, 'Held' as const, 'Contested' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('read', 'begin') },
);

test('whatever happens and whenever it is read, the lines end in the rows that there are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const stdout = new SlowReader();
      const options = { events: true, sync: false, headers: true, color: false, width: null, now: () => 0 };
      const printer = new WatchPrinter({ ...options, format: 'json' }, stdout, notesTo(new SlowReader()));
      const book = new RowBook((event) => printer.row(event));
      let begun = false;
      for (const one of steps) {
        if (one === 'read') await stdout.readOne();
        else if (one === 'begin') {
          if (!begun) printer.begin(FLEET);
          begun = true;
        } else if (one.outcome === 'gone') book.drop(one.name, null);
        else book.set(one.name, rowOf(one.name, { outcome: one.outcome }), pairOf());
      }
      if (!begun) printer.begin(FLEET);
      await stdout.readAll();
      assert.deepEqual(
        rowsAfter(stdout.text),
        new Map([...book.rows].map(([key, row]) => [key, row.outcome])),
      );
    }),
    { numRuns: 200 },
  );
});

for (const format of ['table', 'wide', 'json', 'name'] as const) {
  test(`-o ${format}: of what happens while nobody reads a line a claim is kept, and printed once somebody does`, async () => {
    const { printer, stdout } = await printing(format, [eventOf('ADDED', rowOf('first'))]);
    const line = stdout.writableLength;
    for (let turn = 0; turn < 1_000; turn += 1) {
      printer.row(eventOf('MODIFIED', rowOf('first', { outcome: turn % 2 === 0 ? 'Held' : null })));
      printer.row(eventOf('ADDED', rowOf('passing')));
      printer.row(eventOf('DELETED', rowOf('passing')));
    }
    const pending = itemOf('other', { verdict: 'VolumeMismatch' });
    printer.row(eventOf('ADDED', rowOf('other')));
    printer.row(eventOf('MODIFIED', rowOf('other', { item: pending })));
    await stdout.readAll();
    assert.ok(stdout.mostKept <= 2 * line, `${stdout.mostKept} bytes where a line has ${line}`);
    const lines = stdout.text
      .trimEnd()
      .split('\n')
      .slice(format === 'json' || format === 'name' ? 0 : 1);
    assert.equal(lines.length, 3, stdout.text);
    assert.doesNotMatch(stdout.text, /passing/);
    if (format === 'name') return;
    assert.match(lines[1] ?? '', /MODIFIED.*first/);
    assert.match(lines[2] ?? '', /ADDED.*(other.*VolumeMismatch|VolumeMismatch.*other)/);
  });
}

test('a reader that keeps up is told every change', async () => {
  const { printer, stdout } = await printing('name', [], 64 * 1024);
  for (let turn = 0; turn < 100; turn += 1) {
    printer.row(eventOf(turn % 2 === 0 ? 'ADDED' : 'DELETED', rowOf('data')));
    await stdout.readAll();
  }
  assert.equal(stdout.text, 'team-a/vc/shop/data\n'.repeat(100));
});

test('what nobody has read when the watch ends is printed all the same', async () => {
  const { printer, stdout } = await printing('name');
  for (const name of ['a', 'b', 'c']) printer.row(eventOf('ADDED', rowOf(name)));
  printer.stop();
  await stdout.readAll();
  assert.deepEqual(rowsIn(stdout), ['a', 'b', 'c']);
});

test('of what concerns a cluster the last is told to a reader of stderr that is late, and what is over is not', async () => {
  const { printer, stderr } = await printing('name');
  const from = stderr.text.length;
  const other = { namespace: 'team-b', name: 'other' };
  const down = (error: string, virtualCluster = VIRTUAL_CLUSTER): void =>
    printer.health(healthOf({ virtualCluster, state: 'down', error }));
  printer.trouble(VIRTUAL_CLUSTER, 'this one is read');
  for (let turn = 0; turn < 1_000; turn += 1) {
    down(`first ${turn}`);
    printer.health(healthOf());
    down(`second ${turn}`, other);
    printer.trouble(VIRTUAL_CLUSTER, `event ${turn}`);
    printer.trouble(other, `event ${turn}`);
    printer.superHealth(false, 'gone');
    printer.superHealth(true, '');
  }
  printer.left(other);
  down('in the end');
  await stderr.readAll();
  assert.equal(
    stderr.text.slice(from),
    'error: team-a/vc: this one is read\nerror: team-a/vc: event 999\nerror: team-a/vc: in the end\n',
  );
});

test('a cluster that was told to be down is told to be reached again, however late', async () => {
  const { printer, stderr } = await printing('name');
  const from = stderr.text.length;
  printer.health(healthOf({ state: 'down', error: 'refused' }));
  printer.superHealth(false, 'gone');
  await stderr.readAll();
  printer.trouble(VIRTUAL_CLUSTER, 'this one is read');
  printer.health(healthOf());
  printer.superHealth(true, '');
  await stderr.readAll();
  assert.deepEqual(stderr.text.slice(from).trimEnd().split('\n'), [
    'error: team-a/vc: refused',
    'error: super cluster: gone',
    'error: team-a/vc: this one is read',
    'team-a/vc: reached again',
    'super cluster: reached again',
  ]);
});

function rowsIn({ text }: SlowReader): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('/') + 1));
}
