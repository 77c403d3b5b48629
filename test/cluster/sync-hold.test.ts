/** What a hold bears: time, controller syncs, restarts, deletions. One tenant with a real PV controller. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { HOLD_NAME } from '../../src/reconcile/hold-policy.ts';
import { CLAIMS, listPath } from '../../src/kube/resources.ts';
import { watchOnce } from '../../src/kube/watch.ts';
import { ApiFailure } from '../control-plane/api.ts';
import { eventually } from '../control-plane/eventually.ts';
import { claimRecreated } from '../control-plane/faults.ts';
import { NAMESPACE, SyncScene, conditionOf } from '../control-plane/sync-scene.ts';
import { createBoundPair, createNamespace, paths } from '../control-plane/syncer.ts';

/** The harness's controller managers sync every second, not every 15 s: dozens of syncs. Milliseconds. */
const WATCHED_FOR = 60_000;
const BETWEEN_LOOKS = 20;

let scene: SyncScene;

describe('a held claim', () => {
  before(async () => {
    scene = await SyncScene.start();
    for (const name of ['held', 'doomed', 'used']) await scene.breakClaim(name);
    await createNamespace(scene.fleet, scene.tenant, 'doomed');
    await createBoundPair(scene.fleet, scene.tenant, 'doomed', 'within');
    await claimRecreated(scene.fleet, scene.tenant, 'doomed', 'within');
    const { code, stderr } = await scene.sync('--hold');
    assert.equal(code, 0, stderr);
  });
  after(() => scene?.stop());

  test('tells the truth in every look for a minute, through controller syncs and a restart of the controller', async (t) => {
    const denials = await denied();
    const looks = await look(WATCHED_FOR, async () => {
      await delay(WATCHED_FOR / 4);
      await scene.tenant.plane.stopControllerManager();
      await scene.tenant.plane.startControllerManager();
    });
    t.diagnostic(
      `${looks.count} looks, the longest pause ${looks.longestPause.toFixed()} ms; ${looks.versions} versions seen by watch`,
    );
    assert.deepEqual(looks.untrue, []);
    assert.ok(looks.count > WATCHED_FOR / 100, `${looks.count} looks`);
    const tries = (await denied()) - denials;
    t.diagnostic(`the controller was refused ${tries} times`);
    assert.ok(tries >= 3, `the controller tried ${tries} times`);
  });

  test("tells the truth after a restart of the tenant's API server", async () => {
    const { plane } = scene.tenant;
    await plane.stopApiserver();
    await plane.startApiserver();
    const looks = await look(20_000, () =>
      eventually('the controller to be refused again', async () => (await denied()) > 0),
    );
    assert.deepEqual(looks.untrue, []);
  });

  test('cannot be resized, as no claim that is not Bound can', async () => {
    const spec = { resources: { requests: { storage: '2Gi' } } };
    await assert.rejects(
      scene.tenant.plane.api.patch(scene.path('held'), { spec }),
      (error) => error instanceof ApiFailure && [403, 422].includes(error.code),
    );
  });

  test('can be deleted', async () => {
    await scene.tenant.plane.api.delete(scene.path('doomed'));
    await gone(scene.path('doomed'));
  });

  test('does not keep its namespace from being deleted', async () => {
    await scene.tenant.plane.api.delete('/api/v1/namespaces/doomed');
    await gone('/api/v1/namespaces/doomed');
  });

  test('goes on being used by pods, and is protected while it is', async () => {
    const { api } = scene.tenant.plane;
    const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
    await eventually('the default service account', () =>
      api.find(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`),
    );
    const volume = { name: 'data', persistentVolumeClaim: { claimName: 'used' } };
    const containers = [{ name: 'app', image: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    await api.create(pods, {
      metadata: { name: 'app' },
      spec: { nodeName: 'node-1', containers, volumes: [volume] },
    });
    await api.patch(`${pods}/app/status`, { status: { phase: 'Running' } });
    await api.delete(scene.path('used'));
    const { metadata, status } = await scene.claim('used');
    assert.notEqual(metadata.deletionTimestamp, undefined);
    assert.equal(status.phase, 'Pending');
    await api.delete(`${pods}/app`, { gracePeriodSeconds: 0 });
    await gone(scene.path('used'));
  });

  test('is Bound again after the remedy and a sync, with nothing of ours left', async () => {
    await scene.remedy('held');
    const { code, stderr } = await scene.sync();
    assert.equal(code, 0, stderr);
    const claim = await scene.claim('held');
    assert.equal(claim.status.phase, 'Bound');
    assert.equal(conditionOf(claim), undefined);
    assert.match(stderr, /policy vc-pvc-hold removed: no claim needs it/);
  });
});

interface Looks {
  readonly count: number;
  /** Phases other than the super claim's, in looks or in any version of the claim that the watch told. */
  readonly untrue: readonly string[];
  /** Milliseconds. */
  readonly longestPause: number;
  readonly versions: number;
}

/** Looks at the claim again and again, and watches it, while something is done. */
async function look(milliseconds: number, meanwhile: () => Promise<unknown>): Promise<Looks> {
  const at = paths(scene.tenant, NAMESPACE, 'held');
  const truth = (await scene.fleet.super.api.get(at.super)).status.phase;
  const untrue: string[] = [];
  let [count, versions, longestPause] = [0, 0, 0];
  const see = (phase: string): void => void (phase !== truth && untrue.push(phase));
  const controller = new AbortController();
  // Of now, not of the claim's last change: an API server that was restarted knows nothing older.
  const { resourceVersion } = (await scene.tenant.plane.api.get(`${listPath(CLAIMS, NAMESPACE)}?limit=1`))
    .metadata;
  const watching = watchClaim(resourceVersion, controller.signal, (phase) => {
    versions += 1;
    see(phase);
  });
  const doing = meanwhile();
  const end = performance.now() + milliseconds;
  for (let last = performance.now(); last < end;) {
    see((await scene.tenant.plane.api.get(at.tenant)).status.phase);
    count += 1;
    await delay(BETWEEN_LOOKS);
    longestPause = Math.max(longestPause, performance.now() - last);
    last = performance.now();
  }
  await doing;
  controller.abort();
  await watching;
  return { count, untrue, longestPause, versions };
}

/** Between two looks the phase may come and go: the watch tells every version. */
async function watchClaim(from: string, signal: AbortSignal, see: (phase: string) => void): Promise<void> {
  const connection = await scene.tenantConnection();
  const options = { namespace: NAMESPACE, resourceVersion: from, signal };
  try {
    for await (const event of watchOnce(connection, CLAIMS, options)) {
      if (event.type !== 'BOOKMARK' && event.object.name === 'held') see(event.object.phase);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await connection.close();
  }
}

/** How often the API server has refused the controller, since it was started. */
async function denied(): Promise<number> {
  const metrics = await scene.tenant.plane.api.text('/metrics');
  const line = metrics
    .split('\n')
    .find(
      (one) =>
        one.startsWith('apiserver_validating_admission_policy_check_total') &&
        one.includes(`policy="${HOLD_NAME}"`) &&
        one.includes('enforcement_action="deny"'),
    );
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

async function gone(path: string): Promise<void> {
  await eventually(`${path} to be gone`, async () => (await scene.tenant.plane.api.find(path)) === null);
}
