/** What watch tells of a fleet that changes. Two tenants, no controllers: phases are what the test writes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Tenant } from '../control-plane/fleet.ts';
import { paths } from '../control-plane/syncer.ts';
import { NAMESPACE, WatchedFleet, tells } from '../control-plane/watched-fleet.ts';
import type { WatchLine } from '../control-plane/watched-fleet.ts';
import type { RunningCli } from '../support/running-cli.ts';

let scene: WatchedFleet;
let first: Tenant;
let second: Tenant;
let watch: RunningCli;

const next = (fits: (line: WatchLine) => boolean, from: number): Promise<WatchLine> =>
  watch.object<WatchLine>(fits, from);

describe('a watch', () => {
  before(async () => {
    scene = await WatchedFleet.start();
    [first, second] = scene.tenants;
    await Promise.all([
      scene.pair(first, 'calm', 'Bound'),
      scene.pair(first, 'broken', 'Lost'),
      scene.pair(first, 'doomed', 'Lost'),
      scene.pair(second, 'other', 'Bound'),
      scene.unsynced(second, 'waiting', { tier: 'gold' }),
    ]);
    watch = scene.watch('-A', '-o', 'json', '--output-watch-events');
    await watch.line('watching 5 claims of 2 VirtualClusters: 3 mismatches so far', { stream: 'stderr' });
  });
  after(async () => {
    await watch?.stop();
    await scene?.stop();
  });

  test('begins with exactly what check prints', async () => {
    const { stdout } = await scene.run('check', '-A', '--grace=0', '-o', 'json');
    const items = (JSON.parse(stdout) as { items: object[] }).items;
    const rows = watch.lines().map((line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: Record<string, unknown> };
      assert.equal(type, 'ADDED');
      const { apiVersion, kind, time, gone, outcome, message, ...item } = object;
      assert.deepEqual(
        { apiVersion, kind, gone, outcome, message },
        {
          apiVersion: 'vc-pvc.tenancy.x-k8s.io/v1alpha1',
          kind: 'ClaimState',
          gone: false,
          outcome: null,
          message: '',
        },
      );
      assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      return item;
    });
    assert.equal(rows.length, 3);
    assert.deepEqual(rows, items);
  });

  test('tells a claim that breaks, and that it is Consistent when it has healed', async () => {
    const from = watch.count;
    await scene.superPhase(first, 'calm', 'Lost');
    const broken = await next(tells('calm', 'ADDED'), from);
    assert.equal(broken.object.verdict, 'SuperNotBound');
    assert.equal(broken.object.super?.phase, 'Lost');
    await scene.superPhase(first, 'calm', 'Pending');
    await next((line) => tells('calm', 'MODIFIED')(line) && line.object.super?.phase === 'Pending', from);
    await scene.superPhase(first, 'calm', 'Bound');
    const healed = await next(tells('calm', 'DELETED'), from);
    assert.deepEqual([healed.object.verdict, healed.object.gone], ['Consistent', false]);
  });

  test('tells that a claim is gone', async () => {
    const from = watch.count;
    const at = paths(first, NAMESPACE, 'doomed');
    await first.plane.api.patch(at.tenant, { metadata: { finalizers: null } });
    await first.plane.api.delete(at.tenant);
    const gone = await next(tells('doomed', 'DELETED'), from);
    assert.equal(gone.object.gone, true);
  });

  test('tells another cause when the volume that it rests on has changed', async () => {
    const from = watch.count;
    await scene.fleet.super.api.patch('/api/v1/persistentvolumes/pv-broken', {
      metadata: { finalizers: null },
    });
    await scene.fleet.super.api.delete('/api/v1/persistentvolumes/pv-broken');
    const told = await next(tells('broken', 'MODIFIED'), from);
    assert.equal(told.object.cause?.code, 'VolumeDeleted');
  });

  test('follows a VirtualCluster that comes, stops Running, runs again and goes', async () => {
    let from = watch.count;
    const ofThird = (type: WatchLine['type']) => (line: WatchLine) =>
      line.object.virtualCluster.name === 'third' && tells('waiting', type)(line);
    await scene.addVirtualCluster('third', second.plane.adminKubeconfig);
    assert.equal((await next(ofThird('ADDED'), from)).object.verdict, 'NotSynced');
    await scene.setVirtualClusterPhase('third', 'Pending');
    assert.equal((await next(ofThird('DELETED'), from)).object.gone, true);
    from = watch.count;
    await scene.setVirtualClusterPhase('third', 'Running');
    await next(ofThird('ADDED'), from);
    await scene.removeVirtualCluster('third');
    await next(ofThird('DELETED'), from);
  });

  test('goes on with the others while a tenant is down, and misses nothing of it', async () => {
    const from = watch.count;
    await second.plane.stopApiserver();
    await watch.line(
      (line) => line.startsWith('error: team-b/second: ') && line.includes('next attempt in'),
      { stream: 'stderr' },
    );
    await scene.superPhase(first, 'calm', 'Lost');
    await next(tells('calm', 'ADDED'), from);
    await scene.superPhase(second, 'other', 'Lost');
    const { code, stderr } = await scene.run('watch', '-A', '--grace=0', '--timeout=5s');
    assert.equal(code, 2, stderr);
    await second.plane.startApiserver();
    await watch.line('team-b/second: reached again', { stream: 'stderr' });
    await next(tells('other', 'ADDED', 'SuperNotBound'), from);
    await scene.superPhase(second, 'other', 'Bound');
    await next(tells('other', 'DELETED', 'Consistent'), from);
  });

  test('takes a renewed kubeconfig at once: other credentials, and another address', async () => {
    const from = watch.count;
    const nobody = await second.plane.kubeconfigFor('nobody');
    const strangers = nobody.replace(/"certificate-authority-data":"[^"]+"/, (one) => {
      return first.plane.adminKubeconfig.match(/"certificate-authority-data":"[^"]+"/)?.[0] ?? one;
    });
    const { key } = await scene.addVirtualCluster('moving', strangers);
    await watch.line((line) => line.startsWith('error: default/moving: '), { stream: 'stderr' });
    const ofMoving = (name: string, type: WatchLine['type']) => (line: WatchLine) =>
      line.object.virtualCluster.name === 'moving' && tells(name, type)(line);
    await scene.renewKubeconfig(key, second.plane.adminKubeconfig);
    await watch.line('default/moving: reached again', { stream: 'stderr' });
    await next(ofMoving('waiting', 'ADDED'), from);
    await scene.renewKubeconfig(key, first.plane.adminKubeconfig);
    await next(ofMoving('calm', 'ADDED'), from);
    assert.equal((await next(ofMoving('waiting', 'DELETED'), from)).object.gone, true);
    await scene.removeVirtualCluster('moving');
    await next(ofMoving('calm', 'DELETED'), from);
  });

  test('prints one object a line, nothing else, to its end: Ctrl-C, 130', async () => {
    watch.signal('SIGINT');
    const { code, stdout } = await watch.end();
    assert.equal(code, 130);
    const rows = new Set<string>();
    for (const line of stdout.trimEnd().split('\n')) {
      const { type, object } = JSON.parse(line) as WatchLine;
      const name = `${object.virtualCluster.name} ${object.tenant.name}`;
      assert.equal(rows.has(name), type !== 'ADDED', `${type} ${name}`);
      if (type === 'DELETED') rows.delete(name);
      else rows.add(name);
    }
    // What another watch that begins now says.
    const { stdout: now } = await scene.run('watch', '-A', '--grace=0', '--timeout=2s', '-o', 'name');
    const names = now
      .trimEnd()
      .split('\n')
      .map((line) => line.split('/'));
    assert.deepEqual(
      names.map(([, virtualCluster, , claim]) => `${virtualCluster} ${claim}`),
      [...rows].sort(),
    );
  });
});
