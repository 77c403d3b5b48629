/** How watches travel: one HTTP/2 connection for all, or HTTP/1.1. Servers that a test plays, so that they can misbehave. */
import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { constants, createSecureServer } from 'node:http2';
import type {
  Http2SecureServer,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { ApiConnection } from '../../../src/kube/connection.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { CLAIMS } from '../../../src/kube/resources.ts';
import type { Credentials } from '../../../src/kube/settings.ts';
import type { Claim } from '../../../src/reconcile/model.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import type { Authority, KeyPair } from '../../control-plane/certificates.ts';
import { connectionSettings } from '../../support/connection-settings.ts';
import { ReflectedStore } from '../../support/reflected-store.ts';

let authority: Authority;
let serving: KeyPair;
const cleanups: (() => unknown)[] = [];

before(async () => {
  authority = await createAuthority();
  serving = await authority.server(['127.0.0.1']);
});
after(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function listen(server: Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function connectTo(port: number, changes: Parameters<typeof connectionSettings>[1] = {}): ApiConnection {
  const connection = new ApiConnection(
    connectionSettings(`https://127.0.0.1:${port}`, {
      description: 'the server',
      certificateAuthority: authority.certificate,
      ...changes,
    }),
  );
  cleanups.push(() => connection.close());
  return connection;
}

/** A server of HTTP/2 that opens every watch and leaves it open. */
class Http2Fake {
  readonly requests: IncomingHttpHeaders[] = [];
  /** What becomes of a stream once it is open; left open where this is null. */
  answer: ((stream: ServerHttp2Stream) => void) | null = null;
  readonly sessions: ServerHttp2Session[] = [];
  readonly streams: ServerHttp2Stream[] = [];
  readonly sockets: TLSSocket[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);
  port = 0;

  async start(maxConcurrentStreams = 250): Promise<this> {
    const server = createSecureServer({
      cert: serving.certificate,
      key: serving.key,
      settings: { maxConcurrentStreams },
    });
    server.on('secureConnection', (socket) => this.sockets.push(socket));
    server.on('session', (session) => {
      this.sessions.push(session);
      cleanups.push(() => session.destroy());
    });
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      this.streams.push(stream);
      this.requests.push(headers);
      stream.on('error', () => {});
      stream.on('close', () => this.#news.emit('news'));
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      if (this.answer === null) stream.write('open\n');
      else this.answer(stream);
      this.#news.emit('news');
    });
    this.port = await listen(server);
    return this;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#news, 'news');
  }
}

interface Watching {
  readonly controller: AbortController;
  /** What has arrived so far. */
  readonly text: () => string;
  /** Resolves to how it ended: "" or the error's message. */
  readonly ended: Promise<string>;
  /** Waits for a text. */
  readonly until: (text: string) => Promise<void>;
}

function watch(connection: ApiConnection): Watching {
  const controller = new AbortController();
  const news = new EventEmitter();
  let text = '';
  const read = async (): Promise<string> => {
    try {
      const answer = await connection.watchStream('/watched', 'application/json', {
        signal: controller.signal,
      });
      for await (const chunk of answer.body) {
        text += chunk.toString();
        news.emit('news');
      }
      return '';
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return error.message;
    } finally {
      news.emit('news');
    }
  };
  return {
    controller,
    text: () => text,
    ended: read(),
    until: async (wanted) => {
      while (!text.includes(wanted)) await once(news, 'news');
    },
  };
}

async function watches(connection: ApiConnection, count: number): Promise<Watching[]> {
  const all = Array.from({ length: count }, () => watch(connection));
  await Promise.all(all.map(({ until }) => until('open')));
  return all;
}

// The first: a connection of another test that ended in the meantime would keep its timer.
test('an answered PING shows that a silent watch is alive; an unanswered one ends its connection', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const { promise: alive, resolve } = Promise.withResolvers<void>();
  const answer = await connection.watchStream('/watched', 'application/json', { onAlive: resolve });
  context.mock.timers.tick(20_000);
  await alive;
  context.mock.timers.tick(20_000);
  await watches(connection, 1);
  assert.equal(server.sessions.length, 1);
  // No time for an answer.
  context.mock.timers.tick(20_000);
  context.mock.timers.tick(20_000);
  await assert.rejects(answer.body[Symbol.asyncIterator]().next(), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /the server answers no PING/);
    return true;
  });
  await watches(connection, 1);
  assert.equal(server.sessions.length, 2);
});

test('an aborted watch leaves the others of its connection alone', async () => {
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const [first, second, third] = await watches(connection, 3);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  first.controller.abort();
  assert.match(await first.ended, /cancelled/);
  await server.until(() => server.streams.some((stream) => stream.closed));
  for (const stream of server.streams) if (!stream.closed) stream.write('still here');
  await Promise.all([second.until('still here'), third.until('still here')]);
  assert.equal(server.sessions.length, 1);
});

test('a stream that the server resets ends, and the others go on', async () => {
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const all = await watches(connection, 3);
  server.streams[1]?.close(constants.NGHTTP2_INTERNAL_ERROR);
  await Promise.race(all.map(({ ended }) => ended));
  for (const stream of server.streams) if (!stream.closed) stream.write('still here');
  await Promise.any(all.map(({ until }) => until('still here')));
  assert.equal(all.filter(({ text }) => text().includes('open')).length, 3);
});

test('a server that wants to be rid of a connection gets the next watch on another one', async () => {
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const [old] = await watches(connection, 1);
  server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
  await watches(connection, 1);
  assert.equal(server.sessions.length, 2);
  server.streams[0]?.end('the end');
  await old?.ended;
});

test('a connection that is lost ends all its watches, and the next are open at once', async () => {
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const all = await watches(connection, 4);
  server.sockets[0]?.destroy();
  await Promise.all(all.map(({ ended }) => ended));
  await watches(connection, 4);
  assert.equal(server.sessions.length, 2);
});

test('more watches than a server takes on a connection open another one', async () => {
  const server = await new Http2Fake().start(5);
  await watches(connectTo(server.port), 12);
  assert.equal(server.streams.length, 12);
  assert.ok(server.sessions.length >= 3, `${server.sessions.length} connections`);
});

test('a server that takes no watch at all is an error, not a loop', async () => {
  const server = await new Http2Fake().start(0);
  assert.match(await watch(connectTo(server.port)).ended, /the server takes no request/);
  assert.equal(server.sockets.length, 1);
});

test('hundreds of watches share a connection', async () => {
  const server = await new Http2Fake().start();
  await watches(connectTo(server.port), 200);
  assert.equal(server.sessions.length, 1);
});

test('a server without HTTP/2 gets a connection a watch, and still answers requests', async () => {
  const server = createHttpsServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (request.url === '/watched') response.write('open\n');
    else response.end('{}');
  });
  const port = await listen(server);
  cleanups.push(() => server.closeAllConnections());
  const connection = connectTo(port);
  await watches(connection, 30);
  assert.deepEqual(await connection.getJson('/'), {});
});

test('a server that hangs up on every connection is an error, not a loop', async () => {
  let connections = 0;
  const server = createTlsServer(
    { cert: serving.certificate, key: serving.key, ALPNProtocols: ['h2', 'http/1.1'] },
    (socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.end();
    },
  );
  const connection = connectTo(await listen(server));
  assert.match(await watch(connection).ended, /cannot watch .* of the server/);
  assert.ok(connections <= 3, `${connections} connections`);
});

test('a renewed client certificate opens a new connection; watches of the old one go on until all is closed', async () => {
  const server = await new Http2Fake().start();
  const [one, two] = await Promise.all([authority.client('one', []), authority.client('two', [])]);
  const credentials = ({ certificate, key }: KeyPair): Credentials => ({
    clientCertificate: certificate,
    clientKey: key,
  });
  let present = credentials(one);
  const connection = connectTo(server.port, {
    credentials: { current: () => Promise.resolve(present), invalidate: () => false },
  });
  const [old] = await watches(connection, 1);
  present = credentials(two);
  const [renewed] = await watches(connection, 1);
  assert.equal(server.sessions.length, 2);
  server.streams[0]?.write('still here');
  await old?.until('still here');
  await connection.close();
  await Promise.all([old?.ended, renewed?.ended]);
});

test('what is not read is not taken from the server', async () => {
  const server = await new Http2Fake().start();
  const connection = connectTo(server.port);
  const answer = await connection.watchStream('/watched', 'application/json', {});
  const [stream] = server.streams;
  assert.ok(stream !== undefined);
  const block = Buffer.alloc(64 * 1024);
  let sent = 0;
  // Until a write is refused for good: the windows of HTTP/2 and the buffers of TCP are full.
  while (sent < 64 * 1024 * 1024) {
    sent += block.length;
    if (stream.write(block)) continue;
    const drained = await Promise.race([
      once(stream, 'drain').then(() => true),
      new Promise<boolean>((resolve) => {
        setTimeout(resolve, 300, false);
      }),
    ]);
    if (!drained) break;
  }
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`);
  for await (const chunk of answer.body) {
    sent -= chunk.length;
    if (sent <= 0) break;
  }
});

test('credentials, impersonation, another name and a stream that is dialled hold for watches too', async () => {
  const server = await new Http2Fake().start();
  const { key, certificate } = await authority.server(['api.tenant']);
  serving = { key, certificate };
  const named = await new Http2Fake().start();
  serving = await authority.server(['127.0.0.1']);
  const impersonation = { user: 'jane', uid: '', groups: ['a', 'b'], extra: { 'Reason/Why': ['x'] } };
  const authorization = 'Bearer secret';
  const connection = connectTo(server.port, {
    server: 'https://nowhere.invalid:6443/prefix',
    tlsServerName: 'api.tenant',
    dial: () => Promise.resolve(connect(named.port, '127.0.0.1')),
    credentials: { current: () => Promise.resolve({ authorization }), invalidate: () => false },
    impersonation,
  });
  await watches(connection, 1);
  assert.equal(server.sessions.length, 0);
  const [headers] = named.requests;
  assert.equal(headers?.[':path'], '/prefix/watched');
  assert.equal(headers?.[':authority'], 'nowhere.invalid:6443');
  assert.equal(headers?.authorization, authorization);
  assert.equal(headers?.['impersonate-user'], 'jane');
  assert.equal(headers?.['impersonate-group'], 'a, b');
  assert.equal(headers?.['impersonate-extra-reason%2fwhy'], 'x');
});

test('a proxy that tunnels is asked for watches too', async () => {
  const server = createHttpsServer({ cert: serving.certificate, key: serving.key }, (_request, response) => {
    response.writeHead(200);
    response.write('open\n');
  });
  const port = await listen(server);
  cleanups.push(() => server.closeAllConnections());
  let tunnels = 0;
  const proxy = createHttpServer().on('connect', (_request, near) => {
    tunnels += 1;
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(near).pipe(far);
    });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
  await watches(connectTo(port, { proxyUrl }), 2);
  assert.ok(tunnels > 0);
});

test('a thousand watches in a row leave no listener, timer or connection behind', async () => {
  const server = await new Http2Fake().start();
  let version = 10;
  server.answer = (stream) => {
    version += 1;
    stream.end(
      `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } })}\n`,
    );
  };
  const lists = createHttpsServer({ cert: serving.certificate, key: serving.key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"metadata":{"resourceVersion":"10"},"items":[]}');
  });
  const listPort = await listen(lists);
  cleanups.push(() => lists.closeAllConnections());
  // The list has a connection of its own, which this server serves; watches are dialled second and later.
  let dialled = 0;
  const connection = connectTo(listPort, {
    dial: () => {
      dialled += 1;
      return Promise.resolve(connect(dialled === 1 ? listPort : server.port, '127.0.0.1'));
    },
  });
  const controller = new AbortController();
  const store = new ReflectedStore<Claim>();
  const reflector = new Reflector(connection, CLAIMS, store, {
    namespace: null,
    signal: controller.signal,
    onState: store.onState,
    timing: { shortestWatch: 0 },
  });
  const ended = reflector.run();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await server.until(() => server.streams.length >= 10);
  const before = timers();
  await server.until(() => server.streams.length >= 1_000);
  assert.ok(timers() <= before + 3, `${timers()} timers after ${before}`);
  assert.ok(getEventListeners(controller.signal, 'abort').length <= 2);
  assert.equal(server.sessions.length, 1);
  controller.abort();
  await ended;
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});
