/** How watch is narrowed, printed and ended. Two tenants, no controllers: phases are what the test writes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import type { Tenant } from '../control-plane/fleet.ts';
import { bindRole } from '../control-plane/roles.ts';
import { createNamespace } from '../control-plane/syncer.ts';
import { WatchedFleet, tells } from '../control-plane/watched-fleet.ts';
import type { WatchLine } from '../control-plane/watched-fleet.ts';
import { runCli } from '../support/run-cli.ts';

let scene: WatchedFleet;
let first: Tenant;
let second: Tenant;

describe('watch', () => {
  before(async () => {
    scene = await WatchedFleet.start();
    [first, second] = scene.tenants;
    await createNamespace(scene.fleet, first, 'office');
    await Promise.all([
      scene.pair(first, 'broken', 'Lost'),
      scene.pair(first, 'elsewhere', 'Lost', 'office'),
      scene.pair(second, 'calm', 'Bound'),
      scene.unsynced(second, 'waiting', { tier: 'gold' }),
    ]);
  });
  after(() => scene?.stop());

  /** The rows of its first look. */
  const names = async (...args: readonly string[]): Promise<string[]> => {
    const watch = scene.watch('-o', 'name', ...args);
    await watch.line('watching', { stream: 'stderr' });
    const { stdout } = await watch.stop();
    return stdout.split('\n').filter((line) => line !== '');
  };

  test('looks where it is told to: VirtualClusters, their namespace, tenant namespaces, labels', async () => {
    const all = ['default/first/office/elsewhere', 'default/first/shop/broken', 'team-b/second/shop/waiting'];
    const seen = await Promise.all([
      names('-A'),
      names('-n', 'team-b'),
      names('-A', 'team-b/second'),
      names('-A', '--tenant-namespace', 'shop'),
      names('-A', '-l', 'tier=gold'),
    ]);
    assert.deepEqual(seen, [all, all.slice(2), all.slice(2), all.slice(1), all.slice(2)]);
  });

  test('ends with 0 where nothing is mismatched when its time is up, else with 1', async () => {
    const args = ['watch', '-A', '--grace=0', '--timeout=5s', '--tenant-namespace'];
    assert.equal((await scene.run(...args, 'default')).code, 0);
    assert.equal((await scene.run(...args, 'shop')).code, 1);
  });

  test('warns of a tenant namespace that there is not yet, or never was: it ends as without', async () => {
    const namespaces = ['default', 'sohp', 'shop'].map((name) => `--tenant-namespace=${name}`);
    const seen = await scene.run('watch', '-A', '--grace=0', '--timeout=5s', ...namespaces);
    assert.equal(seen.code, 1);
    assert.deepEqual(
      seen.stderr.split('\n').filter((line) => line.startsWith('warning: ')),
      [
        'warning: --tenant-namespace sohp: no VirtualCluster that was looked at has such a namespace, did you mean "shop"?',
      ],
    );
  });

  test('leaves a young claim alone until its grace is over', async () => {
    const watch = scene.watch('-A', '--grace=5s', '--output-watch-events', '-o', 'json');
    await watch.line('watching', { stream: 'stderr' });
    await scene.pair(second, 'young', 'Lost');
    const { object } = await watch.object<WatchLine>(tells('young', 'ADDED', 'SuperNotBound'));
    const born = object.super?.creationTimestamp ?? '';
    assert.ok(Date.parse(object.time) - Date.parse(born) >= 5_000, `born ${born}, told ${object.time}`);
    await scene.superPhase(second, 'young', 'Bound');
    await watch.object<WatchLine>(tells('young', 'DELETED', 'Consistent'));
    assert.equal((await watch.stop()).code, 0, 'after SIGTERM');
  });

  test('--once-consistent ends with 0 as soon as the fleet is consistent, and not before', async () => {
    const waiting = scene.watch(
      '-A',
      '--once-consistent',
      '--tenant-namespace=office',
      '--output-watch-events',
    );
    await waiting.line('1 mismatch so far', { stream: 'stderr' });
    await waiting.line('elsewhere');
    await scene.superPhase(first, 'elsewhere', 'Bound', 'office');
    const { code, stdout } = await waiting.end();
    assert.equal(code, 0);
    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    assert.match(header, /^EVENT +VIRTUALCLUSTER +NAMESPACE +CLAIM +TENANT +SUPER +VERDICT +CAUSE +AGE$/);
    assert.match(rows[0] ?? '', /^ADDED +default\/first +office +elsewhere +Bound +Lost +SuperNotBound /);
    assert.match(rows.at(-1) ?? '', /^DELETED +default\/first +office +elsewhere +Bound +Bound +Consistent /);
  });

  test('--once-consistent waits for a claim that is too young to tell', async () => {
    await scene.pair(first, 'settling', 'Lost', 'office');
    const args = ['watch', '-A', '--tenant-namespace=office', '--once-consistent'];
    const young = await scene.run(...args, '--grace=1h', '--timeout=5s');
    // Too young to count, and too young to call the fleet consistent: what was waited for did not come about.
    assert.equal(young.code, 1);
    assert.equal(young.stdout, '');
    const { code } = await scene.run(...args, '--grace=0', '--timeout=5s');
    assert.equal(code, 1);
  });

  test('--once-consistent does not take a fleet without tenants for one in which all is well', async () => {
    const { code, stderr } = await scene.run('watch', '-n', 'nosuch', '--once-consistent', '--timeout=5s');
    assert.equal(code, 1);
    assert.match(stderr, /no VirtualCluster is Running here yet/);
  });

  test('a VirtualCluster that is not Running is not taken for a super cluster without any', async () => {
    await scene.addVirtualCluster('stopped', '');
    await scene.setVirtualClusterPhase('stopped', 'Pending');
    const watch = scene.watch('-A', 'default/stopped');
    await watch.line('watching: none of 2 Running VirtualClusters is ours to watch yet', {
      stream: 'stderr',
    });
    await watch.stop();
    await scene.removeVirtualCluster('stopped');
  });

  test('a tenant that lets claims be listed but not read hides no mismatch: one line, and 2', async () => {
    const api = '/apis/rbac.authorization.k8s.io/v1';
    await first.plane.api.create(`${api}/clusterroles`, {
      metadata: { name: 'lister' },
      rules: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['list', 'watch'] }],
    });
    await bindRole(first.plane, 'lister', 'lister');
    const { kubeconfig, storage } = scene.fleet;
    const file = await writeKubeconfig(storage, 'lister', await first.plane.kubeconfigFor('lister'));
    const { code, stdout, stderr } = await runCli(
      [
        'watch',
        'default/first',
        '-A',
        '--grace=0',
        '--timeout=5s',
        `--tenant-kubeconfig=default/first=${file}`,
      ],
      { KUBECONFIG: kubeconfig },
    );
    assert.match(
      stderr,
      /^error: default\/first: cannot get \S+ of tenant default\/first: .*"lister" cannot get/m,
    );
    assert.equal(stderr.split('\n').filter((line) => line.startsWith('error:')).length, 1, stderr);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  });

  test('a super cluster that does not let its claims be listed is told in one line', async () => {
    const text = await scene.fleet.super.kubeconfigFor('nobody');
    const { code, stdout, stderr } = await scene.asUser('nobody', text, 'watch', '-A');
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^error: .*nobody.*\n$/);
    await scene.grant('half', [
      { apiGroups: ['tenancy.x-k8s.io'], resources: ['virtualclusters'], verbs: ['list', 'watch'] },
    ]);
    const half = await scene.asUser('half', await scene.fleet.super.kubeconfigFor('half'), 'watch', '-A');
    assert.equal(half.code, 2);
    assert.match(half.stderr, /^error: .*persistentvolumeclaims.*\n$/);
  });
});
