/** A tenant whose API server has no admission policies, as before Kubernetes 1.30. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SyncScene, conditionOf, rowOf } from '../control-plane/sync-scene.ts';

let scene: SyncScene;

describe('sync --hold where there are no admission policies', () => {
  before(async () => {
    scene = await SyncScene.start({ tenantRuntimeConfig: 'admissionregistration.k8s.io/v1=false' });
    await scene.breakClaim('data');
  });
  after(() => scene?.stop());

  test('says so, writes condition and Event all the same, and exits 1', async () => {
    const { code, report, stderr } = await scene.report('--hold');
    assert.deepEqual([code, rowOf(report, 'data').outcome], [1, 'Reverted'], stderr);
    assert.equal(report.holds[0]?.state, 'Unsupported');
    assert.match(stderr, /default\/vc-sample-1: this tenant's API server has no ValidatingAdmissionPolicy/);
    assert.equal(conditionOf(await scene.claim('data')).status, 'False');
    assert.equal((await scene.eventsOf('data')).length, 1);
  });

  test('--release-all takes both away again', async () => {
    const { code, report, stderr } = await scene.report('--release-all');
    assert.deepEqual([code, rowOf(report, 'data').outcome], [0, 'Released'], stderr);
    assert.equal(conditionOf(await scene.claim('data')), undefined);
    assert.deepEqual(await scene.eventsOf('data'), []);
  });

  test('where no controller manager answers, what was written is told as written and not as held', async () => {
    await scene.tenant.plane.stopControllerManager();
    const { code, report } = await scene.report('--hold');
    const row = rowOf(report, 'data');
    assert.deepEqual([code, row.outcome, row.is], [1, 'Written', 'Pending']);
    assert.match(row.message, /not undone within 20s/);
    await scene.tenant.plane.startControllerManager();
  });
});
