/** The harness itself: what it starts is real, what it breaks is broken as it says, and nothing of it stays. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/eventually.ts';
import { FAULTS } from '../control-plane/faults.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { startStorage } from '../control-plane/storage.ts';
import {
  createBoundPair,
  createClass,
  createNamespace,
  createPendingClaim,
  paths,
  phaseOf,
} from '../control-plane/syncer.ts';

const PROCESSES_MODULE = new URL('../control-plane/processes.ts', import.meta.url).href;

/** Phases of tenant claim, tenant volume, super claim, super volume; null where there is none. */
type Phases = readonly [string | null, string | null, string | null, string | null];

const AFTER_FAULT: Readonly<Record<string, Phases>> = {
  'claim-recreated': ['Bound', 'Bound', 'Pending', 'Released'],
  'volume-name-cleared': ['Bound', 'Bound', 'Lost', 'Bound'],
  'volume-deleted': ['Bound', 'Bound', 'Lost', null],
  'class-missing': ['Bound', 'Bound', 'Pending', 'Released'],
  'super-claim-deleted': ['Bound', 'Bound', null, 'Released'],
  'tenant-claim-recreated': ['Bound', 'Bound', 'Bound', 'Bound'],
};

let fleet: Fleet;
let tenant: Tenant;

async function phasesOf(name: string): Promise<Phases> {
  const at = paths(tenant, 'shop', name);
  const volume = `/api/v1/persistentvolumes/pv-${tenant.name}-${name}`;
  const phase = async (plane: ControlPlane, path: string): Promise<string | null> =>
    (await plane.api.find(path))?.status.phase ?? null;
  return Promise.all([
    phase(tenant.plane, at.tenant),
    phase(tenant.plane, volume),
    phase(fleet.super, at.super),
    phase(fleet.super, volume),
  ]);
}

describe('a fleet of real control planes', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'] });
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    tenant = first;
    await Promise.all([createClass(fleet.super), createClass(tenant.plane)]);
    await createNamespace(fleet, tenant, 'shop');
    await createBoundPair(fleet, tenant, 'shop', 'healthy');
  });
  after(() => fleet?.stop());

  test('says its Kubernetes version and serves both kinds of VirtualCluster', async () => {
    assert.equal((await fleet.super.api.get('/version')).gitVersion, 'v1.37.2');
    const { resources } = await fleet.super.api.get('/apis/tenancy.x-k8s.io/v1alpha1');
    assert.deepEqual(
      resources
        .map(({ name, namespaced }: { name: string; namespaced: boolean }) => [name, namespaced])
        .sort(),
      [
        ['clusterversions', false],
        ['virtualclusters', true],
      ],
    );
  });

  test('a healthy pair is Bound on both sides, the super claim marked with the tenant claim', async () => {
    assert.deepEqual(await phasesOf('healthy'), ['Bound', 'Bound', 'Bound', 'Bound']);
    const at = paths(tenant, 'shop', 'healthy');
    const [own, copy] = await Promise.all([tenant.plane.api.get(at.tenant), fleet.super.api.get(at.super)]);
    assert.equal(copy.metadata.annotations['tenancy.x-k8s.io/uid'], own.metadata.uid);
    for (const claim of [own, copy]) {
      // What only the real PV controller writes.
      assert.equal(claim.metadata.annotations['pv.kubernetes.io/bind-completed'], 'yes');
    }
  });

  test('a claim that no volume fits is Pending on both sides', async () => {
    await createPendingClaim(fleet, tenant, 'shop', 'too-large');
    assert.deepEqual(await phasesOf('too-large'), ['Pending', null, 'Pending', null]);
  });

  for (const { name, make } of FAULTS) {
    test(`after ${name} the phases are ${AFTER_FAULT[name]?.map((phase) => phase ?? 'none').join(', ')}`, async () => {
      await createBoundPair(fleet, tenant, 'shop', name);
      await make(fleet, tenant, 'shop', name);
      assert.deepEqual(await phasesOf(name), AFTER_FAULT[name]);
      await controllersHavePassed();
      assert.deepEqual(await phasesOf(name), AFTER_FAULT[name]);
    });
  }

  test('a phase written over the tenant PV controller is put right, a condition beside it is kept', async () => {
    const at = paths(tenant, 'shop', 'healthy').tenant;
    const condition = { type: 'example.com/Kept', status: 'False', lastTransitionTime: null };
    await tenant.plane.api.patch(
      `${at}/status`,
      { status: { phase: 'Lost', conditions: [condition] } },
      'application/strategic-merge-patch+json',
    );
    const claim = await phaseOf(tenant.plane, at, 'Bound');
    assert.ok(claim.status.conditions.some(({ type }: { type: string }) => type === 'example.com/Kept'));
  });

  test('without its controller manager a phase stays as written, and with it again it is put right', async () => {
    const at = paths(tenant, 'shop', 'healthy').tenant;
    await tenant.plane.stopControllerManager();
    await tenant.plane.api.patch(`${at}/status`, { status: { phase: 'Lost' } });
    // The super cluster's controllers go on: their passing shows that time did.
    await controllersHavePassed();
    assert.equal((await tenant.plane.api.get(at)).status.phase, 'Lost');
    await tenant.plane.startControllerManager();
    await phaseOf(tenant.plane, at, 'Bound');
  });

  test('a stale replace and a delete of another uid are refused', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const { api } = fleet.super;
    const created = await api.create(path, { metadata: { name: 'notes' }, data: { a: '1' } });
    const replaced = await api.replace(`${path}/notes`, { ...created, data: { a: '2' } });
    assert.deepEqual(replaced.data, { a: '2' });
    await assert.rejects(api.replace(`${path}/notes`, { ...created, data: { a: '3' } }), { code: 409 });
    await assert.rejects(api.delete(`${path}/notes`, { preconditions: { uid: 'another' } }), { code: 409 });
    assert.deepEqual((await api.get(`${path}/notes`)).data, { a: '2' });
  });

  test('an API server that was stopped comes back at the same address with the same objects', async () => {
    const before = await tenant.plane.api.get(paths(tenant, 'shop', 'healthy').tenant);
    await tenant.plane.stopApiserver();
    await assert.rejects(tenant.plane.api.get('/version'));
    await tenant.plane.startApiserver();
    const again = await tenant.plane.api.get(paths(tenant, 'shop', 'healthy').tenant);
    assert.equal(again.metadata.uid, before.metadata.uid);
  });

  test('what was broken is still broken after the controllers have gone round many times', async () => {
    await controllersHavePassed();
    for (const { name } of FAULTS) assert.deepEqual(await phasesOf(name), AFTER_FAULT[name], name);
  });
});

describe('other fleets', () => {
  test('several VirtualClusters share a control plane without admission policies', async () => {
    const shared = await startFleet({
      tenants: ['team-a/one', 'team-a/two'],
      tenantPlanes: 1,
      tenantRuntimeConfig: 'admissionregistration.k8s.io/v1=false',
    });
    try {
      const [one, two] = shared.tenants;
      assert.ok(one !== undefined && two !== undefined);
      assert.equal(one.plane, two.plane);
      assert.notEqual(one.key, two.key);
      const { groups } = await one.plane.api.get('/apis');
      const names = new Set(groups.map(({ name }: { name: string }) => name));
      assert.ok(names.has('storage.k8s.io') && !names.has('admissionregistration.k8s.io'));
      await Promise.all([createClass(shared.super), createClass(one.plane)]);
      // In the one tenant API server both find the same namespace: each has its own in the super cluster.
      for (const each of [one, two]) {
        await createNamespace(shared, each, 'shop');
        await createBoundPair(shared, each, 'shop', `of-${each.name}`);
      }
    } finally {
      await shared.stop();
    }
    assert.ok(!existsSync(shared.storage.directory));
  });

  test('an API server that ends at once is told with its last words, at once', async () => {
    const storage = await startStorage();
    try {
      const started = Date.now();
      await assert.rejects(
        ControlPlane.start({ name: 'broken', storage, apiserverArgs: ['--no-such-flag'] }),
        /the API server of broken to be ready: it ended; .*unknown flag: --no-such-flag/s,
      );
      assert.ok(Date.now() - started < 20_000);
    } finally {
      await storage.stop();
    }
  });

  for (const [end, how] of [
    ['process.kill(process.pid, "SIGTERM")', 'is ended by SIGTERM'],
    ['process.kill(process.pid, "SIGINT")', 'is ended by SIGINT'],
    ['throw new Error("crash")', 'crashes'],
  ] as const) {
    test(`a process that ${how} leaves no daemon and no directory behind`, async () => {
      const { pid, path, code } = await endedWithDaemon(end);
      assert.notEqual(code, 0);
      await eventually('the daemon to be gone', async () => !isRunning(pid), 5_000);
      assert.ok(!existsSync(path));
    });
  }
});

/** Runs a process that starts a daemon, which would run for ever, and then ends as told. */
async function endedWithDaemon(end: string): Promise<{ pid: number; path: string; code: number | null }> {
  const script = `
    import { join } from 'node:path';
    import { startDaemon, temporaryDirectory, untilReady } from ${JSON.stringify(PROCESSES_MODULE)};
    const { path } = await temporaryDirectory();
    const program = 'console.log(process.pid); setInterval(() => {}, 1000)';
    const daemon = startDaemon(process.execPath, ['--eval', program], join(path, 'log'));
    await untilReady(daemon, 'its pid', async () => daemon.log() !== '');
    const started = JSON.stringify({ pid: Number(daemon.log()), path });
    process.stdout.write(started, () => setImmediate(() => { ${end} }));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  return { ...JSON.parse(printed), code };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

let passes = 0;

/** Binds a new pair in the super cluster's way: when it is Bound, its controllers have gone round after what was done. */
async function controllersHavePassed(): Promise<void> {
  passes += 1;
  const name = `pass-${passes}`;
  const { superList, superNamespace } = paths(tenant, 'shop', name);
  const path = '/api/v1/persistentvolumes';
  await fleet.super.api.create(path, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: '',
      hostPath: { path: '/data' },
      claimRef: { namespace: superNamespace, name },
    },
  });
  await fleet.super.api.create(superList, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
    },
  });
  await phaseOf(fleet.super, `${superList}/${name}`, 'Bound');
}
