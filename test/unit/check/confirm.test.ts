/** A mismatch is read again before it counts, at the smaller cost: from FAKE clusters in memory that count what is read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmMismatches } from '../../../src/fleet/confirm.ts';
import type { Claim, Pair } from '../../../src/reconcile/model.ts';
import { claimOf } from '../../support/watched-objects.ts';

const SUPER = 'team-a1b2c3-vc-shop';
const NOBODY = new AbortController().signal;

/** A FAKE cluster of one namespace. */
function cluster(claims: readonly Claim[]) {
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  const reads = { lists: 0, single: 0 };
  return {
    reads,
    claims: () => {
      reads.lists += 1;
      return Promise.resolve([...claims]);
    },
    claim: (_namespace: string, name: string) => {
      reads.single += 1;
      return Promise.resolve(byName.get(name) ?? null);
    },
  };
}

/** Listed when the first `mismatched` of `count` super claims were Pending; by now they are Bound. */
async function confirmed(count: number, mismatched: number) {
  const owner = { clusterKey: 'team-a1b2c3-vc', namespace: 'shop' };
  const pairs = Array.from({ length: count }, (_, index): Pair => {
    const name = `data-${index}`;
    const tenant = claimOf({ namespace: 'shop', name, uid: `uid-${name}`, phase: 'Bound' });
    const phase = index < mismatched ? 'Pending' : 'Bound';
    const superClaim = claimOf({ namespace: SUPER, name, owner, ownerUid: tenant.uid, phase });
    return { owner, tenant, super: superClaim, superNamespace: SUPER };
  });
  const tenant = cluster(pairs.flatMap((pair) => pair.tenant ?? []));
  const healed = pairs.flatMap((pair) => (pair.super === null ? [] : { ...pair.super, phase: 'Bound' }));
  const superCluster = cluster(healed);
  const found = await confirmMismatches(pairs, { tenant, super: superCluster }, NOBODY);
  assert.equal(found.length, count);
  assert.ok(
    found.every((pair) => pair.super?.phase === 'Bound'),
    'each pair is told as it is now',
  );
  assert.deepEqual(superCluster.reads, tenant.reads);
  return tenant.reads;
}

const ROWS: readonly [
  what: string,
  count: number,
  mismatched: number,
  reads: { lists: number; single: number },
][] = [
  ['nothing is read again where nothing is mismatched', 1000, 0, { lists: 0, single: 0 }],
  ['a few mismatches are read one by one, in a small namespace too', 24, 24, { lists: 0, single: 24 }],
  ['a namespace that is mostly mismatched is listed again', 100, 50, { lists: 1, single: 0 }],
  [
    'of a large namespace some hundred mismatches are read one by one',
    10_000,
    300,
    { lists: 0, single: 300 },
  ],
  ['a large namespace with very many mismatches is listed again', 10_000, 500, { lists: 1, single: 0 }],
];
for (const [what, count, mismatched, reads] of ROWS) {
  test(`${what}: ${mismatched} of ${count}`, async () => {
    assert.deepEqual(await confirmed(count, mismatched), reads);
  });
}
