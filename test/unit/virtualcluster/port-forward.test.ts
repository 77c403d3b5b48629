/**
 * The last way to a tenant: a port-forward through the super API server. There is no kubelet in the tests, so a fake
 * one speaks its protocol (v4.channel.k8s.io) and leads to a real TLS server.
 */
import assert from 'node:assert/strict';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import { ApiConnection } from '../../../src/kube/connection.ts';
import type { ConnectionSettings } from '../../../src/kube/settings.ts';
import { reachable } from '../../../src/virtualcluster/reach.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import type { Authority } from '../../control-plane/certificates.ts';
import { freePort } from '../../control-plane/processes.ts';

const ROOT = 'default-6177e3-vc-sample-1';

function settings(server: string, authority: Authority): ConnectionSettings {
  return {
    description: server,
    server,
    certificateAuthority: authority.certificate,
    insecureSkipTLSVerify: false,
    tlsServerName: null,
    proxyUrl: null,
    disableCompression: false,
    credentials: { current: () => Promise.resolve({ authorization: 'Bearer t' }), invalidate: () => false },
    impersonation: null,
    requestTimeout: 0,
  };
}

async function listen(server: ReturnType<typeof createHttpsServer>): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A super API server with nothing but the port-forward of pod apiserver-0, which leads to `target`. */
async function fakeSuper(authority: Authority, target: number) {
  const { certificate, key } = await authority.server(['127.0.0.1']);
  const server = createHttpsServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"reason":"NotFound","message":"not found"}');
  });
  const asked: string[] = [];
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v4.channel.k8s.io' });
  sockets.on('connection', (socket, request) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    const port = Buffer.alloc(2);
    port.writeUInt16LE(6443);
    for (const channel of [0, 1]) socket.send(Buffer.concat([Buffer.of(channel), port]));
    const onward = connect(target, '127.0.0.1');
    onward.on('data', (data: Buffer) => socket.send(Buffer.concat([Buffer.of(0), data])));
    onward.on('error', (error) => socket.send(Buffer.concat([Buffer.of(1), Buffer.from(error.message)])));
    socket.on('message', (data: Buffer) => onward.write(data.subarray(1)));
    socket.on('close', () => onward.destroy());
  });
  return { server, asked, port: await listen(server) };
}

test('a tenant that nothing else leads to is reached through a port-forward, its certificate checked by name', async () => {
  const tenantAuthority = await createAuthority();
  const { certificate, key } = await tenantAuthority.server([`apiserver-svc.${ROOT}`]);
  const body = JSON.stringify({ kind: 'Status', message: 'x'.repeat(300_000) });
  const tenant = createHttpsServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
  const superAuthority = await createAuthority();
  const fake = await fakeSuper(superAuthority, await listen(tenant));
  const superApi = new ApiConnection(settings(`https://127.0.0.1:${fake.port}`, superAuthority));
  const found = await reachable(
    settings(`https://apiserver-svc.${ROOT}:6443`, tenantAuthority),
    ROOT,
    superApi,
    AbortSignal.timeout(20_000),
  );
  const connection = new ApiConnection(found);
  try {
    assert.equal(JSON.stringify(await connection.getJson('/version')), body);
    assert.equal(
      fake.asked[0],
      `/api/v1/namespaces/${ROOT}/pods/apiserver-0/portforward?ports=6443 Bearer t`,
    );
    const other = new ApiConnection({ ...found, certificateAuthority: superAuthority.certificate });
    await assert.rejects(other.getJson('/version'), /certificate/);
    await other.close();
  } finally {
    await connection.close();
    await superApi.close();
    for (const server of [tenant, fake.server]) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test('where even that is refused, every way is named', async () => {
  const authority = await createAuthority();
  const server = createHttpsServer(
    await authority.server(['127.0.0.1']).then(({ certificate, key }) => ({ cert: certificate, key })),
    (_request, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"reason":"Forbidden","message":"services is forbidden"}');
    },
  );
  const superApi = new ApiConnection(settings(`https://127.0.0.1:${await listen(server)}`, authority));
  const nobody = `https://127.0.0.1:${await freePort()}`;
  try {
    await assert.rejects(
      reachable(settings(nobody, authority), ROOT, superApi, AbortSignal.timeout(20_000)),
      /connection refused; Service .*services is forbidden; port-forward .* was refused; --tenant-kubeconfig/,
    );
  } finally {
    await superApi.close();
    server.closeAllConnections();
    server.close();
  }
});
