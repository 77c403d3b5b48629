import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ReportItem } from '../../../src/reconcile/report.ts';
import type { EvidenceChange } from '../../../src/watch/evidence-stores.ts';
import type { RowEvent, WatchRow } from '../../../src/watch/observer.ts';
import { RowBook } from '../../../src/watch/row-book.ts';
import { itemOf, rowOf } from '../../support/watch-rows.ts';

function bookWith(): { readonly book: RowBook; readonly told: RowEvent[] } {
  const told: RowEvent[] = [];
  return { book: new RowBook((event) => told.push(event)), told };
}

test('a row is told when it comes, when it differs and when it goes, and not in between', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'));
  book.set('shop/data', rowOf('data'));
  book.set('shop/data', rowOf('data', { outcome: 'Held' }));
  book.drop('shop/data', rowOf('data', { item: itemOf('data', { verdict: 'Consistent', cause: null }) }));
  book.drop('shop/data', null);
  assert.deepEqual(
    told.map(({ type, row, gone }) => `${type} ${row.item.verdict} ${row.outcome} ${gone}`),
    ['ADDED SuperNotBound null false', 'MODIFIED SuperNotBound Held false', 'DELETED Consistent null false'],
  );
});

test('a row whose claim is gone is told as it last was', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'));
  book.drop('shop/data', null);
  assert.deepEqual(told.at(-1), { type: 'DELETED', row: rowOf('data'), gone: true });
  assert.equal(book.rows.size, 0);
});

test('once it is closed all its rows have gone, and none comes any more', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'));
  book.close();
  book.set('shop/data', rowOf('data', { outcome: 'Held' }));
  book.set('shop/other', rowOf('other'));
  assert.deepEqual(
    told.map(({ type, gone }) => `${type} ${gone}`),
    ['ADDED false', 'DELETED true'],
  );
  assert.equal(book.rows.size, 0);
});

test('who applies what is told has the rows of the book at any time', () => {
  const step = fc.record({
    key: fc.constantFrom('shop/a', 'shop/b', 'shop/c'),
    kind: fc.constantFrom('set', 'drop', 'gone', 'close'),
    outcome: fc.constantFrom(null, 'Held' as const, 'Contested' as const),
    verdict: fc.constantFrom('Held' as const, 'SuperNotBound' as const),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const seen = new Map<string, WatchRow>();
      const book = new RowBook(({ type, row }) => {
        const key = `shop/${row.item.tenant?.name}`;
        assert.equal(seen.has(key), type !== 'ADDED', `${type} ${key}`);
        if (type === 'DELETED') seen.delete(key);
        else seen.set(key, row);
      });
      for (const { key, kind, outcome, verdict } of steps) {
        const name = key.slice('shop/'.length);
        const row = rowOf(name, { outcome, item: itemOf(name, { verdict }) });
        if (kind === 'set') book.set(key, row);
        else if (kind === 'close') book.close();
        else book.drop(key, kind === 'gone' ? null : row);
        assert.deepEqual(seen, book.rows);
        const mismatches = seen.values().filter(({ item }) => item.verdict !== 'Held');
        assert.equal(book.mismatches, [...mismatches].length);
      }
    }),
  );
});

test('it counts rows by verdict, broken claims (held ones too) by cause, and what is contested', () => {
  const { book } = bookWith();
  book.set('a', rowOf('a'));
  book.set('b', rowOf('b', { outcome: 'Contested' }));
  book.set('c', rowOf('c', { item: itemOf('c', { verdict: 'Held' }), outcome: 'Held' }));
  book.set('d', rowOf('d', { item: itemOf('d', { verdict: 'VolumeMismatch', cause: null }) }));
  const { verdicts, causes, contested } = book.counts();
  assert.deepEqual(Object.fromEntries(verdicts), { SuperNotBound: 2, Held: 1, VolumeMismatch: 1 });
  assert.deepEqual(
    [...causes],
    [
      ['VolumeDeleted', 3],
      [null, 1],
    ],
  );
  assert.equal(contested, 1);
});

test('after anything that was told, exactly the rows that a change concerns are found', () => {
  const names = fc.constantFrom(null, 'pv-1', 'pv-2');
  const step = fc.record({
    key: fc.constantFrom('shop/a', 'shop/b', 'shop/c'),
    kind: fc.constantFrom('set', 'set', 'drop'),
    tenant: names,
    super: fc.oneof(names, fc.constant('no claim')),
  });
  const change = {
    volumes: new Set<string>(),
    claims: new Set<string>(),
    unclaimed: false,
    namespaces: false,
    rest: false,
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const { book } = bookWith();
      for (const { key, kind, ...volumes } of steps) {
        const item = itemOf(key);
        const named = (side: 'tenant' | 'super') =>
          volumes[side] === 'no claim' || item[side] === null
            ? null
            : { ...item[side], volumeName: volumes[side] };
        const row = rowOf(key, { item: { ...item, tenant: named('tenant'), super: named('super') } });
        if (kind === 'set') book.set(key, row);
        else book.drop(key, null);
      }
      const found = (changed: Partial<EvidenceChange>, side: 'tenant' | 'super'): string[] =>
        [...new Set(book.concernedBy({ ...change, ...changed }, side))].sort();
      const rows = (fits: (item: ReportItem) => boolean): string[] =>
        [...book.rows].flatMap(([key, { item }]) => (fits(item) ? [key] : [])).sort();
      for (const side of ['tenant', 'super'] as const) {
        assert.deepEqual(
          found({ volumes: new Set(['pv-1', 'pv-9']) }, side),
          rows((item) => item.tenant?.volumeName === 'pv-1' || item.super?.volumeName === 'pv-1'),
        );
        assert.deepEqual(
          found({ unclaimed: true }, side),
          rows((item) => item[side]?.volumeName === null),
        );
        assert.deepEqual(
          found({ namespaces: true }, side),
          rows((item) => item.super === null),
        );
        assert.deepEqual(
          found({ rest: true }, side),
          rows(() => true),
        );
        assert.deepEqual(found({}, side), []);
      }
    }),
  );
});
