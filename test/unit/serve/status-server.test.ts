/** /metrics, /healthz and /readyz over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { parseBindAddress } from '../../../src/serve/bind-address.ts';
import type { BindAddress } from '../../../src/serve/bind-address.ts';
import { startStatusServer } from '../../../src/serve/status-server.ts';
import type { StatusServer, StatusSources } from '../../../src/serve/status-server.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const METRICS = { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'ä_total 1\n' };

let reason: string | null = null;
let exposition: StatusSources['exposition'] = async () => METRICS;
let server: StatusServer;
let url = '';

describe('the status server', () => {
  before(async () => {
    server = await startStatusServer(LOOPBACK, {
      exposition: () => exposition(),
      notReady: () => reason,
    });
    url = `http://${server.address}`;
  });
  after(() => server.close());

  test('/metrics gives the exposition under its content type, to whoever asks with a query too', async () => {
    for (const path of ['/metrics', '/metrics?name[]=x']) {
      const answer = await fetch(url + path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), METRICS.contentType);
      assert.equal(await answer.text(), METRICS.text);
    }
  });

  test('/metrics is 500 where collecting fails, and the server goes on', async () => {
    exposition = () => Promise.reject(new Error('a bug'));
    const answer = await fetch(`${url}/metrics`);
    assert.equal(answer.status, 500);
    assert.equal(await answer.text(), 'it could not be collected: Error: a bug\n');
    exposition = async () => METRICS;
    assert.equal((await fetch(`${url}/metrics`)).status, 200);
  });

  test('/readyz is 503 with one line why until it is ready; /healthz is 200 all the time', async () => {
    reason = 'the super cluster has not been listed';
    const notReady = await fetch(`${url}/readyz`);
    assert.equal(notReady.status, 503);
    assert.equal(await notReady.text(), 'not ready: the super cluster has not been listed\n');
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    reason = null;
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.equal(await ready.text(), 'ok\n');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const answer = await fetch(`${url}/metrics`, { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(METRICS.text)));
    assert.equal(await answer.text(), '');
  });

  test('other methods are 405, other paths 404', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await fetch(`${url}/metrics`, { method });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
    }
    for (const path of ['/', '/metrics/', '/readyz/x', '//metrics']) {
      assert.equal((await fetch(url + path)).status, 404, path);
    }
  });

  test('a body is not read: the answer comes before it, and the connection ends', async () => {
    const { answer } = await talk(
      'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc',
    );
    assert.match(answer, /^HTTP\/1\.1 405 /);
    assert.match(answer, /connection: close/i);
  });

  test('what is no HTTP, and headers beyond 8 KiB, end the connection', async () => {
    assert.match((await talk('\u0016\u0003\u0001 hello\r\n\r\n')).answer, /^HTTP\/1\.1 400 /);
    const long = await talk(`GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`);
    assert.match(long.answer, /^HTTP\/1\.1 431 /);
  });

  test('a port in use is one line that names it', async () => {
    const port = Number(server.address.split(':').pop());
    await assert.rejects(startStatusServer({ host: '127.0.0.1', port }, sources()), (error) => {
      assert.ok(error instanceof UserError);
      assert.equal(
        error.message,
        `cannot serve metrics on 127.0.0.1:${port}: the port is in use: end what listens there, or give another --metrics-bind-address`,
      );
      return true;
    });
  });

  test('an address that this machine does not have is one line that says so', async () => {
    // A documentation address (RFC 5737): nobody has it.
    await assert.rejects(startStatusServer({ host: '192.0.2.1', port: 0 }, sources()), {
      name: 'UserError',
      message: /^cannot serve metrics on 192\.0\.2\.1:0: this machine has no such address: /,
    });
  });
});

test('a client that is silent, or sends its request a byte at a time, is cut off and nobody else', async () => {
  const server = await startStatusServer(LOOPBACK, sources(), { requestTimeout: 200, answerTimeout: 200 });
  const silent = await connected(server);
  const slow = await connected(server);
  slow.write('GET /metrics HTT');
  const drip = setInterval(() => slow.write('P'), 20);
  await Promise.all([closed(silent), closed(slow)]).finally(() => clearInterval(drip));
  assert.equal((await fetch(`http://${server.address}/healthz`)).status, 200);
  await server.close();
});

test('a client that does not take its answer is cut off, and does not keep the server from closing', async () => {
  const asked = Promise.withResolvers<void>();
  const exposition = async () => {
    asked.resolve();
    return { contentType: 'text/plain', text: 'x'.repeat(64 * 1024 * 1024) };
  };
  const limits = { requestTimeout: 60_000, answerTimeout: 200 };
  const server = await startStatusServer(LOOPBACK, { ...sources(), exposition }, limits);
  const socket = await connected(server);
  socket.pause();
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await asked.promise;
  await server.close();
  socket.destroy();
});

test('closing waits for an answer under way and ends idle connections', async () => {
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const exposition = async () => {
    asked.resolve();
    await goOn.promise;
    return METRICS;
  };
  const server = await startStatusServer(LOOPBACK, { ...sources(), exposition });
  const idle = await connected(server);
  const scrape = fetch(`http://${server.address}/metrics`);
  await asked.promise;
  const closing = server.close();
  goOn.resolve();
  assert.equal(await (await scrape).text(), METRICS.text);
  await Promise.all([closing, closed(idle)]);
  await assert.rejects(fetch(`http://${server.address}/healthz`));
});

test('an IPv6 address is listened on and told in brackets; a port alone is all addresses', async () => {
  const six = await startStatusServer(parsed('[::1]:0'), sources());
  assert.match(six.address, /^\[::1\]:\d+$/);
  assert.equal((await fetch(`http://${six.address}/healthz`)).status, 200);
  await six.close();

  const all = await startStatusServer(parsed(':0'), sources());
  const port = all.address.split(':').pop();
  for (const host of ['127.0.0.1', '[::1]']) {
    assert.equal((await fetch(`http://${host}:${port}/healthz`)).status, 200, host);
  }
  await all.close();
});

function sources(): StatusSources {
  return { exposition: async () => METRICS, notReady: () => null };
}

function parsed(text: string): BindAddress {
  const address = parseBindAddress(text, '--metrics-bind-address');
  assert.ok(address !== null);
  return address;
}

async function connected(server: StatusServer): Promise<Socket> {
  const socket = connect(Number(server.address.split(':').pop()), '127.0.0.1');
  // The server may cut it: that is what is looked for.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** In order or by a reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    // What is not read keeps the end from being seen.
    socket.resume();
  });
}

/** Sends what fetch would not, and reads until the server ends the connection. */
async function talk(request: string): Promise<{ answer: string }> {
  const socket = await connected(server);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
  socket.write(request);
  await closed(socket);
  return { answer };
}
