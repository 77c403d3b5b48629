/**
 * The ways around through the super cluster, against real API servers. What a real kubelet would do for a port-forward
 * is a fake's part; that the super API server lets the request through to it is real.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { UserError } from '../../src/errors.ts';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { virtualClusterFromJson } from '../../src/kube/objects/from-json.ts';
import type { ConnectionSettings } from '../../src/kube/settings.ts';
import type { VirtualCluster } from '../../src/reconcile/model.ts';
import { tenantSettings } from '../../src/virtualcluster/tenant.ts';
import { createAuthority } from '../control-plane/certificates.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { fakePortForward } from '../unit/virtualcluster/fake-portforward-server.ts';

let fleet: Fleet;
let tenant: Tenant;
let virtualCluster: VirtualCluster;
let kubelet: Server;
let forwarded: readonly string[];
const connections: ApiConnection[] = [];

describe('a tenant whose name resolves nowhere, and that has no Service', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    tenant = first;
    virtualCluster = virtualClusterFromJson(
      await fleet.super.api.get(
        '/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/vc-sample-1',
      ),
    );
    await storeKubeconfig(
      await tenant.plane.kubeconfigFor(
        'admin',
        ['system:masters'],
        `https://[apiserver-svc.${tenant.key}]:6443`,
      ),
    );
    await startKubelet();
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    kubelet?.closeAllConnections();
    kubelet?.close();
    await fleet?.stop();
  });

  test('and no pod is told with what the super cluster says to each way', async () => {
    await assert.rejects(
      search(await superApiOf('admin', ['system:masters'])),
      failsWith(
        /: no such host; Service .*\/apiserver-svc: not found; port-forward .*apiserver-0: not found; /,
      ),
    );
  });

  test('is reached through a port-forward, its certificate checked by name', async () => {
    await createPod();
    const settings = await search(await superApiOf('admin', ['system:masters']));
    const version = await opened(settings).getJson('/version');
    assert.equal((version as { gitVersion: string }).gitVersion, 'v1.37.2');
    assert.equal(settings.tlsServerName, `apiserver-svc.${tenant.key}`);
    assert.match(String(forwarded[0]), new RegExp(`^/portForward/${tenant.key}/apiserver-0\\?.*6443`));

    const { certificate } = await createAuthority();
    await assert.rejects(
      opened({ ...settings, certificateAuthority: certificate }).getJson('/version'),
      failsWith(/certificate/),
    );
    await assert.rejects(
      opened({ ...settings, tlsServerName: 'apiserver-svc.another' }).getJson('/version'),
      failsWith(/apiserver-svc\.another/),
    );
  });

  test('serves many requests at once through port-forwards', async () => {
    const connection = opened(await search(await superApiOf('admin', ['system:masters'])));
    const namespaces = await Promise.all(
      Array.from({ length: 30 }, () => connection.getJson('/api/v1/namespaces')),
    );
    for (const list of namespaces) assert.equal((list as { kind: string }).kind, 'NamespaceList');
  });

  test('is told with the permission that is missing to whoever may read its Secret only', async () => {
    await grant('reader', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
    await assert.rejects(
      search(await superApiOf('reader')),
      failsWith(
        /Service .*: services "apiserver-svc" is forbidden: User "reader" cannot get .* \(needs "get services", as ClusterRole vc-pvc-tenant-addresses grants\); port-forward .*: pods "apiserver-0" is forbidden: User "reader" cannot get resource "pods\/portforward"/,
      ),
    );
  });

  test('is told with "create", too, to whoever may only get port-forwards', async () => {
    await grant('half', [
      { apiGroups: [''], resources: ['secrets', 'services', 'pods/portforward'], verbs: ['get'] },
    ]);
    await assert.rejects(
      search(await superApiOf('half')),
      failsWith(/port-forward .*is forbidden \(needs "get and create pods\/portforward", as ClusterRole /),
    );
  });

  test('is told with the namespace to whoever may not read its Secret', async () => {
    await assert.rejects(
      search(await superApiOf('nobody')),
      failsWith(new RegExp(`^not allowed to get secrets in namespace ${tenant.key}, `)),
    );
  });

  test('is reached with no more than the published roles', async () => {
    await grant('published', [
      { apiGroups: [''], resources: ['secrets', 'services'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
    ]);
    await opened(await search(await superApiOf('published'))).getJson('/version');
  });

  test('is reached at its load balancer as soon as it has one', async () => {
    const path = `/api/v1/namespaces/${tenant.key}/services`;
    await fleet.super.api.create(path, {
      metadata: { name: 'apiserver-svc' },
      spec: { type: 'LoadBalancer', ports: [{ port: tenant.plane.port, targetPort: 6443 }] },
    });
    await fleet.super.api.patch(`${path}/apiserver-svc/status`, {
      status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } },
    });
    const settings = await search(await superApiOf('admin', ['system:masters']));
    assert.equal(settings.server, `https://127.0.0.1:${tenant.plane.port}`);
    assert.equal(settings.dial, undefined);
    await opened(settings).getJson('/version');
  });
});

function search(superApi: ApiConnection): Promise<ConnectionSettings> {
  return tenantSettings(virtualCluster, superApi, AbortSignal.timeout(30_000));
}

async function superApiOf(user: string, groups: readonly string[] = []): Promise<ApiConnection> {
  const text = await fleet.super.kubeconfigFor(user, groups);
  const file = await writeKubeconfig(fleet.storage, user, text);
  return opened((await connectionFromFlags({ kubeconfig: file })).settings);
}

function opened(settings: ConnectionSettings): ApiConnection {
  const connection = new ApiConnection(settings);
  connections.push(connection);
  return connection;
}

/** One line that matches, as every error for the user has to be. */
function failsWith(message: RegExp): (error: Error) => true {
  return (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };
}

async function storeKubeconfig(text: string): Promise<void> {
  await fleet.super.api.patch(`/api/v1/namespaces/${tenant.key}/secrets/admin-kubeconfig`, {
    data: { 'admin-kubeconfig': Buffer.from(text).toString('base64') },
  });
}

/** A node whose kubelet is the fake one, which leads to the tenant's API server. */
async function startKubelet(): Promise<void> {
  const { certificate, key } = await (await createAuthority()).server(['127.0.0.1']);
  kubelet = createServer({ cert: certificate, key });
  forwarded = fakePortForward(kubelet, tenant.plane.port);
  await new Promise<void>((resolve) => {
    kubelet.listen(0, '127.0.0.1', resolve);
  });
  await fleet.super.api.create('/api/v1/nodes', { metadata: { name: 'node-1' } });
  await fleet.super.api.patch('/api/v1/nodes/node-1/status', {
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
    },
  });
}

/** The pod of the tenant's API server. Its namespace has no controller that would make the account it needs. */
async function createPod(): Promise<void> {
  const namespace = `/api/v1/namespaces/${tenant.key}`;
  await fleet.super.api.create(`${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  await fleet.super.api.create(`${namespace}/pods`, {
    metadata: { name: 'apiserver-0' },
    spec: {
      nodeName: 'node-1',
      automountServiceAccountToken: false,
      containers: [{ name: 'apiserver', image: 'none' }],
    },
  });
}

async function grant(user: string, rules: readonly object[]): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1';
  await fleet.super.api.create(`${path}/clusterroles`, { metadata: { name: user }, rules });
  await fleet.super.api.create(`${path}/clusterrolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}
