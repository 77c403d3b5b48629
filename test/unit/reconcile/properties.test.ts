/** What holds for every pair of objects, whatever they say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { causeSide } from '../../../src/reconcile/cause.ts';
import { judge } from '../../../src/reconcile/judge.ts';
import { indexSuperClaims, pairClaims } from '../../../src/reconcile/pair.ts';
import { isMismatch, verdictOf } from '../../../src/reconcile/verdict.ts';
import { OWNER, SUPER_NAMESPACE, claimIn, evidenceOfBoth, pair } from '../../support/generators.ts';

const RUNS = { numRuns: 20_000 };

const VERDICTS = new Set([
  'Terminating',
  'OwnerMismatch',
  'SuperMissing',
  'NotSynced',
  'HoldStale',
  'Held',
  'SuperNotBound',
  'TenantNotBound',
  'PhaseMismatch',
  'VolumeMismatch',
  'Consistent',
  'SuperOrphan',
]);

test('any pair has exactly one known verdict, the same one each time, and judging never throws', () => {
  fc.assert(
    fc.property(pair, evidenceOfBoth, (one, evidence) => {
      const judgement = judge(one, evidence);
      assert.ok(VERDICTS.has(judgement.verdict));
      assert.equal(judgement.mismatch, isMismatch(judgement.verdict));
      assert.equal(JSON.stringify(judge(structuredClone(one), evidence)), JSON.stringify(judgement));
    }),
    RUNS,
  );
});

test('a verdict does not depend on the evidence, only its cause does', () => {
  fc.assert(
    fc.property(pair, evidenceOfBoth, evidenceOfBoth, (one, first, second) => {
      assert.equal(judge(one, first).verdict, judge(one, second).verdict);
    }),
    RUNS,
  );
});

test('SetPhase is only for a Bound or held tenant claim whose super claim carries its uid and is not Bound', () => {
  fc.assert(
    fc.property(pair, evidenceOfBoth, (one, evidence) => {
      const { plan, verdict } = judge(one, evidence);
      if (plan === null) return;
      assert.ok(one.tenant !== null && one.super !== null);
      assert.equal(one.super.ownerUid, one.tenant.uid);
      assert.ok(!one.tenant.terminating && !one.super.terminating);
      assert.equal(plan.uid, one.tenant.uid);
      assert.notEqual(plan.uid, '');
      assert.equal(plan.phase, one.super.phase);
      assert.equal(plan.action, one.super.phase === 'Bound' ? 'Release' : 'SetPhase');
      assert.ok(verdict === 'HoldStale' ? one.tenant.held : one.tenant.phase === 'Bound');
      assert.equal(plan.condition === null, plan.action === 'Release');
    }),
    RUNS,
  );
});

test('a cause is given exactly where one is due, and says something', () => {
  fc.assert(
    fc.property(pair, evidenceOfBoth, (one, evidence) => {
      const { verdict, cause } = judge(one, evidence);
      assert.equal(cause !== null, causeSide(one, verdict) !== null);
      assert.ok(cause === null || cause.message.length > 10);
    }),
    RUNS,
  );
});

test('OwnerMismatch is told whatever else differs, except for claims that are being deleted', () => {
  fc.assert(
    fc.property(pair, (one) => {
      if (one.tenant === null || one.super === null || one.tenant.terminating || one.super.terminating)
        return;
      assert.equal(
        verdictOf(one) === 'OwnerMismatch',
        one.tenant.uid === '' || one.super.ownerUid !== one.tenant.uid,
      );
    }),
    RUNS,
  );
});

test('pairing does not depend on the order in which claims were read', () => {
  const places = fc.constantFrom(SUPER_NAMESPACE, 'migrated-a', 'migrated-b');
  const superClaims = fc.uniqueArray(places.chain(claimIn), {
    selector: (claim) => claim.namespace,
    maxLength: 3,
  });
  fc.assert(
    fc.property(claimIn('shop'), superClaims, (tenant, claims) => {
      const forwards = pairClaims(OWNER.clusterKey, [tenant], indexSuperClaims(claims));
      const backwards = pairClaims(OWNER.clusterKey, [tenant], indexSuperClaims(claims.toReversed()));
      assert.deepEqual(backwards, forwards);
      assert.equal(forwards.length, 1);
    }),
    RUNS,
  );
});
