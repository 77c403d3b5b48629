/** How a replica ends that nobody watches any more: whose terminal was closed, or the pipe that it prints into. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPair } from '../control-plane/bulk.ts';
import { eventually } from '../control-plane/eventually.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { createNamespace, paths } from '../control-plane/syncer.ts';
import { RunningCli } from '../support/running-cli.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
let fleet: Fleet;
let tenant: Tenant;

before(async () => {
  fleet = await startFleet({ tenants: ['team/only'], controllerManagers: false });
  const [only] = fleet.tenants;
  assert.ok(only !== undefined);
  tenant = only;
  await createNamespace(fleet, tenant, 'shop');
  await createPair(fleet, tenant, 'shop', 'data', false);
});
after(() => fleet?.stop());

const endings: Readonly<Record<string, (watch: RunningCli, name: string) => Promise<void>>> = {
  'SIGHUP, twice': (watch) => {
    watch.signal('SIGHUP');
    watch.signal('SIGHUP');
    return Promise.resolve();
  },
  'a stdout that is closed': async (watch) => {
    watch.closeStdout();
    const at = `${paths(tenant, 'shop', 'data').super}/status`;
    await fleet.super.api.patch(at, { status: { phase: 'Lost' } });
  },
};

for (const [index, [what, end]] of Object.entries(endings).entries()) {
  test(`${what}: it ends in order, with 0 and no error, and its Lease is given back`, async () => {
    const name = `replica-${index}`;
    const watch = new RunningCli('watch --sync --grace=0 --replicas-lease-namespace=default'.split(' '), {
      KUBECONFIG: fleet.kubeconfig,
      HOME: fleet.storage.directory,
      POD_NAME: name,
    });
    const lease = `${LEASES}/vc-pvc-${name}`;
    await watch.line('watching', { stream: 'stderr' });
    await eventually('its Lease', async () => {
      const found = await fleet.super.api.find(lease);
      return Boolean(found?.spec.holderIdentity);
    });
    await end(watch, name);
    const { code, stderr } = await watch.end();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /error/);
    const left = await fleet.super.api.find(lease);
    assert.equal(left?.spec.holderIdentity ?? '', '');
  });
}
