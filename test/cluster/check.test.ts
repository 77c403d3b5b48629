/** `check` on real control planes: a super cluster and two tenants, each with its own PV controller. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import type { ClaimReport } from '../../src/reconcile/report.ts';
import { binaries } from '../control-plane/build.ts';
import { FAULTS } from '../control-plane/faults.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import { bindRole, createRoles } from '../control-plane/roles.ts';
import { createBoundPair, createClass, createNamespace, paths } from '../control-plane/syncer.ts';
import { runCli, runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));

let fleet: Fleet;

function check(args: readonly string[] = [], kubeconfig = fleet.kubeconfig): Promise<Finished> {
  return runCli(['check', '--grace=0', ...args], { KUBECONFIG: kubeconfig });
}

async function report(args: readonly string[] = []): Promise<{ code: number | null; report: ClaimReport }> {
  const { code, stdout, stderr } = await check([...args, '-o', 'json']);
  assert.notEqual(stdout, '', stderr);
  return { code, report: JSON.parse(stdout) as ClaimReport };
}

describe('check on real control planes', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1', 'team-b/staging'] });
    await Promise.all(
      [fleet.super, ...fleet.tenants.map(({ plane }) => plane)].map((plane) => createClass(plane)),
    );
    for (const tenant of fleet.tenants) {
      await createNamespace(fleet, tenant, 'shop');
      await createBoundPair(fleet, tenant, 'shop', 'healthy');
    }
    const [first] = fleet.tenants;
    if (first !== undefined) for (const { name } of FAULTS) await createBoundPair(fleet, first, 'shop', name);
  });
  after(() => fleet?.stop());

  test('a healthy fleet exits 0 and says so', async () => {
    const { code, stdout, stderr } = await check();
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`^${2 + FAULTS.length} claims of 2 VirtualClusters: 0 mismatches`));
  });

  test('--all shows both volumes Bound', async () => {
    const { report: all } = await report(['--all']);
    assert.equal(all.items.length, 2 + FAULTS.length);
    for (const item of all.items) {
      assert.deepEqual(
        [item.verdict, item.tenant?.volumePhase, item.super?.volumePhase],
        ['Consistent', 'Bound', 'Bound'],
      );
    }
  });

  for (const { name, make, verdict, cause, action } of FAULTS) {
    test(`${name} is told as ${verdict}, ${cause}`, async () => {
      const [tenant] = fleet.tenants;
      assert.ok(tenant !== undefined);
      await make(fleet, tenant, 'shop', name);
      const { code, report: found } = await report(['vc-sample-1']);
      assert.equal(code, 1);
      const item = found.items.find((one) => one.tenant?.name === name);
      assert.deepEqual(
        [item?.tenant?.phase, item?.verdict, item?.cause?.code, item?.action],
        ['Bound', verdict, cause, action],
      );
    });
  }

  test('a name or -n narrows to those VirtualClusters, -A takes -n back', async () => {
    const compared = async (args: readonly string[]): Promise<number[]> => {
      const { report: found } = await report(args);
      return [found.summary.virtualClusters, found.summary.claims];
    };
    assert.deepEqual(await compared(['staging']), [1, 1]);
    assert.deepEqual(await compared(['-n', 'team-b']), [1, 1]);
    assert.deepEqual(await compared(['default/vc-sample-1']), [1, 1 + FAULTS.length]);
    assert.deepEqual(await compared(['-n', 'team-b', '-A']), [2, 2 + FAULTS.length]);
    assert.equal((await report(['staging', '--all'])).report.items[0]?.verdict, 'Consistent');
  });

  test('within the grace period the same mismatches are shown as settling and not counted', async () => {
    const { code, stdout } = await runCli(['check', '--grace=1h', '-o', 'json'], {
      KUBECONFIG: fleet.kubeconfig,
    });
    assert.equal(code, 0);
    const found = JSON.parse(stdout) as ClaimReport;
    assert.equal(found.summary.settling, FAULTS.length);
    assert.ok(found.items.every((item) => item.settling && item.action === null));
  });

  test('-l and --tenant-namespace narrow what is compared', async () => {
    const [tenant] = fleet.tenants;
    assert.ok(tenant !== undefined);
    await tenant.plane.api.patch(paths(tenant, 'shop', 'healthy').tenant, {
      metadata: { labels: { app: 'shop' } },
    });
    const labelled = await report(['--all', '-l', 'app=shop']);
    assert.deepEqual(
      labelled.report.items.map((item) => item.tenant?.name),
      ['healthy'],
    );
    const elsewhere = await report(['--all', '--tenant-namespace=default']);
    assert.equal(elsewhere.report.summary.claims, 0);
  });

  test('--orphans shows a super claim that no tenant claim has', async () => {
    const [, tenant] = fleet.tenants;
    assert.ok(tenant !== undefined);
    const { superNamespace, superList } = paths(tenant, 'shop', 'orphan');
    const owner = await fleet.super.api.get(paths(tenant, 'shop', 'healthy').super);
    await fleet.super.api.create(superList, {
      metadata: {
        name: 'orphan',
        annotations: { ...owner.metadata.annotations, 'tenancy.x-k8s.io/uid': 'gone' },
      },
      spec: owner.spec,
    });
    const { code, report: found } = await report(['staging', '--orphans']);
    assert.equal(code, 0);
    assert.deepEqual(
      found.items.map(({ verdict, tenant: side, super: claim }) => [
        verdict,
        side,
        claim?.namespace,
        claim?.name,
      ]),
      [['SuperOrphan', null, superNamespace, 'orphan']],
    );
  });

  test('the real kubectl runs it as a plugin', async () => {
    const { kubectl } = await binaries();
    const { code, stdout, stderr } = await runProcess(
      kubectl,
      ['vc-pvc', 'check', '--grace=0', '-o', 'name'],
      {
        KUBECONFIG: fleet.kubeconfig,
        PATH: `${PLUGIN}:${process.env['PATH']}`,
      },
    );
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^default\/vc-sample-1\/shop\/claim-recreated$/m);
  });

  test('a user with the published roles succeeds, and without them is told the missing permission', async () => {
    const kubeconfig = await writeKubeconfig(
      fleet.storage,
      'reader',
      await fleet.super.kubeconfigFor('reader'),
    );
    const refused = await check([], kubeconfig);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /^error: .*User "reader" cannot list resource "virtualclusters" in API group "tenancy\.x-k8s\.io" at the cluster scope/,
    );
    assert.equal(refused.stderr.trim().split('\n').length, 1);

    await createRoles(fleet.super, 'rbac-super.yaml');
    const bind = (name: string): Promise<void> => bindRole(fleet.super, name, 'reader');
    await bind('vc-pvc-reader');
    const half = await check([], kubeconfig);
    assert.equal(half.code, 2);
    assert.match(
      half.stderr,
      /error: team-b\/staging: not allowed to get secrets in namespace team-b-[0-9a-f]{6}-staging/,
    );

    await bind('vc-pvc-tenant-kubeconfigs');
    const allowed = await check([], kubeconfig);
    assert.equal(allowed.code, 1, allowed.stderr);
    assert.equal(allowed.stderr.trim().split('\n').length, 1, allowed.stderr);
  });

  test('--as impersonates', async () => {
    const { code, stderr } = await check(['--as=nobody-at-all']);
    assert.equal(code, 2);
    assert.match(stderr, /User "nobody-at-all" cannot list resource "virtualclusters"/);
  });

  test('a cluster without the kind is told from one without VirtualClusters', async () => {
    const [tenant] = fleet.tenants;
    assert.ok(tenant !== undefined);
    const kubeconfig = await writeKubeconfig(fleet.storage, 'no-crd', tenant.plane.adminKubeconfig);
    const { code, stderr } = await check([], kubeconfig);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /serves no virtualclusters\.tenancy\.x-k8s\.io\/v1alpha1: VirtualCluster is not installed there/,
    );
  });

  test('a stopped tenant costs only itself', async () => {
    const [, staging] = fleet.tenants;
    await staging?.plane.stopApiserver();
    const { code, stdout, stderr } = await check(['-o', 'name']);
    assert.equal(code, 2);
    assert.match(stdout, /^default\/vc-sample-1\/shop\/volume-deleted$/m);
    assert.match(
      stderr,
      /^error: team-b\/staging: cannot reach the tenant's API server: 127\.0\.0\.1:\d+: connection refused/m,
    );
  });
});
