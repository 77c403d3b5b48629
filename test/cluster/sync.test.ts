/** `sync` on real control planes: what the tenants' API servers hold, before and after. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ClaimReport } from '../../src/reconcile/report.ts';
import { eventually } from '../control-plane/eventually.ts';
import { volumeDeleted } from '../control-plane/faults.ts';
import { BINDING, NAMESPACE, POLICY, SyncScene, conditionOf, rowOf } from '../control-plane/sync-scene.ts';
import { runCli } from '../support/run-cli.ts';

let scene: SyncScene;

describe('sync on real control planes', () => {
  before(async () => {
    scene = await SyncScene.start();
  });
  after(() => scene?.stop());

  test('check, the dry runs and sync itself have one and the same plan, and dry runs write nothing', async () => {
    await scene.breakClaim('plain');
    const before = await scene.claim('plain');
    const environment = { KUBECONFIG: scene.fleet.kubeconfig };
    const checked = JSON.parse(
      (await runCli(['check', '--grace=0', '-o', 'json'], environment)).stdout,
    ) as ClaimReport;
    const client = await scene.report('--dry-run=client', '--hold');
    const server = await scene.report('--dry-run=server', '--hold');
    const plans = [checked, client.report, server.report].map(({ items }) =>
      (items as ClaimReport['items']).map(({ tenant, verdict, cause, action }) => [
        tenant?.uid,
        verdict,
        cause,
        action,
      ]),
    );
    assert.deepEqual(plans[1], plans[0]);
    assert.deepEqual(plans[2], plans[0]);
    assert.deepEqual([client.code, server.code], [0, 0]);
    assert.deepEqual(
      [rowOf(client.report, 'plain').outcome, rowOf(server.report, 'plain').outcome],
      ['Planned', 'Accepted'],
    );
    assert.equal(rowOf(server.report, 'plain').is, 'Pending');
    assert.deepEqual(await scene.claim('plain'), before);
    assert.equal(await scene.tenant.plane.api.find(POLICY), null);
    assert.deepEqual(
      client.report.holds[0]?.objects.map((object) => (object as { kind: string }).kind),
      ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    );
    // What is then sent is what was printed, but for the time.
    const performed = await scene.report();
    const untimed = (patch: unknown): string => JSON.stringify(patch).replaceAll(/\d{4}-[^"]+Z/g, 'T');
    assert.equal(
      untimed(rowOf(performed.report, 'plain').patch),
      untimed(rowOf(client.report, 'plain').patch),
    );
  });

  test('without --hold the controller undoes it: told, exit 1, and condition and Event stay', async () => {
    const { code, report: done } = await scene.report();
    const row = rowOf(done, 'plain');
    assert.deepEqual([row.was, row.is, row.outcome], ['Bound', 'Bound', 'Reverted']);
    assert.match(row.message, /^reverted by the tenant's PV controller; --hold makes it stay$/);
    assert.equal(code, 1);
    const condition = conditionOf(await scene.claim('plain'));
    assert.deepEqual([condition.status, condition.reason], ['False', 'ClaimRefStale']);
    const events = await scene.eventsOf('plain');
    assert.deepEqual(
      events.map(({ count, type }) => [count, type]),
      [[2, 'Warning']],
    );
    assert.equal(await scene.tenant.plane.api.find(POLICY), null);
  });

  test('a second run counts the one Event up and keeps the time of the transition', async () => {
    const before = conditionOf(await scene.claim('plain'));
    await scene.sync();
    assert.deepEqual(
      (await scene.eventsOf('plain')).map(({ count }) => count),
      [3],
    );
    assert.equal(conditionOf(await scene.claim('plain')).lastTransitionTime, before.lastTransitionTime);
  });

  test('with --hold the phase of the super claim stays', async () => {
    const { code, report: done, stderr } = await scene.report('--hold');
    const row = rowOf(done, 'plain');
    assert.deepEqual([row.was, row.is, row.outcome], ['Bound', 'Pending', 'Held'], stderr);
    assert.equal(code, 0);
    assert.equal((await scene.claim('plain')).status.phase, 'Pending');
    assert.notEqual(await scene.tenant.plane.api.find(BINDING), null);
  });

  test('a run that finds everything held does nothing and exits 0', async () => {
    const before = await scene.claim('plain');
    const { code, report: done } = await scene.report();
    assert.deepEqual([code, rowOf(done, 'plain').outcome, rowOf(done, 'plain').patch], [0, 'Held', null]);
    assert.equal((await scene.claim('plain')).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  test('a held claim follows the super claim from Pending to Lost', async () => {
    await scene.breakClaim('sinking');
    await scene.sync('--hold');
    await scene.remedy('sinking');
    await volumeDeleted(scene.fleet, scene.tenant, NAMESPACE, 'sinking');
    const { code, report: done } = await scene.report();
    assert.deepEqual([code, rowOf(done, 'sinking').was, rowOf(done, 'sinking').is], [0, 'Pending', 'Lost']);
    assert.equal(conditionOf(await scene.claim('sinking')).reason, 'VolumeDeleted');
  });

  test('after the remedy sync gives the claim back, and nothing of ours is left on it', async () => {
    await scene.remedy('plain');
    const { code, report: done } = await scene.report();
    assert.deepEqual([code, rowOf(done, 'plain').outcome], [0, 'Released']);
    const now = await scene.claim('plain');
    assert.equal(now.status.phase, 'Bound');
    assert.equal(conditionOf(now), undefined);
    assert.deepEqual(await scene.eventsOf('plain'), []);
    // The other claim is still held.
    assert.notEqual(await scene.tenant.plane.api.find(POLICY), null);
  });

  test('--release-all as a dry run by the server removes nothing', async () => {
    const before = await scene.claim('sinking');
    const { code, report: done } = await scene.report('--release-all', '--dry-run=server');
    assert.deepEqual([code, rowOf(done, 'sinking').outcome], [0, 'Accepted']);
    assert.deepEqual(await scene.claim('sinking'), before);
    assert.notEqual(await scene.tenant.plane.api.find(POLICY), null);
    assert.notEqual(await scene.tenant.plane.api.find(BINDING), null);
    assert.equal((await scene.eventsOf('sinking')).length, 1);
  });

  test('without its policy a hold is told as kept by nothing, and --hold keeps it again', async () => {
    await scene.tenant.plane.api.delete(POLICY);
    await eventually(
      'the controller to undo the hold',
      async () => (await scene.claim('sinking')).status.phase === 'Bound',
    );
    const { code, report: done } = await scene.report();
    assert.deepEqual([code, rowOf(done, 'sinking').outcome], [1, 'Reverted']);
    assert.match(rowOf(done, 'sinking').message, /--hold puts it right/);
    assert.equal(done.holds[0]?.state, 'Outdated');
    // More namespaces than the connections that one cluster is given.
    const empty = Array.from({ length: 8 }, (_, index) => `empty-${index}`);
    for (const name of empty) {
      await scene.tenant.plane.api.create('/api/v1/namespaces', { metadata: { name } });
    }
    const many = [NAMESPACE, ...empty].map((name) => `--tenant-namespace=${name}`);
    const again = await scene.report('--hold', ...many);
    assert.deepEqual([again.code, rowOf(again.report, 'sinking').outcome], [0, 'Held'], again.stderr);
  });

  test('a policy that is as it should be is not written again', async () => {
    const before = await scene.tenant.plane.api.get(POLICY);
    await scene.sync('--hold');
    assert.deepEqual(
      (await scene.tenant.plane.api.get(POLICY)).metadata.resourceVersion,
      before.metadata.resourceVersion,
    );
  });

  test('--release-all leaves claims, policies and Events as if we had never been there', async () => {
    const { code, report: done } = await scene.report('--release-all');
    assert.deepEqual([code, rowOf(done, 'sinking').outcome], [0, 'Released']);
    assert.equal(conditionOf(await scene.claim('sinking')), undefined);
    await eventually(
      'the controller to have its way',
      async () => (await scene.claim('sinking')).status.phase === 'Bound',
    );
    assert.equal(await scene.tenant.plane.api.find(POLICY), null);
    assert.equal(await scene.tenant.plane.api.find(BINDING), null);
    assert.deepEqual(await scene.eventsOf('sinking'), []);
  });
});
