/** What is sent: the patch, the Event, the policy. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { claimFromJson } from '../../../src/kube/objects/from-json.ts';
import { claimEvent, eventName, recurrence } from '../../../src/reconcile/claim-event.ts';
import {
  HOLD_BINDING,
  HOLD_POLICY,
  PROBE_PATCH,
  isRefusalOfHold,
  standingOf,
} from '../../../src/reconcile/hold-policy.ts';
import { HOLD_CONDITION } from '../../../src/reconcile/model.ts';
import { statusPatch } from '../../../src/reconcile/patch.ts';
import { releaseOf } from '../../../src/reconcile/plan.ts';
import { judge } from '../../../src/reconcile/judge.ts';
import { evidenceOfBoth, pair } from '../../support/generators.ts';

const NOW = Date.parse('2026-05-01T12:00:00.987Z');
const CLAIM = claimFromJson({
  metadata: { name: 'data', namespace: 'shop', uid: 'uid-1', resourceVersion: '7' },
  status: { phase: 'Lost', conditions: [{ type: HOLD_CONDITION, status: 'False' }] },
});
const PLAN = {
  ...releaseOf(CLAIM),
  action: 'SetPhase',
  phase: 'Pending',
  condition: { type: HOLD_CONDITION, status: 'False', reason: 'ClaimRefStale', message: 'because' },
} as const;

describe('the patch of a status', () => {
  test('carries uid and resourceVersion, the phase, and our condition with its times in whole seconds', () => {
    const time = '2026-05-01T12:00:00Z';
    assert.deepEqual(statusPatch({ ...PLAN, held: false }, NOW), {
      metadata: { uid: 'uid-1', resourceVersion: '7' },
      status: {
        phase: 'Pending',
        conditions: [{ ...PLAN.condition, lastProbeTime: time, lastTransitionTime: time }],
      },
    });
  });

  test('leaves the time of the last transition alone where the condition stands already', () => {
    assert.doesNotMatch(JSON.stringify(statusPatch(PLAN, NOW)), /lastTransitionTime/);
  });

  test('takes the condition away, and nothing else, when it releases', () => {
    assert.deepEqual(statusPatch(releaseOf(CLAIM), NOW), {
      metadata: { uid: 'uid-1', resourceVersion: '7' },
      status: { phase: 'Bound', conditions: [{ $patch: 'delete', type: HOLD_CONDITION }] },
    });
  });

  test("tells a tenant's users nothing of other claims, volumes or namespaces than their own", () => {
    fc.assert(
      fc.property(pair, evidenceOfBoth, (one, evidence) => {
        const message = judge(one, evidence).plan?.condition?.message ?? '';
        assert.doesNotMatch(message, /volume-1|volume-2|uid-|other\/|\/other/);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the Event of a claim', () => {
  test('has the same name in every run, another for another claim, and never too long a one', () => {
    const long = { name: 'n'.repeat(253), uid: 'uid-1' };
    assert.equal(eventName(long), eventName({ ...long }));
    assert.notEqual(eventName(long), eventName({ ...long, uid: 'uid-2' }));
    assert.ok(eventName(long).length <= 253);
    assert.match(eventName(PLAN), /^data\.vc-pvc\.[0-9a-f]{16}$/);
  });

  test('is about exactly this claim', () => {
    const event = claimEvent(PLAN, NOW, false) as { involvedObject: object; message: string };
    assert.deepEqual(event.involvedObject, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'shop',
      name: 'data',
      uid: 'uid-1',
      resourceVersion: '7',
    });
    assert.equal(event.message, 'because');
  });

  test('is counted up from whatever it says', () => {
    const counted = (seen: unknown): unknown =>
      (recurrence(PLAN, seen, NOW, false) as { count: unknown }).count;
    assert.deepEqual(
      [counted({ count: 3 }), counted({}), counted({ count: 'many' }), counted(null)],
      [4, 2, 2, 2],
    );
  });
});

describe('an object with the name of the policy', () => {
  const served = {
    ...HOLD_POLICY,
    metadata: { ...HOLD_POLICY.metadata, uid: 'u', resourceVersion: '9', managedFields: [] },
    status: { observedGeneration: 1 },
  };

  test('is ours where it says what ours says, whatever the API server has added', () => {
    assert.equal(standingOf(served, HOLD_POLICY), 'ours');
    assert.equal(standingOf(HOLD_BINDING, HOLD_BINDING), 'ours');
    assert.equal(standingOf(null, HOLD_POLICY), 'absent');
  });

  test('is outdated where it is labelled as ours and says anything else', () => {
    const rules = [...HOLD_POLICY.spec.validations, { expression: 'true' }];
    for (const spec of [
      { ...HOLD_POLICY.spec, validations: rules },
      { ...HOLD_POLICY.spec, validations: [] },
      { ...HOLD_POLICY.spec, failurePolicy: 'Fail' },
      {
        ...HOLD_POLICY.spec,
        matchConstraints: { ...HOLD_POLICY.spec.matchConstraints, excludeResourceRules: [] },
      },
      {},
    ]) {
      assert.equal(standingOf({ ...served, spec }, HOLD_POLICY), 'outdated');
    }
  });

  test('is outdated where its binding covers less than everything', () => {
    const matchResources = { namespaceSelector: { matchLabels: { a: 'b' } } };
    const spec = { ...HOLD_BINDING.spec, matchResources };
    assert.equal(standingOf({ ...HOLD_BINDING, spec }, HOLD_BINDING), 'outdated');
  });

  test('is foreign without our label, and so is anything that is no object', () => {
    const metadata = { name: 'vc-pvc-hold', labels: { 'app.kubernetes.io/managed-by': 'helm' } };
    for (const found of [{ ...served, metadata }, { ...served, metadata: {} }, {}, 'text', 7, []]) {
      assert.equal(standingOf(found, HOLD_POLICY), 'foreign');
    }
  });

  test('refuses in words that are known from those of others', () => {
    const words = (name: string): string =>
      `persistentvolumeclaims "data" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: no`;
    assert.ok(isRefusalOfHold(words('vc-pvc-hold')));
    assert.ok(!isRefusalOfHold(words('somebody-elses')));
    assert.ok(!isRefusalOfHold('the object has been modified'));
  });

  test('is probed by a reason that names its very revision', () => {
    const [{ reason }] = PROBE_PATCH.status.conditions;
    assert.match(reason, /^HoldProbe[0-9a-f]{8}$/);
    assert.ok(HOLD_POLICY.spec.validations[1].expression.includes(`'${reason}'`));
  });
});
