/** Reading from a real API server: the same objects by protobuf and by JSON, and tenants that are not where they say. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createHttpsServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ApiConnection } from '../../src/kube/connection.ts';
import { listAll } from '../../src/kube/list.ts';
import { CLAIMS, NAMESPACES, STORAGE_CLASSES, VOLUMES, listPath } from '../../src/kube/resources.ts';
import type { Resource } from '../../src/kube/resources.ts';
import { createManyPairs } from '../control-plane/bulk.ts';
import {
  createVirtualCluster,
  startFleet,
  storeKubeconfig,
  writeKubeconfig,
} from '../control-plane/fleet.ts';
import { createAuthority } from '../control-plane/certificates.ts';
import { kubeconfig } from '../control-plane/control-plane.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { createClass, createNamespace, paths } from '../control-plane/syncer.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const PAIRS = 40;
let fleet: Fleet;
let tenant: Tenant;
let superApi: ApiConnection;

describe('reading real API servers', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    tenant = first;
    await createClass(fleet.super);
    await createNamespace(fleet, tenant, 'shop');
    await createManyPairs(fleet, tenant, 'shop', PAIRS, 10, () => {});
    await oddObjects();
    const { settings } = await connectionFromFlags({ kubeconfig: fleet.kubeconfig });
    superApi = new ApiConnection(settings);
  });
  after(async () => {
    await superApi?.close();
    await fleet?.stop();
  });

  for (const resource of [CLAIMS, VOLUMES, STORAGE_CLASSES, NAMESPACES] as Resource<unknown>[]) {
    test(`${resource.plural} are the same by protobuf and by JSON`, async () => {
      const byProtobuf = await listAll(superApi, resource, { namespace: null });
      const json = await fleet.super.api.get(listPath(resource, null));
      assert.ok(byProtobuf.length > 0);
      assert.deepEqual(byProtobuf, json.items.map(resource.fromJson));
    });
  }

  test('pages of a real API server add up to the whole list', async () => {
    const seen: number[] = [];
    const claims = await listAll(superApi, CLAIMS, {
      namespace: null,
      onProgress: (count) => seen.push(count),
    });
    assert.equal(claims.length, PAIRS + 1);
    assert.equal(seen.at(-1), PAIRS + 1);
  });

  test('every tenth super claim is told as Lost with a stale claimRef', async () => {
    const { code, stdout, stderr } = await check();
    assert.equal(code, 1, stderr);
    assert.equal(stdout.match(/SuperNotBound +ClaimRefStale/g)?.length, PAIRS / 10);
  });

  test('a tenant whose name resolves nowhere is reached through a node port, its certificate checked by name', async () => {
    await moveTenant(`https://[apiserver-svc.${tenant.key}]:6443`);
    const forwarder = await forwardNodePort(tenant.plane.port);
    try {
      await exposeTenant(forwarder.port);
      const { code, stderr } = await check();
      assert.equal(code, 1, stderr);
    } finally {
      forwarder.server.close();
    }
  });

  test('the same, by another certificate authority, is refused', async () => {
    const forwarder = await forwardNodePort(fleet.super.port);
    try {
      const path = `/api/v1/namespaces/${tenant.key}/services/apiserver-svc`;
      await fleet.super.api.delete(path);
      await exposeTenant(forwarder.port);
      const { code, stderr } = await check();
      assert.equal(code, 2);
      assert.match(stderr, /error: default\/vc-sample-1: cannot get .*certificate/);
    } finally {
      forwarder.server.close();
    }
  });

  test('a tenant that no way leads to is told with every way that was tried', async () => {
    const { code, stderr } = await check();
    assert.equal(code, 2);
    assert.match(
      stderr,
      /no such host; node 127\.0\.0\.1:\d+: connection refused; port-forward to pod .*apiserver-0/,
    );
    assert.match(stderr, /--tenant-kubeconfig names another way/);
  });

  test('tenants that are silent, endless or talk nonsense cost only themselves', async () => {
    await moveTenant(`https://127.0.0.1:${tenant.plane.port}`);
    const hostile = await hostileTenants();
    try {
      const start = performance.now();
      const { code, stdout, stderr } = await check(['--tenant-timeout=2s']);
      assert.equal(code, 2);
      assert.equal(stdout.match(/SuperNotBound/g)?.length, PAIRS / 10);
      assert.match(stderr, /^error: default\/silent: .*not done within --tenant-timeout \(2s\)$/m);
      assert.match(stderr, /^error: default\/endless: .*not done within --tenant-timeout \(2s\)$/m);
      assert.match(stderr, /^error: default\/nonsense: .*cannot be read/m);
      assert.match(stderr, /^error: default\/no-kubeconfig: Secret .* does not exist/m);
      assert.ok(performance.now() - start < 10_000);
    } finally {
      await hostile.close();
    }
  });

  test('--tenant-kubeconfig goes before what the super cluster says', async () => {
    const file = await writeKubeconfig(fleet.storage, 'tenant', tenant.plane.adminKubeconfig);
    const { code, stderr } = await check([`--tenant-kubeconfig=default/vc-sample-1=${file}`]);
    assert.equal(code, 1, stderr);
  });

  test("a tenant's kubeconfig with an exec plugin is refused, and nothing is run", async () => {
    const ran = join(fleet.storage.directory, 'the-plugin-ran');
    await storeTenant({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch', args: [ran] },
    });
    const { code, stderr } = await check();
    assert.equal(code, 2);
    assert.match(
      stderr,
      /Secret default-[0-9a-f]{6}-vc-sample-1\/admin-kubeconfig: the tenant's kubeconfig holds an exec plugin, which is refused/,
    );
    assert.equal(existsSync(ran), false);
  });
});

/** VirtualClusters whose API servers a fake plays: a real one does not behave so on demand. */
async function hostileTenants(): Promise<{ close: () => Promise<void> }> {
  const authority = await createAuthority();
  const serving = await authority.server(['127.0.0.1']);
  const client = await authority.client('admin', []);
  const behaviours: Record<string, (response: ServerResponse) => void> = {
    silent: () => {},
    endless: (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      // An envelope of a terabyte, in it an object of ten megabytes that comes byte by byte.
      response.write(Buffer.from('6b387300128080808080201280ade204', 'hex'));
      const timer = setInterval(() => response.write('\0'), 20);
      response.on('close', () => clearInterval(timer));
    },
    nonsense: (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>\u001b[2J</html>');
    },
  };
  const servers = Object.entries(behaviours).map(([name, behave]) => ({
    name,
    server: createHttpsServer({ cert: serving.certificate, key: serving.key }, (_request, response) =>
      behave(response),
    ),
  }));
  await createVirtualCluster(fleet.super, 'default', 'no-kubeconfig');
  for (const { name, server } of servers) {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const created = await createVirtualCluster(fleet.super, 'default', name);
    const address = server.address() as AddressInfo;
    const text = kubeconfig(name, `https://127.0.0.1:${address.port}`, authority.certificate, client);
    await storeKubeconfig(fleet.super, created.status.clusterNamespace, text);
  }
  return {
    close: async () => {
      for (const { name, server } of servers) {
        server.closeAllConnections();
        server.close();
        await fleet.super.api.delete(
          `/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/${name}`,
        );
      }
      await fleet.super.api.delete(
        '/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/no-kubeconfig',
      );
    },
  };
}

function check(args: readonly string[] = []): Promise<Finished> {
  return runCli(['check', '--grace=0', ...args], { KUBECONFIG: fleet.kubeconfig });
}

/** Objects with what few have: annotations that say "no class", a hold, a block device, an end. */
async function oddObjects(): Promise<void> {
  const { superList } = paths(tenant, 'shop', 'odd');
  await fleet.super.api.create(superList, {
    metadata: {
      name: 'odd',
      annotations: {
        'volume.beta.kubernetes.io/storage-class': '',
        'volume.kubernetes.io/selected-node': 'n',
        other: 'x',
      },
      finalizers: ['example.com/keep'],
    },
    spec: {
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      resources: { requests: { storage: '1500Mi' } },
      volumeMode: 'Block',
      selector: {
        matchLabels: { tier: 'gold', zone: '' },
        matchExpressions: [
          { key: 'disk', operator: 'In', values: ['ssd', 'nvme'] },
          { key: 'old', operator: 'DoesNotExist' },
        ],
      },
    },
  });
  await fleet.super.api.patch(`${superList}/odd/status`, {
    status: { phase: 'Pending', conditions: [{ type: 'tenancy.x-k8s.io/SuperClaimBound', status: 'False' }] },
  });
  await fleet.super.api.delete(`${superList}/odd`);
  await fleet.super.api.create('/api/v1/persistentvolumes', {
    metadata: { name: 'free', finalizers: ['example.com/keep'], labels: { tier: 'gold', zone: '' } },
    spec: {
      accessModes: ['ReadWriteMany'],
      capacity: { storage: '3Ti' },
      persistentVolumeReclaimPolicy: 'Delete',
      volumeMode: 'Block',
      hostPath: { path: '/free' },
    },
  });
  await fleet.super.api.delete('/api/v1/persistentvolumes/free');
}

/** Rewrites the stored kubeconfig's server. */
async function moveTenant(server: string): Promise<void> {
  const text = await tenant.plane.kubeconfigFor('admin', ['system:masters'], server);
  await storeText(text);
}

async function storeTenant(user: object): Promise<void> {
  const config = JSON.parse(tenant.plane.adminKubeconfig) as { users: object[] };
  await storeText(JSON.stringify({ ...config, users: [{ name: 'default-vc-sample-1', user }] }));
}

async function storeText(text: string): Promise<void> {
  await fleet.super.api.patch(`/api/v1/namespaces/${tenant.key}/secrets/admin-kubeconfig`, {
    data: { 'admin-kubeconfig': Buffer.from(text).toString('base64') },
  });
}

/** A port of the node port range that leads to another port: what kube-proxy does on a node. */
async function forwardNodePort(target: number): Promise<{ port: number; server: Server }> {
  for (let port = 30_000; port < 32_768; port += 1) {
    const server = createServer((socket) => {
      const onward = connect(target, '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const end of [socket, onward])
        end.on('error', () => void socket.destroy(onward.destroy().errored ?? undefined));
    });
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (listening) return { port, server };
  }
  throw new Error('no port of the node port range is free');
}

async function exposeTenant(port: number): Promise<void> {
  await fleet.super.api.create(`/api/v1/namespaces/${tenant.key}/services`, {
    metadata: { name: 'apiserver-svc' },
    spec: { type: 'NodePort', selector: { component: 'apiserver' }, ports: [{ port: 6443, nodePort: port }] },
  });
  if ((await fleet.super.api.find('/api/v1/nodes/node-1')) !== null) return;
  await fleet.super.api.create('/api/v1/nodes', { metadata: { name: 'node-1' } });
  await fleet.super.api.patch('/api/v1/nodes/node-1/status', {
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
  });
}
