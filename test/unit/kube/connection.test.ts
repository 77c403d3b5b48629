/** How requests travel: resumed TLS sessions, proxies, renewed credentials, impersonation. */
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import { ApiConnection } from '../../../src/kube/connection.ts';
import type { ConnectionSettings } from '../../../src/kube/settings.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { connectionSettings } from '../../support/connection-settings.ts';
import { SilentServer } from '../../support/silent-server.ts';

interface Seen {
  readonly resumed: boolean;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly port: number | undefined;
}

let certificateAuthority = '';
let server: ReturnType<typeof createHttpsServer>;
let port = 0;
const seen: Seen[] = [];
/** What the server answers next; 200 where it is empty. */
const codes: number[] = [];

before(async () => {
  const authority = await createAuthority();
  certificateAuthority = authority.certificate;
  const { certificate, key } = await authority.server(['127.0.0.1']);
  server = createHttpsServer({ cert: certificate, key }, (request, response) => {
    const socket = request.socket as TLSSocket;
    const { headers, rawHeaders } = request;
    seen.push({ resumed: socket.isSessionReused(), headers, rawHeaders, port: socket.remotePort });
    response.writeHead(codes.shift() ?? 200, {
      'content-type': 'application/json',
      // So that the next request has to connect again.
      ...(request.url === '/close' ? { connection: 'close' } : {}),
    });
    response.end('{}');
  });
  port = await listen(server);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(one: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    one.listen(0, '127.0.0.1', resolve);
  });
  return (one.address() as AddressInfo).port;
}

function settings(changes: Partial<ConnectionSettings> = {}): ConnectionSettings {
  const server = `https://127.0.0.1:${port}`;
  return connectionSettings(server, { description: 'the server', certificateAuthority, ...changes });
}

async function get(connection: ApiConnection, ...urls: readonly string[]): Promise<Seen[]> {
  const from = seen.length;
  try {
    for (const url of urls) await connection.getJson(url);
  } finally {
    await connection.close();
  }
  return seen.slice(from);
}

test('every connection after the first resumes its TLS session', async () => {
  const requests = await get(new ApiConnection(settings()), '/close', '/close', '/close', '/a', '/a', '/a');
  const [first, ...later] = new Map(requests.map((request) => [request.port, request.resumed])).values();
  assert.equal(first, false);
  assert.ok(later.length >= 3 && later.every(Boolean), `${later.length} connections: ${later.join(', ')}`);
});

test('a certificate of another authority is refused, in words that name no flag of Node’s', async () => {
  const { certificate } = await createAuthority();
  const ofTheMachine = connectionSettings(`https://127.0.0.1:${port}`);
  for (const refusing of [settings({ certificateAuthority: certificate }), ofTheMachine]) {
    await assert.rejects(get(new ApiConnection(refusing), '/'), ({ message }: Error) => {
      assert.match(message, /: its certificate is signed by an authority that neither .* knows$/);
      assert.equal(message.split('127.0.0.1').length, 2, `${message}: the address is told once`);
      return true;
    });
  }
});

test('a certificate for another name is refused, unless that name was asked for', async () => {
  await assert.rejects(get(new ApiConnection(settings({ tlsServerName: 'elsewhere' })), '/'), /elsewhere/);
  await assert.rejects(get(new ApiConnection(settings({ tlsServerName: '10.0.0.1' })), '/'), /10\.0\.0\.1/);
  assert.equal((await get(new ApiConnection(settings({ tlsServerName: '127.0.0.1' })), '/')).length, 1);
});

test('after a 401 credentials are asked for again, once', async () => {
  let issued = 0;
  const credentials = {
    current: () => Promise.resolve({ authorization: `Bearer token-${issued}` }),
    invalidate: () => {
      issued += 1;
      return true;
    },
  };
  codes.push(401);
  const requests = await get(new ApiConnection(settings({ credentials })), '/');
  assert.deepEqual(
    requests.map(({ headers }) => headers.authorization),
    ['Bearer token-0', 'Bearer token-1'],
  );
  codes.push(401, 401);
  await assert.rejects(get(new ApiConnection(settings({ credentials })), '/'), /HTTP 401/);
});

test('impersonation sends user, uid, every group and every extra', async () => {
  const impersonation = {
    user: 'jane',
    uid: '7',
    groups: ['dev', 'ops'],
    extra: { 'Example.com/Scope': ['a', 'b'] },
  };
  const [request] = await get(new ApiConnection(settings({ impersonation })), '/');
  const values = (name: string) =>
    request?.rawHeaders.filter(
      (_value, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name,
    );
  assert.deepEqual(values('impersonate-user'), ['jane']);
  assert.deepEqual(values('impersonate-uid'), ['7']);
  assert.deepEqual(values('impersonate-group'), ['dev', 'ops']);
  assert.deepEqual(values('impersonate-extra-example.com%2fscope'), ['a', 'b']);
});

test('an HTTP proxy is asked for a tunnel, through which TLS is spoken with the server itself', async () => {
  const tunnels: string[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request: IncomingMessage, socket) => {
    tunnels.push(request.url ?? '');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => onward.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
  try {
    assert.equal((await get(new ApiConnection(settings({ proxyUrl })), '/a', '/b')).length, 2);
    assert.deepEqual([...new Set(tunnels)], [`127.0.0.1:${port}`]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

test('close ends at once what is still being opened to a server that never says a word', async (t) => {
  const silent = await SilentServer.start();
  t.after(() => silent.stop());
  const connection = new ApiConnection(settings({ server: silent.url }));
  const asked = Promise.allSettled([
    connection.getJson('/a'),
    connection.watchStream('/b', 'application/json', {}),
  ]);
  await eventually('two connections', () => Promise.resolve(silent.open === 2));
  await connection.close();
  await eventually('both to be closed', () => Promise.resolve(silent.open === 0), 10_000);
  for (const { status } of await asked) assert.equal(status, 'rejected');
});
