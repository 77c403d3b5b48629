/** What sync sorts out before it writes anything, and which exit code its results have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { agendaOf, needsHold } from '../../../src/reconcile/agenda.ts';
import { isSettling, judge, settlesIn } from '../../../src/reconcile/judge.ts';
import { buildSyncReport, syncExitCode } from '../../../src/reconcile/sync-report.ts';
import type { Outcome, SyncItem, TenantSync } from '../../../src/reconcile/sync-report.ts';
import { evidenceOfBoth, pair } from '../../support/generators.ts';

const NOW = 1_050_000;
const GRACE = 60_000;

test('whatever is due has a plan and is no claim that settles, is terminating, or is not ours to write', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(pair, evidenceOfBoth), { maxLength: 6 }), (pairs) => {
      const judgements = pairs.map(([one, evidence]) => judge(one, evidence));
      const agenda = agendaOf(judgements, { now: NOW, grace: GRACE });
      for (const { pair: due, plan, verdict } of agenda.due) {
        assert.ok(plan !== null);
        assert.ok(!isSettling(due, NOW, GRACE));
        assert.ok(verdict === 'SuperNotBound' || verdict === 'HoldStale');
      }
      assert.ok(agenda.refused.every(({ verdict }) => verdict === 'OwnerMismatch'));
      assert.ok(agenda.held.every(({ verdict }) => verdict === 'Held'));
      const sorted = agenda.due.length + agenda.refused.length + agenda.settling + agenda.otherMismatches;
      assert.equal(sorted, judgements.filter(({ mismatch }) => mismatch).length);
    }),
    { numRuns: 5_000 },
  );
});

test('a claim settles for the grace period, give or take what clocks differ; one from a later time counts at once', () => {
  const HOUR = 3_600_000;
  fc.assert(
    fc.property(pair, fc.integer({ min: -HOUR, max: HOUR }), (one, ahead) => {
      const born = Math.max(one.tenant?.creationTimestamp ?? 0, one.super?.creationTimestamp ?? 0);
      const left = settlesIn(one, born - ahead, GRACE);
      if (Math.abs(ahead) <= GRACE) assert.equal(left, GRACE + ahead);
      else assert.ok(left <= 0);
      assert.ok(!isSettling(one, born - ahead, 0));
    }),
    { numRuns: 5_000 },
  );
});

test('a policy is called for by claims that are or will be shown unbound, not by releases', () => {
  fc.assert(
    fc.property(pair, evidenceOfBoth, (one, evidence) => {
      const judgement = judge(one, evidence);
      const expected = judgement.plan?.action === 'SetPhase' || judgement.verdict === 'Held';
      assert.equal(needsHold(agendaOf([judgement], null)), expected);
    }),
    { numRuns: 5_000 },
  );
});

test('exit codes: 0 done, 1 not made to stay or refused, 2 an error', () => {
  const code = (outcomes: readonly Outcome[], hold: boolean, errors: readonly string[] = []): number => {
    const items = outcomes.map((outcome) => ({ ...ITEM, outcome }));
    const told = errors.map((message) => ({ virtualCluster: null, message }));
    return syncExitCode(buildSyncReport('none', [{ ...TENANT, items }], [], told), hold);
  };
  assert.equal(code([], false), 0);
  assert.equal(code(['Held', 'Released', 'Unchanged', 'Planned', 'Accepted'], true), 0);
  assert.equal(code(['Held', 'Reverted'], false), 1);
  assert.equal(code(['Refused'], false), 1);
  assert.equal(code(['Written'], false), 0);
  assert.equal(code(['Written'], true), 1);
  assert.equal(code(['Reverted'], true, ['dead']), 2);
});

const ITEM: SyncItem = {
  virtualCluster: { namespace: 'default', name: 'vc-1' },
  tenant: { namespace: 'shop', name: 'data', uid: 'uid-1' },
  super: null,
  verdict: null,
  cause: null,
  action: null,
  was: 'Bound',
  is: 'Lost',
  outcome: 'Held',
  message: '',
  patch: null,
};
const TENANT: TenantSync = { items: [], hold: null, errors: [], claims: 1, otherMismatches: 0, settling: 0 };
