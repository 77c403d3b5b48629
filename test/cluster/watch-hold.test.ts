/** `watch --sync --hold` with real PV controllers on both sides: what is written, when, and that it stays. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../control-plane/api.ts';
import { eventually } from '../control-plane/eventually.ts';
import { claimRecreated, tenantClaimRecreated, volumeDeleted } from '../control-plane/faults.ts';
import { BINDING, NAMESPACE, POLICY, SyncScene, conditionOf } from '../control-plane/sync-scene.ts';
import { claimSpec, createBoundPair, deleteClaim, paths, phaseOf } from '../control-plane/syncer.ts';
import { tells } from '../control-plane/watched-fleet.ts';
import type { WatchLine } from '../control-plane/watched-fleet.ts';
import { RunningCli } from '../support/running-cli.ts';

/** The harness's controller managers sync every second. Milliseconds. */
const SEVERAL_SYNCS = 5_000;
const NAMES = ['lost', 'pending', 'recreated', 'another', 'twice', 'written', 'again', 'young'];

let scene: SyncScene;
let watch: RunningCli;
/** All claims and volumes of the super cluster that nobody but the watch had a reason to change. */
let bystanders: Map<string, string>;

const told = (name: string, outcome: string, from = 0): Promise<WatchLine> =>
  watch.object<WatchLine>(({ object }) => object.tenant.name === name && object.outcome === outcome, from);

async function versionsOf(names: readonly string[]): Promise<Map<string, string>> {
  const { api } = scene.fleet.super;
  const lists = await Promise.all(
    ['persistentvolumeclaims', 'persistentvolumes'].map((plural) => api.get(`/api/v1/${plural}`)),
  );
  const objects: Json[] = lists.flatMap(({ items }) => items);
  return new Map(
    objects
      .filter(({ metadata }) => names.some((name) => metadata.name.endsWith(name)))
      .map(({ metadata }) => [metadata.uid, metadata.resourceVersion]),
  );
}

describe('watch --sync --hold', () => {
  before(async () => {
    scene = await SyncScene.start();
    await Promise.all(NAMES.map((name) => createBoundPair(scene.fleet, scene.tenant, NAMESPACE, name)));
    await createBoundPair(scene.fleet, scene.tenant, NAMESPACE, 'calm');
    watch = new RunningCli(
      ['watch', '--sync', '--hold', '--grace=0', '-A', '-o', 'json', '--output-watch-events'],
      { KUBECONFIG: scene.fleet.kubeconfig },
    );
    await watch.line('watching', { stream: 'stderr' });
    bystanders = await versionsOf(['calm']);
    assert.equal(bystanders.size, 2);
  });
  after(async () => {
    await watch?.stop();
    await scene?.stop();
  });

  test('a super claim that is Lost is shown in the tenant, and stays shown through many syncs', async () => {
    assert.equal(await scene.tenant.plane.api.find(POLICY), null, 'no policy before it is needed');
    await volumeDeleted(scene.fleet, scene.tenant, NAMESPACE, 'lost');
    await told('lost', 'Held');
    const { metadata } = await scene.claim('lost');
    await delay(SEVERAL_SYNCS);
    const claim = await scene.claim('lost');
    assert.equal(claim.status.phase, 'Lost');
    assert.equal(conditionOf(claim).status, 'False');
    assert.equal(conditionOf(claim).reason, 'VolumeDeleted');
    assert.equal(claim.metadata.resourceVersion, metadata.resourceVersion, 'written once');
    const [event, ...more] = await scene.eventsOf('lost');
    assert.equal(event.reason, 'SuperClaimNotBound');
    assert.equal(event.count ?? 1, 1);
    assert.deepEqual(more, []);
  });

  test('a claim that was deleted and made again is shown as it is now, with nothing of the one before', async () => {
    const before = (await scene.claim('lost')).metadata.uid;
    const at = paths(scene.tenant, NAMESPACE, 'lost');
    const from = watch.count;
    await deleteClaim(scene.tenant.plane, at.tenant);
    assert.equal((await watch.object<WatchLine>(tells('lost', 'DELETED'), from)).object.gone, true);
    // It waits for a volume of its own; its super claim is still the one of the claim before.
    await scene.tenant.plane.api.create(at.tenantList, {
      metadata: { name: 'lost' },
      spec: claimSpec('no-such-volume'),
    });
    await watch.object<WatchLine>(tells('lost', 'ADDED', 'OwnerMismatch'), from);
    const claim = await scene.claim('lost');
    assert.notEqual(claim.metadata.uid, before);
    assert.equal(conditionOf(claim), undefined);
    assert.deepEqual(await scene.eventsOf('lost'), []);
    await deleteClaim(scene.tenant.plane, at.tenant);
  });

  test('an idle policy goes, also when the held claim was deleted rather than released', async () => {
    await policyIsGone();
  });

  test('a super claim that is Pending is shown, and given back when it is Bound again', async () => {
    await claimRecreated(scene.fleet, scene.tenant, NAMESPACE, 'pending');
    await told('pending', 'Held');
    assert.equal((await scene.claim('pending')).status.phase, 'Pending');
    await scene.remedy('pending');
    await told('pending', 'Released');
    const claim = await phaseOf(scene.tenant.plane, scene.path('pending'), 'Bound');
    assert.equal(conditionOf(claim), undefined);
    await eventually('its Event to be gone', async () => (await scene.eventsOf('pending')).length === 0);
    await policyIsGone();
    await watch.object<WatchLine>(tells('pending', 'DELETED', 'Consistent'));
  });

  test("a claim whose super claim is another one's is never written to", async () => {
    const from = watch.count;
    await tenantClaimRecreated(scene.fleet, scene.tenant, NAMESPACE, 'recreated');
    await watch.object<WatchLine>(tells('recreated', 'ADDED', 'OwnerMismatch'), from);
    const at = paths(scene.tenant, NAMESPACE, 'recreated');
    await scene.fleet.super.api.patch(`${at.super}/status`, { status: { phase: 'Lost' } });
    await claimRecreated(scene.fleet, scene.tenant, NAMESPACE, 'another');
    await told('another', 'Held', from);
    const claim = await scene.claim('recreated');
    assert.equal(conditionOf(claim), undefined);
    // The tenant's own controllers may have written to it, who are told from us by their name.
    assert.equal(claim.metadata.managedFields.some(isOurs), false, JSON.stringify(claim));
    assert.ok((await scene.claim('another')).metadata.managedFields.some(isOurs));
  });

  test('a claim that breaks twice in a row is shown each time, without a pause for who follows it', async () => {
    const from = watch.count;
    for (const turn of ['first', 'second', 'third']) {
      await claimRecreated(scene.fleet, scene.tenant, NAMESPACE, 'twice');
      await eventually(
        `the ${turn} time to be shown`,
        async () => conditionOf(await scene.claim('twice')) !== undefined,
      );
      await scene.remedy('twice');
      await eventually('Bound again', async () => conditionOf(await scene.claim('twice')) === undefined);
    }
    const contested = watch
      .lines()
      .slice(from)
      .filter((line) => line.includes('Contested'));
    assert.deepEqual(contested, []);
  });

  test('who writes other conditions at the same time loses none, and neither do we', async () => {
    const path = `${scene.path('written')}/status`;
    const types = Array.from({ length: 40 }, (_, index) => `example.com/Check${index}`);
    const writing = (async () => {
      for (const type of types) {
        const conditions = [{ type, status: 'True', lastProbeTime: null, lastTransitionTime: null }];
        await scene.tenant.plane.api.patch(
          path,
          { status: { conditions } },
          'application/strategic-merge-patch+json',
        );
      }
    })();
    await volumeDeleted(scene.fleet, scene.tenant, NAMESPACE, 'written');
    await told('written', 'Held');
    await writing;
    const claim = await scene.claim('written');
    const present = new Set(claim.status.conditions.map(({ type }: Json) => type));
    assert.deepEqual(
      types.filter((type) => !present.has(type)),
      [],
    );
    assert.equal(conditionOf(claim).status, 'False');
    assert.equal(claim.status.phase, 'Lost');
  });

  test('a policy that somebody deletes while claims are held comes back, and they are held again', async () => {
    await volumeDeleted(scene.fleet, scene.tenant, NAMESPACE, 'again');
    await told('again', 'Held');
    for (const path of [BINDING, POLICY]) await scene.tenant.plane.api.delete(path);
    // The controller needs an occasion, and the policy's absence some time to take effect.
    await eventually('the policy to be there again', () => scene.tenant.plane.api.find(POLICY));
    await eventually('both claims to be held', async () => {
      const claims = await Promise.all(['again', 'written'].map((name) => scene.claim(name)));
      return claims.every((claim) => claim.status.phase === 'Lost' && conditionOf(claim) !== undefined);
    });
    await delay(SEVERAL_SYNCS);
    assert.equal((await scene.claim('again')).status.phase, 'Lost');
    assert.equal((await scene.claim('written')).status.phase, 'Lost');
  });

  test('a claim younger than the grace is left to the syncer', async () => {
    await watch.stop();
    const patient = new RunningCli(['watch', '--sync', '--grace=1h', '-A', '-o', 'name'], {
      KUBECONFIG: scene.fleet.kubeconfig,
    });
    await patient.line('watching', { stream: 'stderr' });
    await claimRecreated(scene.fleet, scene.tenant, NAMESPACE, 'young');
    const { resourceVersion } = (await scene.claim('young')).metadata;
    await delay(SEVERAL_SYNCS);
    assert.equal((await scene.claim('young')).metadata.resourceVersion, resourceVersion);
    const { stdout } = await patient.stop();
    assert.doesNotMatch(stdout, /young/);
  });

  test('SIGTERM while claims are being written finishes what is in flight: all or nothing of each', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => createBoundPair(scene.fleet, scene.tenant, NAMESPACE, name)));
    await Promise.all(names.map((name) => volumeDeleted(scene.fleet, scene.tenant, NAMESPACE, name)));
    const last = new RunningCli(['watch', '--sync', '--hold', '--grace=0', '-A', '-o', 'json'], {
      KUBECONFIG: scene.fleet.kubeconfig,
    });
    await eventually('the first to be written', async () => {
      const claims = await Promise.all(names.map((name) => scene.claim(name)));
      return claims.some((claim) => conditionOf(claim) !== undefined);
    });
    const { code, stderr } = await last.stop();
    assert.equal(code, 0, stderr);
    for (const name of names) {
      const claim = await scene.claim(name);
      const isHeld = conditionOf(claim) !== undefined;
      assert.equal(claim.status.phase, isHeld ? 'Lost' : 'Bound');
      assert.equal((await scene.eventsOf(name)).length, isHeld ? 1 : 0, `the Event of ${name}`);
    }
  });

  test('nothing in the super cluster was written, by all that was done', async () => {
    assert.deepEqual(await versionsOf(['calm']), bystanders);
    const { items } = await scene.fleet.super.api.get('/api/v1/persistentvolumeclaims');
    const managers = new Set(
      items.flatMap(({ metadata }: Json) => metadata.managedFields.map(({ manager }: Json) => manager)),
    );
    assert.equal(managers.has('vc-pvc'), false, [...managers].join());
  });
});

function isOurs({ manager }: Json): boolean {
  return manager === 'vc-pvc';
}

function policyIsGone(): Promise<unknown> {
  return eventually('the policy and its binding to be gone', async () => {
    const found = await Promise.all([POLICY, BINDING].map((path) => scene.tenant.plane.api.find(path)));
    return found.every((one) => one === null);
  });
}
