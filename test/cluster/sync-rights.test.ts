/** With which rights sync does what, and what it says where one is missing. The roles are those that are published. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bindRole, createRoles } from '../control-plane/roles.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import { POLICY, SyncScene, conditionOf, rowOf } from '../control-plane/sync-scene.ts';

let scene: SyncScene;
let asLimited: string;

describe('sync with the published roles', () => {
  before(async () => {
    scene = await SyncScene.start();
    await scene.breakClaim('data');
    await createRoles(scene.tenant.plane, 'rbac-tenant.yaml');
    const text = await scene.tenant.plane.kubeconfigFor('limited');
    const file = await writeKubeconfig(scene.fleet.storage, 'limited', text);
    asLimited = `--tenant-kubeconfig=default/vc-sample-1=${file}`;
    await bind('vc-pvc-tenant-reader');
  });
  after(() => scene?.stop());

  test('the reader may not write: the error names the role that may, and nothing is written', async () => {
    const { code, stderr } = await scene.sync(asLimited);
    assert.equal(code, 2);
    assert.match(stderr, /User "limited" cannot patch resource "persistentvolumeclaims\/status"/);
    assert.match(stderr, /ClusterRole vc-pvc-tenant-sync of plugin\/deploy\/rbac-tenant\.yaml grants it/);
    assert.equal(conditionOf(await scene.claim('data')), undefined);
  });

  test('the sync role suffices without --hold', async () => {
    await bind('vc-pvc-tenant-sync');
    const { code, report, stderr } = await scene.report(asLimited);
    assert.deepEqual([code, rowOf(report, 'data').outcome], [1, 'Reverted'], stderr);
    assert.deepEqual(report.errors, []);
    assert.equal((await scene.eventsOf('data')).length, 1);
  });

  test('--hold without its role is an error that names it, and writes nothing', async () => {
    const before = await scene.claim('data');
    const { code, stderr } = await scene.sync(asLimited, '--hold');
    assert.equal(code, 2);
    assert.match(stderr, /ClusterRole vc-pvc-tenant-hold of plugin\/deploy\/rbac-tenant\.yaml grants it/);
    assert.deepEqual(await scene.claim('data'), before);
  });

  test('all three roles hold, and release everything again', async () => {
    await bind('vc-pvc-tenant-hold');
    const held = await scene.report(asLimited, '--hold');
    assert.deepEqual([held.code, rowOf(held.report, 'data').outcome], [0, 'Held'], held.stderr);
    const released = await scene.report(asLimited, '--release-all');
    assert.deepEqual(
      [released.code, rowOf(released.report, 'data').outcome],
      [0, 'Released'],
      released.stderr,
    );
    assert.equal(await scene.tenant.plane.api.find(POLICY), null);
    assert.deepEqual(await scene.eventsOf('data'), []);
  });
});

function bind(name: string): Promise<void> {
  return bindRole(scene.tenant.plane, name, 'limited');
}
