/** The ways to a tenant's API server, tried with real connections. */
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { ApiConnection } from '../../../src/kube/connection.ts';
import type { ConnectionSettings } from '../../../src/kube/settings.ts';
import { reachable } from '../../../src/virtualcluster/reach.ts';
import { whyUnreachable } from '../../../src/virtualcluster/probe.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import { freePort } from '../../control-plane/processes.ts';
import {
  ROOT,
  SERVICE_PATH,
  portOf,
  settingsOf,
  startFakeSuper,
  startTenant,
  stopAll,
} from './fake-super.ts';

const NAME = `apiserver-svc.${ROOT}`;
const NODES = { items: [{ status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] } }] };

/** The way that is found to a tenant at `server`, given the objects of the super cluster; what was asked there. */
async function search(
  server: string,
  objects: Readonly<Record<string, unknown>>,
  change: (settings: ConnectionSettings) => ConnectionSettings = (settings) => settings,
) {
  const authority = await createAuthority();
  const fake = await startFakeSuper(objects);
  try {
    const found = await reachable(
      change(settingsOf(server, authority)),
      ROOT,
      fake.api,
      AbortSignal.timeout(20_000),
    );
    return { server: found.server, tlsServerName: found.tlsServerName, asked: fake.asked };
  } finally {
    await fake.stop();
  }
}

/** Something that accepts connections on a port, and keeps them open, until the test is over. */
async function listening(t: TestContext): Promise<{ port: number; server: Server }> {
  const open: Socket[] = [];
  const server = createServer((socket) => void open.push(socket.resume()));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, server };
}

describe("a tenant's API server", () => {
  test('that its own address leads to is asked there, and the super cluster is asked for nothing', async (t) => {
    const { port } = await listening(t);
    const found = await search(`https://127.0.0.1:${port}`, {});
    assert.deepEqual(found, { server: `https://127.0.0.1:${port}`, tlsServerName: null, asked: [] });
  });

  test('is found at its load balancer, before any node is asked for', async (t) => {
    const { port } = await listening(t);
    const found = await search(`https://${NAME}:6443/prefix`, {
      [SERVICE_PATH]: {
        spec: { type: 'LoadBalancer', ports: [{ port, nodePort: 31000 }] },
        status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } },
      },
    });
    assert.equal(found.server, `https://127.0.0.1:${port}/prefix`);
    assert.equal(found.tlsServerName, NAME);
    assert.deepEqual(found.asked, [SERVICE_PATH]);
  });

  test('is found at a node port where the load balancer is dead, and few nodes are asked for', async (t) => {
    const { port } = await listening(t);
    const found = await search(`https://${NAME}:6443`, {
      [SERVICE_PATH]: {
        spec: { type: 'LoadBalancer', ports: [{ port: await freePort(), nodePort: port }] },
        status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } },
      },
      '/api/v1/nodes': NODES,
    });
    assert.equal(found.server, `https://127.0.0.1:${port}`);
    assert.deepEqual(found.asked, [SERVICE_PATH, '/api/v1/nodes?limit=50']);
  });

  test('keeps the tls-server-name of its kubeconfig', async (t) => {
    const { port } = await listening(t);
    const found = await search(
      `https://${NAME}:6443`,
      {
        [SERVICE_PATH]: { spec: { type: 'NodePort', ports: [{ port: 6443, nodePort: port }] } },
        '/api/v1/nodes': NODES,
      },
      (settings) => ({ ...settings, tlsServerName: 'kubernetes' }),
    );
    assert.equal(found.tlsServerName, 'kubernetes');
  });

  for (const [names, believed] of [
    [[NAME], true],
    [['127.0.0.1'], false],
  ] as const) {
    const what = believed
      ? 'believed with a certificate for its own name'
      : 'refused with any other certificate';
    test(`found at a node port is ${what}`, async (t) => {
      const authority = await createAuthority();
      const tenant = await startTenant(authority, names, { found: true });
      t.after(() => stopAll([tenant], []));
      const fake = await startFakeSuper({
        [SERVICE_PATH]: { spec: { type: 'NodePort', ports: [{ port: 6443, nodePort: portOf(tenant) }] } },
        '/api/v1/nodes': NODES,
      });
      t.after(() => fake.stop());
      const settings = settingsOf(`https://${NAME}:6443`, authority);
      const signal = AbortSignal.timeout(20_000);
      const connection = new ApiConnection(await reachable(settings, ROOT, fake.api, signal));
      t.after(() => connection.close());
      const answer = connection.getJson('/version');
      if (believed) assert.deepEqual(await answer, { found: true });
      else await assert.rejects(answer, /does not match certificate/);
    });
  }

  test('that no way leads to is told in one line with every way, why it failed and what would help', async () => {
    const dead = await freePort();
    const service = { spec: { type: 'NodePort', ports: [{ port: 6443, nodePort: dead }] } };
    const table: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [
        {},
        /: connection refused; Service .*apiserver-svc: not found; port-forward .*apiserver-0: not found; /,
      ],
      [
        { [SERVICE_PATH]: 403 },
        /; Service .*: refused with 403 \(needs "get services", as ClusterRole vc-pvc-tenant-addresses grants\); port-forward/,
      ],
      [
        { [SERVICE_PATH]: service, '/api/v1/nodes': 403 },
        /; nodes: refused with 403 \(needs "list nodes", as ClusterRole vc-pvc-tenant-addresses grants\); port-forward/,
      ],
      [
        { [SERVICE_PATH]: service, '/api/v1/nodes': NODES },
        new RegExp(`; node 127\\.0\\.0\\.1:${dead}: connection refused; port-forward`),
      ],
    ];
    for (const [objects, message] of table) {
      await assert.rejects(search(`https://127.0.0.1:${dead}`, objects), (error: Error) => {
        assert.ok(error instanceof UserError);
        assert.match(
          error.message,
          /^cannot reach the tenant's API server: [^\n]+; --tenant-kubeconfig names/,
        );
        assert.match(error.message, message);
        return true;
      });
    }
  });
});

describe('a probe of an address', () => {
  test('ends with its signal', async (t) => {
    const { port } = await listening(t);
    const why = await whyUnreachable({ host: '127.0.0.1', port, description: '' }, AbortSignal.abort());
    assert.equal(why, 'cancelled');
  });

  test('leaves no connection behind', { timeout: 10_000 }, async (t) => {
    const { port, server } = await listening(t);
    assert.equal(
      await whyUnreachable({ host: '127.0.0.1', port, description: '' }, AbortSignal.timeout(20_000)),
      null,
    );
    // Closes only when every connection is gone.
    await new Promise((resolve) => server.close(resolve));
    const refused = connect(port, '127.0.0.1');
    await assert.rejects(new Promise((_resolve, reject) => refused.once('error', reject)), /ECONNREFUSED/);
  });
});
