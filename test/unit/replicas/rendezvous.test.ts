/** How tenants are divided. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownerOf } from '../../../src/replicas/rendezvous.ts';

const name = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const replicas = fc.uniqueArray(name, { minLength: 1, maxLength: 8 });

test('the order in which replicas are named does not matter', () => {
  fc.assert(
    fc.property(name, replicas, (tenant, names) => {
      assert.equal(ownerOf(tenant, names.toReversed()), ownerOf(tenant, names));
    }),
  );
});

test('one more replica takes over some tenants, and none moves between the others', () => {
  fc.assert(
    fc.property(name, replicas, name, (tenant, names, newcomer) => {
      const owner = ownerOf(tenant, [...names, newcomer]);
      assert.ok(owner === newcomer || owner === ownerOf(tenant, names));
    }),
  );
});

test('300 tenants are shared out about evenly among three', () => {
  const counts = new Map<string | null, number>();
  for (let index = 0; index < 300; index += 1) {
    const owner = ownerOf(`team-${index}/vc`, ['vc-pvc-0', 'vc-pvc-1', 'vc-pvc-2']);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  assert.equal(counts.size, 3);
  for (const count of counts.values()) assert.ok(count > 70 && count < 130, String(count));
});

test('the division is the same in every version: replicas of two versions run side by side during an update', () => {
  const owners = ['a', 'b', 'c', 'd', 'e', 'f'].map((tenant) => ownerOf(tenant, ['one', 'two', 'three']));
  assert.deepEqual(owners, ['three', 'three', 'three', 'one', 'three', 'two']);
});

test('without a replica nobody owns anything', () => {
  assert.equal(ownerOf('default/vc', []), null);
});
