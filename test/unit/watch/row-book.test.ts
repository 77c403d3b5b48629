import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches } from '../../../src/reconcile/fit.ts';
import type { Claim, Pair } from '../../../src/reconcile/model.ts';
import type { EvidenceChange } from '../../../src/watch/evidence-stores.ts';
import type { RowEvent, WatchRow } from '../../../src/watch/observer.ts';
import { RowBook } from '../../../src/watch/row-book.ts';
import { claimOf, pairOf, volumeOf } from '../../support/watched-objects.ts';
import { itemOf, rowOf } from '../../support/watch-rows.ts';

function bookWith(): { readonly book: RowBook; readonly told: RowEvent[] } {
  const told: RowEvent[] = [];
  return { book: new RowBook((event) => told.push(event)), told };
}

test('a row is told when it comes, when it differs and when it goes, and not in between', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'), pairOf());
  book.set('shop/data', rowOf('data'), pairOf());
  book.set('shop/data', rowOf('data', { outcome: 'Held' }), pairOf());
  book.drop('shop/data', rowOf('data', { item: itemOf('data', { verdict: 'Consistent', cause: null }) }));
  book.drop('shop/data', null);
  assert.deepEqual(
    told.map(({ type, row, gone }) => `${type} ${row.item.verdict} ${row.outcome} ${gone}`),
    ['ADDED SuperNotBound null false', 'MODIFIED SuperNotBound Held false', 'DELETED Consistent null false'],
  );
});

test('a row whose claim is gone is told as it last was', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'), pairOf());
  book.drop('shop/data', null);
  assert.deepEqual(told.at(-1), { type: 'DELETED', row: rowOf('data'), gone: true });
  assert.equal(book.rows.size, 0);
});

test('once it is closed all its rows have gone, and none comes any more', () => {
  const { book, told } = bookWith();
  book.set('shop/data', rowOf('data'), pairOf());
  book.close();
  book.set('shop/data', rowOf('data', { outcome: 'Held' }), pairOf());
  book.set('shop/other', rowOf('other'), pairOf());
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
        if (kind === 'set') book.set(key, row, pairOf());
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
  book.set('a', rowOf('a'), pairOf());
  book.set('b', rowOf('b', { outcome: 'Contested' }), pairOf());
  book.set('c', rowOf('c', { item: itemOf('c', { verdict: 'Held' }), outcome: 'Held' }), pairOf());
  book.set('d', rowOf('d', { item: itemOf('d', { verdict: 'VolumeMismatch', cause: null }) }), pairOf());
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
  const claim = fc.record({
    volumeName: fc.constantFrom('', '', 'pv-1', 'pv-2'),
    storageClass: fc.constantFrom('', 'local'),
    requestedStorage: fc.constantFrom('1Gi', '5Gi'),
    selector: fc.constantFrom([], [{ key: 'tier', operator: 'In', values: ['gold'] }]),
  });
  const step = fc.record({
    key: fc.constantFrom('shop/a', 'shop/b', 'shop/c'),
    kind: fc.constantFrom('set', 'set', 'drop'),
    tenant: claim,
    super: fc.option(claim),
    superNamespace: fc.constantFrom('super-1', 'super-2'),
    namespace: fc.constantFrom('shop', 'office'),
  });
  const free = ['1Gi', '9Gi'].flatMap((capacity) =>
    ['', 'local'].flatMap((storageClass) =>
      [new Map<string, string>(), new Map([['tier', 'gold']])].map((labels) =>
        volumeOf({ capacity, storageClass, labels }),
      ),
    ),
  );
  const nothing = {
    volumes: new Set<string>(),
    claims: new Set<string>(),
    unclaimed: [],
    firstFit: () => undefined,
    namespaces: new Set<string>(),
    rest: false,
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.subarray(free), (steps, unclaimed) => {
      const { book } = bookWith();
      const pairs = new Map<string, Pair>();
      for (const { key, kind, tenant, super: superClaim, superNamespace, namespace } of steps) {
        const pair = pairOf({
          owner: { clusterKey: 'key', namespace },
          superNamespace,
          tenant: claimOf(tenant),
          super: superClaim === null ? null : claimOf(superClaim),
        });
        if (kind === 'set') {
          // The row may look the same: what it is about counts.
          book.set(key, rowOf(key), pair);
          pairs.set(key, pair);
        } else {
          book.drop(key, null);
          pairs.delete(key);
        }
      }
      const found = (changed: Partial<EvidenceChange>, side: 'tenant' | 'super'): string[] =>
        [...new Set(book.concernedBy({ ...nothing, ...changed }, side))].sort();
      const rows = (fits: (pair: Pair) => boolean): string[] =>
        [...pairs].flatMap(([key, pair]) => (fits(pair) ? [key] : [])).sort();
      const takes = (one: Claim | null): boolean =>
        one?.volumeName === '' && unclaimed.some((volume) => matches(one, volume, false));
      for (const side of ['tenant', 'super'] as const) {
        assert.deepEqual(
          found({ volumes: new Set(['pv-1', 'pv-9']) }, side),
          rows((pair) => pair.tenant?.volumeName === 'pv-1' || pair.super?.volumeName === 'pv-1'),
        );
        assert.deepEqual(
          found({ unclaimed }, side),
          rows((pair) => takes(pair[side])),
        );
        assert.deepEqual(
          found({ namespaces: new Set(['super-1', 'key/office', 'super-9']) }, side),
          rows(
            ({ super: one, superNamespace, owner }) =>
              one === null && (superNamespace === 'super-1' || owner.namespace === 'office'),
          ),
        );
        assert.deepEqual(
          found({ rest: true }, side),
          rows(() => true),
        );
        assert.deepEqual(found({}, side), []);
      }
    }),
    { numRuns: 300 },
  );
});
