/** One row of docs/verdicts.md a test; rare ones that no recording has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../../src/reconcile/judge.ts';
import { NO_EVIDENCE } from '../../../src/reconcile/cause.ts';
import { claimFromJson } from '../../../src/kube/objects/from-json.ts';
import type { Claim } from '../../../src/reconcile/model.ts';
import { indexSuperClaims, orphansOf, pairClaims } from '../../../src/reconcile/pair.ts';

const KEY = 'default-6177e3-vc-sample-1';
const PLACE = `${KEY}-shop`;

const claim = (changes: Partial<Claim>): Claim => ({
  ...claimFromJson({
    metadata: { name: 'data', namespace: 'shop', uid: 'tenant-uid' },
    status: { phase: 'Bound' },
  }),
  ...changes,
});
const superClaim = (changes: Partial<Claim> = {}): Claim =>
  claim({
    namespace: PLACE,
    uid: 'super-uid',
    owner: { clusterKey: KEY, namespace: 'shop' },
    ownerUid: 'tenant-uid',
    ...changes,
  });

function verdict(tenant: Claim, superSide: Claim | null): string {
  const [pair] = pairClaims(KEY, [tenant], indexSuperClaims(superSide === null ? [] : [superSide]));
  assert.ok(pair !== undefined);
  const { verdict: found, plan } = judge(pair, { tenant: NO_EVIDENCE, super: NO_EVIDENCE });
  return plan === null ? found : `${found} ${plan.action} ${plan.phase}`;
}

const ROWS: readonly (readonly [string, Partial<Claim>, Partial<Claim> | null, string])[] = [
  ['the super claim is being deleted', {}, { terminating: true, phase: 'Lost' }, 'Terminating'],
  ['the super claim has no mark of a uid', {}, { ownerUid: '' }, 'OwnerMismatch'],
  ['neither side has a uid', { uid: '' }, { ownerUid: '' }, 'OwnerMismatch'],
  [
    'held, super in another phase',
    { held: true, phase: 'Pending' },
    { phase: 'Lost' },
    'HoldStale SetPhase Lost',
  ],
  ['held, super Bound', { held: true, phase: 'Lost' }, {}, 'HoldStale Release Bound'],
  ['held but written back, super Bound: the condition lies', { held: true }, {}, 'HoldStale Release Bound'],
  ['held but written back, super Lost', { held: true }, { phase: 'Lost' }, 'HoldStale SetPhase Lost'],
  ['held, phases agree', { held: true, phase: 'Lost' }, { phase: 'Lost' }, 'Held'],
  ['held, super claim gone', { held: true, phase: 'Lost' }, null, 'NotSynced'],
  ['a phase that is not known counts as not Bound', {}, { phase: 'Odd' }, 'SuperNotBound SetPhase Odd'],
  ['neither is Bound and they differ', { phase: 'Pending' }, { phase: 'Lost' }, 'PhaseMismatch'],
  ['both Bound, to different volumes', { volumeName: 'a' }, { volumeName: 'b' }, 'VolumeMismatch'],
  [
    'both Pending, different volumes do not matter',
    { phase: 'Pending', volumeName: 'a' },
    { phase: 'Pending' },
    'Consistent',
  ],
];
for (const [what, tenant, superSide, expected] of ROWS) {
  test(`${what}: ${expected}`, () => {
    assert.equal(verdict(claim(tenant), superSide === null ? null : superClaim(superSide)), expected);
  });
}

test('a super claim without marks is found at the computed place', () => {
  assert.equal(verdict(claim({}), superClaim({ owner: null, phase: 'Lost' })), 'SuperNotBound SetPhase Lost');
});

test('a super claim elsewhere is found by its marks', () => {
  assert.equal(
    verdict(claim({}), superClaim({ namespace: 'migrated', phase: 'Lost' })),
    'SuperNotBound SetPhase Lost',
  );
});

test('of several super claims with the same marks the one made for this very claim counts', () => {
  const index = indexSuperClaims([
    superClaim({ ownerUid: 'earlier' }),
    superClaim({ namespace: 'migrated', uid: 'right' }),
    superClaim({ namespace: 'a-third', ownerUid: 'other' }),
  ]);
  const pairs = pairClaims(KEY, [claim({})], index);
  assert.equal(pairs[0]?.super?.uid, 'right');
  assert.deepEqual(
    orphansOf(KEY, pairs, index)
      .map((orphan) => orphan.superNamespace)
      .sort(),
    ['a-third', PLACE],
  );
});
