/** Replicas as real processes, their leases on a real API server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { load } from 'js-yaml';
import type { Json } from '../control-plane/api.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/eventually.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import { ReplicaGroup } from '../control-plane/replica-group.ts';
import { startStorage } from '../control-plane/storage.ts';
import type { Storage } from '../control-plane/storage.ts';

/** Milliseconds: long enough for a machine that is busy, short enough to wait for. */
const LEASE_DURATION = 6_000;
/** What must not wait for a lease to run out is given less than that. */
const LONG_LEASE = 60_000;
const AT_ONCE = 40_000;
const ROLE = new URL('../../plugin/deploy/rbac-replicas.yaml', import.meta.url);

let storage: Storage;
let plane: ControlPlane;
let kubeconfig: string;
let group: ReplicaGroup;

/** A group in a namespace of its own, whose user may do what the published Role grants. */
async function groupIn(namespace: string, leaseDuration = LEASE_DURATION): Promise<ReplicaGroup> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await plane.api.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.api.create(`${rbac}/roles`, load(await readFile(ROLE, 'utf8')) as object);
  await plane.api.create(`${rbac}/rolebindings`, {
    metadata: { name: 'vc-pvc-replicas' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'vc-pvc-replicas' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'replica' }],
  });
  group = new ReplicaGroup({ kubeconfig, namespace, leaseDuration });
  return group;
}

function leases(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

async function leasesIn(namespace: string): Promise<Json[]> {
  return (await plane.api.get(leases(namespace))).items;
}

describe('replicas on a real API server', () => {
  before(async () => {
    storage = await startStorage();
    plane = await ControlPlane.start({ name: 'super', storage, controllerManager: false });
    kubeconfig = await writeKubeconfig(storage, 'replica', await plane.kubeconfigFor('replica'));
  });
  afterEach(() => group?.stop());
  after(async () => {
    await plane?.stop();
    await storage?.stop();
  });

  test('two and then three divide 100 tenants, and when one is killed the others write what was its', async () => {
    const replicas = await groupIn('killed');
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two]);
    const three = replicas.start('three');
    await replicas.divided([one, two, three]);
    for (const { last } of [one, two, three]) assert.ok((last?.writable.length ?? 0) > 15);
    const before = [one, two].map(({ last }) => last?.writable ?? []);
    await three.kill();
    await replicas.divided([one, two]);
    for (const [index, { last }] of [one, two].entries()) {
      const kept = before[index]?.every((tenant) => last?.writable.includes(tenant));
      assert.ok(kept, 'a tenant of a replica that lives has moved');
    }
    replicas.assertNeverTwo();
  });

  test('one that was stopped for longer than its lease writes nothing before it has announced itself again', async () => {
    const replicas = await groupIn('stopped');
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two]);
    const path = `${leases('stopped')}/vc-pvc-two`;
    const before = await plane.api.get(path);
    two.pause();
    const heard = two.history.length;
    await replicas.divided([one]);
    two.resume();
    await replicas.divided([one, two]);
    const said = two.history.slice(heard);
    assert.deepEqual(said[0]?.writable, [], 'the first that it says after it was stopped');
    assert.equal(said[0]?.holdsLease, false);
    const announced = await plane.api.get(path);
    assert.equal(announced.spec.leaseTransitions, before.spec.leaseTransitions + 1);
    const early = said.filter(
      ({ time, writable }) => writable.length > 0 && time < Date.parse(announced.spec.acquireTime),
    );
    assert.deepEqual(early, []);
    assert.match(two.troubles.join('\n'), /^replica two: its lease ran out or was lost/);
    replicas.assertNeverTwo();
  });

  test('one that leaves is followed without waiting for its lease, and the last one leaves no lease behind', async () => {
    const replicas = await groupIn('left', LONG_LEASE);
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two], AT_ONCE);
    assert.equal(await two.leave(), 0);
    await replicas.divided([one], AT_ONCE);
    assert.equal(await one.leave(), 0);
    assert.deepEqual(await leasesIn('left'), []);
    assert.deepEqual([...one.troubles, ...two.troubles], []);
    replicas.assertNeverTwo();
  });

  test('a second process of the same name writes nothing and says why, until the first is dead', async () => {
    const replicas = await groupIn('twins');
    const first = replicas.start('same');
    await replicas.divided([first]);
    const second = replicas.start('same');
    await eventually('the second to say why it writes nothing', () =>
      Promise.resolve(second.troubles.length > 0 && second.last !== undefined),
    );
    assert.match(
      second.troubles[0] ?? '',
      /^replica same acts on nothing: its Lease vc-pvc-same is held by another process \(same_[-0-9a-f]+\); give each/,
    );
    assert.deepEqual(second.last?.owned, []);
    await first.kill();
    await replicas.divided([second]);
    replicas.assertNeverTwo();
  });

  test('a Lease of its name that is not a replica’s is left as it is, and that is told until it is gone', async () => {
    const replicas = await groupIn('foreign');
    const theirs = { metadata: { name: 'vc-pvc-one' }, spec: { holderIdentity: 'somebody' } };
    const { metadata } = await plane.api.create(leases('foreign'), theirs);
    const one = replicas.start('one');
    await eventually('it to say why it writes nothing', () => Promise.resolve(one.troubles.length > 0));
    assert.match(
      one.troubles[0] ?? '',
      /^replica one acts on nothing: Lease vc-pvc-one has not the labels of a replica's \(app\.\S+\) and is left as it is; delete it/,
    );
    const path = `${leases('foreign')}/vc-pvc-one`;
    assert.equal((await plane.api.get(path)).metadata.resourceVersion, metadata.resourceVersion);
    await plane.api.delete(path);
    await replicas.divided([one]);
    assert.equal(one.troubles.length, 1, one.troubles.join('\n'));
  });

  test('without the API server nothing is written, and everything again once it is back', async () => {
    const replicas = await groupIn('outage');
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two]);
    await plane.stopApiserver();
    await eventually('both to write nothing', () =>
      Promise.resolve([one, two].every(({ last }) => last?.writable.length === 0)),
    );
    const owned = [one, two].map(({ last }) => last?.owned);
    await plane.startApiserver();
    await replicas.divided([one, two]);
    assert.deepEqual(
      [one, two].map(({ last }) => last?.owned),
      owned,
    );
    assert.match(
      one.troubles.join('\n'),
      /^cannot get \/apis\/coordination.k8s.io\/.*: connection refused$/m,
    );
    assert.match(one.troubles.join('\n'), /^replica one: its lease ran out or was lost/m);
    replicas.assertNeverTwo();
  });

  test('a lease that somebody deletes is announced anew, and nobody writes in its place meanwhile', async () => {
    const replicas = await groupIn('deleted');
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two]);
    const path = `${leases('deleted')}/vc-pvc-one`;
    const { metadata } = await plane.api.get(path);
    await plane.api.delete(path);
    await eventually('another lease', async () => {
      const lease = await plane.api.find(path);
      return lease !== null && lease.metadata.uid !== metadata.uid;
    });
    await replicas.divided([one, two]);
    replicas.assertNeverTwo();
  });

  test('the lease of one that is long dead is removed', async () => {
    const replicas = await groupIn('removed', 1_000);
    const [one, two] = [replicas.start('one'), replicas.start('two')];
    await replicas.divided([one, two]);
    await two.kill();
    await eventually(
      'its lease to be gone',
      async () => (await plane.api.find(`${leases('removed')}/vc-pvc-two`)) === null,
    );
    assert.equal((await leasesIn('removed')).length, 1);
    replicas.assertNeverTwo();
  });

  test('without the permission, the namespace or a usable name it says in one line what to do', async () => {
    const replicas = await groupIn('mistakes');
    const nameless = replicas.start('Not_A_Name');
    assert.equal(await nameless.ended(), 2);
    assert.deepEqual(nameless.troubles, [
      'error: cannot name a Lease after replica "Not_A_Name": set POD_NAME to a name of lower case letters, digits, "-" and ".", as a pod\'s',
    ]);
    const forbidden = new ReplicaGroup({ kubeconfig, namespace: 'default', leaseDuration: 6_000 }).start(
      'one',
    );
    assert.equal(await forbidden.ended(), 2);
    assert.match(
      forbidden.troubles.join('\n'),
      /^error: cannot get [^\n]*; grant Role vc-pvc-replicas of plugin\/deploy\/rbac-replicas.yaml in namespace default$/,
    );
    const admin = await writeKubeconfig(storage, 'admin', plane.adminKubeconfig);
    const nowhere = new ReplicaGroup({
      kubeconfig: admin,
      namespace: 'nowhere',
      leaseDuration: 6_000,
    }).start('one');
    assert.equal(await nowhere.ended(), 2);
    assert.match(
      nowhere.troubles.join('\n'),
      /^error: cannot create [^\n]*; create namespace nowhere, or name another with --replicas-lease-namespace$/,
    );
  });
});
