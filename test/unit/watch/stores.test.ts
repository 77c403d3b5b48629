import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ReflectorSink } from '../../../src/kube/reflector.ts';
import { namespaceLookup, volumeLookup } from '../../../src/reconcile/evidence.ts';
import type { Claim, Namespace, Volume } from '../../../src/reconcile/model.ts';
import { indexSuperClaims } from '../../../src/reconcile/pair.ts';
import { Demands } from '../../../src/watch/demands.ts';
import { NamespaceStore } from '../../../src/watch/namespace-store.ts';
import { ObjectStore } from '../../../src/watch/object-store.ts';
import { SuperClaimStore } from '../../../src/watch/super-claim-store.ts';
import { VolumeStore } from '../../../src/watch/volume-store.ts';
import { claimOf, volumeOf } from '../../support/watched-objects.ts';

/** What a reflector may tell, in any order a server can be in. */
type Telling<T> =
  | { readonly kind: 'replace'; readonly objects: readonly T[] }
  | { readonly kind: 'put' | 'remove'; readonly object: T };

const resourceVersion = fc.nat(9).map(String);

const claim: fc.Arbitrary<Claim> = fc
  .record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    name: fc.constantFrom('data', 'logs', '__proto__'),
    uid: fc.constantFrom('uid-1', 'uid-2'),
    resourceVersion,
    phase: fc.constantFrom('Bound', 'Lost'),
    owner: fc.constantFrom(
      null,
      { clusterKey: 'key', namespace: 'shop' },
      { clusterKey: 'key', namespace: 'constructor' },
      { clusterKey: 'other', namespace: 'shop' },
    ),
  })
  .map(claimOf);

const volume: fc.Arbitrary<Volume> = fc
  .record({
    name: fc.constantFrom('volume-1', 'volume-2', 'volume-3', 'volume-4'),
    uid: fc.constantFrom('uid-1', 'uid-2'),
    resourceVersion,
    storageClass: fc.constantFrom('', 'local'),
    capacity: fc.constantFrom('1Gi', '5Gi'),
    claimRef: fc.option(
      fc.record({
        namespace: fc.constantFrom('a', 'b', ''),
        name: fc.constant('data'),
        uid: fc.constant('u'),
      }),
    ),
  })
  .map(volumeOf);

/** Claims that name no volume. */
const ASKING: readonly Claim[] = ['', 'local', 'other'].flatMap((storageClass) =>
  ['1Gi', '5Gi', '9Gi'].map((requestedStorage) =>
    claimOf({ volumeName: '', storageClass, requestedStorage }),
  ),
);

/** One place is told once in a list. */
function tellings<T extends { readonly name: string; readonly namespace?: string }>(
  object: fc.Arbitrary<T>,
): fc.Arbitrary<Telling<T>[]> {
  return fc.array(
    fc.oneof(
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('replace' as const),
          objects: fc.uniqueArray(object, { selector: placeOf, maxLength: 8 }),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constantFrom('put' as const, 'remove' as const), object }),
      },
    ),
    { maxLength: 40 },
  );
}

function placeOf({ namespace = '', name }: { readonly name: string; readonly namespace?: string }): string {
  return `${namespace}/${name}`;
}

function tell<T>(sink: ReflectorSink<T>, telling: Telling<T>): void {
  if (telling.kind === 'replace') sink.replace(telling.objects);
  else sink[telling.kind](telling.object);
}

/** What there must be after it, by the plainest means. The same uid and resourceVersion is the same object. */
function apply<T extends { readonly name: string; readonly uid: string; readonly resourceVersion: string }>(
  objects: Map<string, T>,
  telling: Telling<T>,
): void {
  const put = (object: T): void => {
    const before = objects.get(placeOf(object));
    const same = before?.uid === object.uid && before.resourceVersion === object.resourceVersion;
    if (!same) objects.set(placeOf(object), object);
  };
  if (telling.kind === 'replace') {
    const places = new Set(telling.objects.map(placeOf));
    for (const place of objects.keys()) if (!places.has(place)) objects.delete(place);
    telling.objects.forEach(put);
  } else if (telling.kind === 'put') put(telling.object);
  else objects.delete(placeOf(telling.object));
}

const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

test('after anything that can be told, super claims are indexed as if they had just been listed', () => {
  fc.assert(
    fc.property(tellings(claim), (all) => {
      const store = new SuperClaimStore(() => {});
      const objects = new Map<string, Claim>();
      for (const telling of all) {
        tell(store.sink, telling);
        apply(objects, telling);
        const expected = indexSuperClaims(objects.values());
        assert.deepEqual(store.namespacesOf, expected.namespacesOf);
        assert.deepEqual(store.byPlace, expected.byPlace);
      }
    }),
    { numRuns: 500 },
  );
});

test('after anything that can be told, volumes are looked up as if they had just been listed', () => {
  fc.assert(
    fc.property(tellings(volume), (all) => {
      const store = new VolumeStore(() => {});
      const objects = new Map<string, Volume>();
      for (const telling of all) {
        tell(store.sink, telling);
        apply(objects, telling);
        const expected = volumeLookup(objects.values(), true);
        assert.deepEqual(sorted(store.byName), sorted(expected.byName));
        assert.deepEqual(store.byClaim, expected.byClaim);
        for (const one of ASKING) assert.deepEqual(store.firstFit(one), expected.firstFit?.(one));
      }
    }),
    { numRuns: 500 },
  );
});

test('each claim whose first fitting volume is another than before is concerned by the volumes that came and went', () => {
  fc.assert(
    fc.property(tellings(volume), (all) => {
      const changed: Volume[] = [];
      const store = new VolumeStore((...versions) => {
        for (const one of versions) if (one !== null && one.claimRef === null) changed.push(one);
      });
      const demands = new Demands();
      for (const [index, one] of ASKING.entries()) demands.add(one, String(index));
      const fits = (): (string | undefined)[] => ASKING.map((one) => store.firstFit(one)?.name);
      for (const telling of all) {
        const before = fits();
        tell(store.sink, telling);
        const concerned = [...demands.concernedBy(changed.splice(0), (one) => store.firstFit(one))];
        for (const [index, name] of fits().entries()) {
          if (name !== before[index]) assert.ok(concerned.includes(String(index)), `claim ${index}: ${name}`);
        }
        assert.equal(new Set(concerned).size, concerned.length);
      }
    }),
    { numRuns: 500 },
  );
});

test('of volumes that come behind the first fitting one no claim is concerned', () => {
  const [first, later] = ['a', 'b'].map((name) => volumeOf({ name }));
  const [one] = ASKING;
  assert.ok(first !== undefined && later !== undefined && one !== undefined);
  const demands = new Demands();
  const asking = { ...one, storageClass: 'local' };
  demands.add(asking, 'key');
  assert.deepEqual([...demands.concernedBy([later], () => first)], []);
  assert.deepEqual([...demands.concernedBy([later, first], () => first)], ['key']);
  assert.deepEqual([...demands.concernedBy([later], () => undefined)], ['key']);
  demands.remove(asking, 'key');
  assert.deepEqual([...demands.concernedBy([first], () => first)], []);
});

test('after anything that can be told, namespaces are looked up as if they had just been listed', () => {
  const owners = [null, { clusterKey: 'key', namespace: 'shop' }, { clusterKey: 'key', namespace: 'office' }];
  const names = ['one', 'two', 'three'];
  const step = fc.record({
    name: fc.constantFrom(...names),
    owner: fc.constantFrom(...owners),
    isThere: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = new NamespaceStore(() => {});
      const namespaces = new Map<string, Namespace>();
      for (const { name, owner, isThere } of steps) {
        store.sink[isThere ? 'put' : 'remove']({ name, owner });
        if (isThere) namespaces.set(name, { name, owner });
        else namespaces.delete(name);
        const expected = namespaceLookup(namespaces.values());
        for (const one of names) assert.equal(store.names.has(one), expected.names.has(one));
        for (const key of ['key/shop', 'key/office']) {
          assert.equal(store.owners.has(key), expected.owners.has(key), key);
        }
      }
    }),
  );
});

test('the listener is told exactly what changed: replaying it gives the same objects', () => {
  fc.assert(
    fc.property(tellings(claim), (all) => {
      const replayed = new Map<string, Claim>();
      const store = new ObjectStore<Claim>((before, after) => {
        const changed = after ?? before;
        assert.ok(changed !== null && before !== after);
        assert.equal(replayed.get(placeOf(changed)) ?? null, before);
        if (after === null) replayed.delete(placeOf(changed));
        else replayed.set(placeOf(changed), after);
      });
      const objects = new Map<string, Claim>();
      for (const telling of all) {
        tell(store.sink(null), telling);
        apply(objects, telling);
        assert.deepEqual(sorted(replayed), sorted(objects));
        assert.equal(store.size, objects.size);
        assert.equal([...store].length, objects.size);
      }
    }),
    { numRuns: 300 },
  );
});

test('a list of one namespace takes nothing away from another', () => {
  const store = new ObjectStore<Claim>(() => {});
  store.sink('a').replace([claimOf({ namespace: 'a', name: 'x' }), claimOf({ namespace: 'a', name: 'y' })]);
  store.sink('b').replace([claimOf({ namespace: 'b', name: 'x' })]);
  store.sink('a').replace([claimOf({ namespace: 'a', name: 'y' })]);
  assert.deepEqual([...store].map(placeOf).sort(), ['a/y', 'b/x']);
});

test('a list that tells again what is known changes nothing', () => {
  let changes = 0;
  const store = new ObjectStore<Claim>(() => (changes += 1));
  const objects = [claimOf({ name: 'x' }), claimOf({ name: 'y' })];
  store.sink(null).replace(objects);
  store.sink(null).replace(objects.map((one) => ({ ...one })));
  assert.equal(changes, 2);
});

test('what is equal in an object that changes stays the same object in memory', () => {
  const store = new ObjectStore<Claim>(() => {});
  const told = (resourceVersion: string, phase: string): Claim =>
    claimOf({ resourceVersion, phase, owner: { clusterKey: 'key', namespace: 'shop' } });
  const first = told('1', 'Bound');
  store.sink(null).put(first);
  store.sink(null).put(told('2', 'Lost'));
  const kept = store.get('shop', 'data');
  assert.deepEqual(kept, told('2', 'Lost'));
  assert.equal(kept?.owner, first.owner);
});
