/** `explain` on real control planes: every fault that check tells, and every way to name a claim. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { load } from 'js-yaml';
import { FAULTS } from '../control-plane/faults.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { bindRole, createRoles } from '../control-plane/roles.ts';
import { createBoundPair, createClass, createNamespace, eventOf, paths } from '../control-plane/syncer.ts';
import type { ExplanationWithHints } from '../../src/output/print-explanation.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

let fleet: Fleet;
let first: Tenant;
let second: Tenant;

function explain(args: readonly string[], kubeconfig = fleet.kubeconfig): Promise<Finished> {
  return runCli(['explain', '--grace=0', ...args], { KUBECONFIG: kubeconfig });
}

async function explained(...args: string[]): Promise<ExplanationWithHints & { remedy: { command: string } }> {
  const { stdout, stderr } = await explain([...args, '-o', 'json']);
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ExplanationWithHints & { remedy: { command: string } };
}

async function refused(args: readonly string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await explain(args);
  assert.equal(code, 2, stdout);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
}

describe('explain on real control planes', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1', 'team-b/staging'] });
    const [one, other] = fleet.tenants;
    assert.ok(one !== undefined && other !== undefined);
    [first, second] = [one, other];
    await Promise.all([fleet.super, first.plane, second.plane].map((plane) => createClass(plane)));
    for (const tenant of fleet.tenants) {
      await createNamespace(fleet, tenant, 'shop');
      await createBoundPair(fleet, tenant, 'shop', 'healthy');
    }
    for (const { name, make } of FAULTS) {
      await createBoundPair(fleet, first, 'shop', name);
      await make(fleet, first, 'shop', name);
    }
  });
  after(() => fleet?.stop());

  for (const { name, verdict, cause } of FAULTS) {
    test(`${name} is explained as ${verdict}, ${cause}, with exit code 1`, async () => {
      const { code, stdout, stderr } = await explain([`shop/${name}`]);
      assert.equal(code, 1, stderr);
      assert.equal(stderr, '');
      assert.match(
        stdout,
        new RegExp(`^ {2}${verdict}, ${cause}: see docs/causes\\.md#${cause.toLowerCase()}$`, 'm'),
      );
      assert.match(stdout, / ✗ /);
    });
  }

  test('a newcomer reads what to run, where, and at which risk', async () => {
    const { stdout } = await explain(['shop/volume-name-cleared']);
    const at = paths(first, 'shop', 'volume-name-cleared');
    assert.match(
      stdout,
      /^✗ The tenant reads Bound, but the super claim is Lost: it was bound before, and\n/,
    );
    assert.match(stdout, /The disk is safe\. One command mends it\./);
    assert.match(stdout, /Risk: low\. It deletes nothing/);
    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /Run it against the SUPER CLUSTER, context "super" \(https:\/\/127\.0\.0\.1:\d+\)/,
    );
    const unbroken = stdout.replaceAll(/ \\\n {2}/g, ' ').replaceAll(/,\n {3}"value"/g, ',"value"');
    const volume = 'pv-vc-sample-1-volume-name-cleared';
    for (const start of [`patch pv ${volume}`, `-n ${at.superNamespace} patch pvc volume-name-cleared`]) {
      assert.ok(unbroken.includes(`\nkubectl --context super ${start} --type=json -p '[\n`), stdout);
    }
    assert.match(
      unbroken,
      /\{"op":"add","path":"\/spec\/volumeName","value":"pv-vc-sample-1-volume-name-cleared"\}\]'\n\n/,
    );
  });

  test('a claim that is in order exits 0 and says so', async () => {
    const { code, stdout } = await explain(['default/vc-sample-1/shop/healthy']);
    assert.equal(code, 0);
    assert.match(stdout, /^✓ Nothing is wrong: both sides are Bound to volume pv-vc-sample-1-healthy\./);
  });

  test('within the grace period a mismatch is settling and exits 0', async () => {
    const { code, stdout } = await runCli(['explain', 'shop/volume-deleted', '--grace=1h'], {
      KUBECONFIG: fleet.kubeconfig,
    });
    assert.equal(code, 0);
    assert.match(stdout, /SuperNotBound \(settling\)/);
    assert.match(stdout.replaceAll(/\s+/g, ' '), /younger than the grace period/);
  });

  test('a super claim names its pair, in both forms', async () => {
    const { superNamespace } = paths(second, 'shop', 'healthy');
    for (const words of [[`${superNamespace}/healthy`], ['pvc/healthy', '-n', superNamespace]]) {
      const { virtualCluster, tenant } = await explained(...words);
      assert.deepEqual(
        [virtualCluster.name, tenant?.namespace, tenant?.name],
        ['staging', 'shop', 'healthy'],
      );
    }
  });

  test('a claim in several VirtualClusters is refused with all of them', () =>
    refused(
      ['shop/healthy'],
      /in several VirtualClusters: default\/vc-sample-1\/shop\/healthy, team-b\/staging\/shop\/healthy; name it/,
    ));

  test('-n narrows to the VirtualClusters of one namespace', async () => {
    const { virtualCluster } = await explained('shop/healthy', '-n', 'team-b');
    assert.equal(virtualCluster.name, 'staging');
  });

  test('a claim that is not there is answered with the nearest name', () =>
    refused(
      ['shop/healhty'],
      /claim shop\/healhty not found in any of 2 VirtualClusters, did you mean "shop\/healthy"\?/,
    ));

  test('a claim of another namespace is answered with where it is', () =>
    refused(['a-namespace-quite-unlike-it/volume-deleted'], /not found.*; there is shop\/volume-deleted/));

  test('a VirtualCluster that is not there is named', () =>
    refused(['nosuch/shop/healthy'], /VirtualCluster nosuch not found; visible are default\/vc-sample-1/));

  test('a word that names no claim is answered with the form', () =>
    refused(['healthy'], /which claim\? give \[VIRTUALCLUSTER\/\]NAMESPACE\/CLAIM/));

  test('pvc/NAME without a namespace is refused', () =>
    refused(['pvc/healthy'], /pvc\/healthy needs the claim's namespace: -n NAMESPACE/));

  test('a super claim that belongs to no tenant does not stand in for one', async () => {
    await fleet.super.api.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    await fleet.super.api.create('/api/v1/namespaces/shop/persistentvolumeclaims', {
      metadata: { name: 'volume-deleted' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'none',
      },
    });
    const { virtualCluster, verdict } = await explained('shop/volume-deleted');
    assert.deepEqual([virtualCluster.name, verdict], ['vc-sample-1', 'SuperNotBound']);
  });

  test('a super claim without a tenant claim is explained as an orphan, exit code 0', async () => {
    const { superList, superNamespace } = paths(second, 'shop', 'orphan');
    const owner = await fleet.super.api.get(paths(second, 'shop', 'healthy').super);
    await fleet.super.api.create(superList, {
      metadata: {
        name: 'orphan',
        annotations: { ...owner.metadata.annotations, 'tenancy.x-k8s.io/uid': 'gone' },
      },
      spec: owner.spec,
    });
    for (const place of [`${superNamespace}/orphan`, 'staging/shop/orphan']) {
      const { code, stdout } = await explain([place]);
      assert.equal(code, 0);
      assert.match(stdout, /The super claim has no tenant claim, and the syncer is going to delete it\./);
    }
  });

  test('events are shown, and called a hint', async () => {
    const { superNamespace } = paths(first, 'shop', 'class-missing');
    await eventOf(fleet.super, superNamespace, 'class-missing', 'ProvisioningFailed');
    const { stdout } = await explain(['shop/class-missing']);
    assert.match(stdout, /^Events \(a hint only: they expire, and prove nothing\)$/m);
    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /super claim, .* ago.*: Warning ProvisioningFailed: .*no-such-class/,
    );
  });

  test('the command repeats the flags that were given, names the context, and holds no token', async () => {
    const config = load(await readFile(fleet.kubeconfig, 'utf8')) as {
      'current-context': string;
      contexts: { name: string }[];
    };
    const [context] = config.contexts;
    assert.ok(context !== undefined);
    context.name = "it's $HOME's";
    config['current-context'] = context.name;
    const file = await writeKubeconfig(fleet.storage, 'with a blank', JSON.stringify(config));
    const { remedy } = await explained(
      'shop/claim-recreated',
      `--kubeconfig=${file}`,
      '--as=admin',
      '--as-group=system:masters',
      '--token=abc-secret',
    );
    const flags = `--kubeconfig '${file}' --as admin --as-group system:masters --context 'it'\\''s $HOME'\\''s'`;
    assert.equal(remedy.command.split(flags).length, 3, remedy.command);
    assert.doesNotMatch(JSON.stringify(remedy), /abc-secret/);
  });

  test('a user with the published roles sees everything, events included', async () => {
    const kubeconfig = await writeKubeconfig(
      fleet.storage,
      'reader',
      await fleet.super.kubeconfigFor('reader'),
    );
    await createRoles(fleet.super, 'rbac-super.yaml');
    for (const name of ['vc-pvc-reader', 'vc-pvc-tenant-kubeconfigs']) {
      await bindRole(fleet.super, name, 'reader');
    }
    const { code, stdout, stderr } = await explain(['shop/class-missing'], kubeconfig);
    assert.equal(code, 1);
    assert.equal(stderr, '');
    assert.match(stdout, /^Events/m);
  });

  test('a tenant that cannot be searched is told, and costs nothing else', async () => {
    await second.plane.stopApiserver();
    const { code, stdout, stderr } = await explain(['shop/volume-deleted']);
    assert.equal(code, 1);
    assert.match(stdout, /VolumeDeleted/);
    assert.match(stderr, /^warning: team-b\/staging was not searched: cannot reach the tenant's API server/);
    const missing = await explain(['shop/nothing-like-it']);
    assert.equal(missing.code, 2);
    assert.match(
      missing.stderr,
      /^error: claim .* not found in the VirtualCluster \(1 more could not be searched\)/m,
    );
  });
});
