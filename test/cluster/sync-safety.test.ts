/** What sync must never do: write to another claim, lose what others write, touch what is not its own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LiveCluster } from '../../src/fleet/live-cluster.ts';
import { judgeFresh } from '../../src/fleet/judge-again.ts';
import type { ApiConnection } from '../../src/kube/connection.ts';
import type { Judgement } from '../../src/reconcile/judge.ts';
import { TenantApi } from '../../src/sync/tenant-api.ts';
import { writeClaim } from '../../src/sync/write-claim.ts';
import type { WriteContext } from '../../src/sync/write-claim.ts';
import { ApiFailure } from '../control-plane/api.ts';
import type { Json } from '../control-plane/api.ts';
import { eventually } from '../control-plane/eventually.ts';
import { BINDING, NAMESPACE, POLICY, SyncScene, conditionOf, rowOf } from '../control-plane/sync-scene.ts';
import { claimSpec, deleteClaim, marks, paths, phaseOf } from '../control-plane/syncer.ts';

const ROUNDS = 100;

let scene: SyncScene;
let context: WriteContext;
let connections: readonly ApiConnection[] = [];

describe('sync, with others at work', () => {
  before(async () => {
    scene = await SyncScene.start();
    const [tenant, superCluster] = [await scene.tenantConnection(), await scene.superConnection()];
    connections = [tenant, superCluster];
    const { signal } = new AbortController();
    context = {
      api: new TenantApi(tenant, false),
      clusters: {
        tenant: new LiveCluster(tenant, { signal }),
        super: new LiveCluster(superCluster, { signal }),
      },
      now: Date.now,
      grace: 0,
      signal,
    };
  });
  after(async () => {
    for (const connection of connections) await connection.close();
    await scene?.stop();
  });

  test('a claim that was deleted and created again between reading and writing is not patched', async () => {
    await scene.breakClaim('recreated');
    const judgement = await judged('recreated');
    assert.equal(judgement.plan?.action, 'SetPhase');
    await deleteClaim(scene.tenant.plane, scene.path('recreated'));
    const { tenantList } = paths(scene.tenant, NAMESPACE, 'recreated');
    const spec = claimSpec(`pv-${scene.tenant.name}-recreated`);
    const created = await scene.tenant.plane.api.create(tenantList, {
      metadata: { name: 'recreated' },
      spec,
    });
    const end = await writeClaim(judgement, context);
    assert.deepEqual([end.kind, end.judgement?.verdict], ['unneeded', 'OwnerMismatch']);
    const now = await scene.claim('recreated');
    assert.equal(now.metadata.uid, created.metadata.uid);
    assert.equal(conditionOf(now), undefined);
  });

  test('a super claim that is Bound again by the time its turn comes is not reported as unbound', async () => {
    await scene.breakClaim('mended');
    const judgement = await judged('mended');
    await scene.remedy('mended');
    const end = await writeClaim(judgement, context);
    assert.deepEqual([end.kind, end.judgement?.verdict], ['unneeded', 'Consistent']);
    assert.equal(conditionOf(await scene.claim('mended')), undefined);
  });

  test(`in ${ROUNDS} rounds a concurrent writer of other conditions loses nothing, nor do we`, async () => {
    await scene.breakClaim('busy');
    for (let round = 0; round < ROUNDS; round += 1) {
      // The controller has undone the round before.
      await phaseOf(scene.tenant.plane, scene.path('busy'), 'Bound');
      const judgement = await judged('busy');
      const [end] = await Promise.all([writeClaim(judgement, context), setCondition('busy', round)]);
      assert.equal(end.kind, 'written', `round ${round}: ${JSON.stringify(end)}`);
      const claim = await scene.claim('busy');
      assert.equal(otherCondition(claim)?.message, `round ${round}`);
      assert.equal(conditionOf(claim)?.status, 'False');
      assert.deepEqual(claim.status.capacity, { storage: '1Gi' });
    }
  });

  test('an OwnerMismatch is refused, with what the syncer will do, and exits 1', async () => {
    const { code, report } = await scene.report('--tenant-namespace', NAMESPACE);
    const row = rowOf(report, 'recreated');
    assert.deepEqual([code, row.outcome, row.verdict], [1, 'Refused', 'OwnerMismatch']);
    assert.match(row.message, /the syncer will delete the super claim/);
  });

  test('a policy of that name that is not ours is left as it is, and told', async () => {
    await scene.breakClaim('foreign');
    const theirs = await scene.tenant.plane.api.create(POLICY.replace(/\/[^/]+$/, ''), foreignPolicy());
    const { code, report, stderr } = await scene.report('--hold');
    assert.deepEqual([code, rowOf(report, 'foreign').outcome], [1, 'Reverted']);
    assert.match(stderr, /an object named vc-pvc-hold that is not ours is in the way/);
    assert.deepEqual(await scene.tenant.plane.api.get(POLICY), theirs);
    assert.equal(await scene.tenant.plane.api.find(BINDING), null);
    await scene.sync('--release-all');
    assert.deepEqual(await scene.tenant.plane.api.get(POLICY), theirs);
    await scene.tenant.plane.api.delete(POLICY);
  });

  test('what is no longer kept by the end of the run is not told as held', async () => {
    await scene.breakClaim('robbed');
    const running = scene.report('--hold');
    await eventually(
      'the claim to be held',
      async () => (await scene.claim('robbed')).status.phase === 'Pending',
    );
    await scene.tenant.plane.api.delete(POLICY);
    const { code, report } = await running;
    assert.deepEqual([code, rowOf(report, 'robbed').outcome], [1, 'Reverted']);
    assert.match(
      rowOf(report, 'robbed').message,
      /policy vc-pvc-hold was taken away or changed while this ran/,
    );
  });

  test('a policy of ours that was weakened is made whole again', async () => {
    await scene.sync('--hold');
    const weakened = { spec: { validations: [{ expression: 'true' }] } };
    await scene.tenant.plane.api.patch(POLICY, weakened);
    const { report } = await scene.report('--hold');
    assert.equal(rowOf(report, 'foreign').outcome, 'Held');
    assert.equal((await scene.tenant.plane.api.get(POLICY)).spec.validations.length, 2);
  });

  test('the policy refuses nobody anything else', async () => {
    // Another condition on a held claim, and Bound for a claim that is not held.
    await setCondition('foreign', 1);
    assert.equal(otherCondition(await scene.claim('foreign')).message, 'round 1');
    const { tenantList } = paths(scene.tenant, NAMESPACE, 'free');
    await scene.tenant.plane.api.create(tenantList, {
      metadata: { name: 'free' },
      spec: claimSpec('no-such-volume'),
    });
    await scene.tenant.plane.api.patch(`${scene.path('free')}/status`, { status: { phase: 'Bound' } });
  });

  test('a super claim with marks that lie about its tenant claim is never a reason to write', async () => {
    await scene.breakClaim('forged');
    await scene.fleet.super.api.patch(paths(scene.tenant, NAMESPACE, 'forged').super, {
      metadata: { annotations: marks(scene.tenant, NAMESPACE, 'another-uid') },
    });
    const before = await scene.claim('forged');
    const { report } = await scene.report('--hold');
    assert.equal(rowOf(report, 'forged').outcome, 'Refused');
    assert.deepEqual(await scene.claim('forged'), before);
  });
});

async function judged(name: string): Promise<Judgement> {
  const at = paths(scene.tenant, NAMESPACE, name);
  const [tenant, superClaim] = await Promise.all([
    context.clusters.tenant.claim(NAMESPACE, name, context.signal),
    context.clusters.super.claim(at.superNamespace, name, context.signal),
  ]);
  const owner = { clusterKey: scene.tenant.key, namespace: NAMESPACE };
  const pair = { owner, tenant, super: superClaim, superNamespace: at.superNamespace };
  return judgeFresh(pair, context.clusters, context.signal);
}

const OTHER = 'example.com/Busy';

/** Writes a condition as a controller does: the whole object, with the resourceVersion it was read with. */
async function setCondition(name: string, round: number): Promise<void> {
  for (;;) {
    const claim = await scene.claim(name);
    const others = (claim.status.conditions ?? []).filter((one: Json) => one.type !== OTHER);
    const own = { type: OTHER, status: 'True', reason: 'Round', message: `round ${round}` };
    claim.status.conditions = [...others, own];
    try {
      await scene.tenant.plane.api.replace(`${scene.path(name)}/status`, claim);
      return;
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 409) throw error;
    }
  }
}

function otherCondition(claim: Json): Json {
  return claim.status.conditions?.find((one: Json) => one.type === OTHER);
}

function foreignPolicy(): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'vc-pvc-hold' },
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] },
        ],
      },
      validations: [{ expression: 'true' }],
    },
  };
}
