/** Lists from servers that break, refuse, delay or lie: a fake server plays what a real one does only by accident. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import { listAll } from '../../../src/kube/list.ts';
import { claimDecoder } from '../../../src/kube/protobuf/objects.ts';
import { ListStream } from '../../../src/kube/protobuf/list-stream.ts';
import { ProtobufError } from '../../../src/kube/protobuf/wire.ts';
import { CLAIMS } from '../../../src/kube/resources.ts';
import { StatusError } from '../../../src/kube/status-error.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import type { Answer, FakeApiServer } from '../../support/fake-api-server.ts';
import { bytesField, claimBytes, listBytes } from '../../support/protobuf.ts';

const servers: FakeApiServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

async function serve(answer: Answer, requestTimeout = 0): Promise<FakeApiServer> {
  const server = await fakeApiServer(answer, requestTimeout);
  servers.push(server);
  return server;
}

async function namesFrom(server: FakeApiServer): Promise<string[]> {
  return (await listAll(server.connection, CLAIMS, { namespace: null })).map(({ name }) => name);
}

const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };
const ITEMS = ['a', 'b', 'c'].map((name) => claimBytes('shop', name, 'Bound'));

test('pages are followed to the end', async () => {
  const server = await serve((request, response) => {
    response.writeHead(200, PROTOBUF);
    response.end(
      request.url?.includes('continue=next') === true
        ? listBytes(ITEMS.slice(2))
        : listBytes(ITEMS.slice(0, 2), 'next'),
    );
  });
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
});

/** Serves two pages; the first one ends once the second has been asked for. */
function pagesOf(first: Answer, second: Answer, requestTimeout = 0): Promise<FakeApiServer> {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  return serve((request, response) => {
    if (request.url?.includes('continue=next') === true) {
      asked();
      return second(request, response);
    }
    response.writeHead(200, PROTOBUF);
    const bytes = listBytes(ITEMS.slice(0, 2), 'next');
    response.write(bytes.subarray(0, -10));
    void isAsked.then(() => first(request, response));
    return undefined;
  }, requestTimeout);
}
const restOfFirst: Answer = (_request, response) => {
  response.end(listBytes(ITEMS.slice(0, 2), 'next').subarray(-10));
};

test('the next page is asked for while the present one still arrives', async () => {
  const server = await pagesOf(restOfFirst, (_request, response) => {
    response.writeHead(200, PROTOBUF);
    response.end(listBytes(ITEMS.slice(2)));
  });
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
  assert.equal(server.requests.length, 2);
});

test('a page that breaks off is an error, and the page asked for ahead is given up', async () => {
  let gone = (): void => {};
  const isGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const server = await pagesOf(
    (_request, response) => response.destroy(),
    (_request, response) => {
      response.on('close', gone);
      response.writeHead(200, PROTOBUF);
      response.write(listBytes(ITEMS.slice(2)).subarray(0, -1));
    },
  );
  await assert.rejects(namesFrom(server), UserError);
  await isGone;
});

test('a page refused ahead of its turn is told when it comes, as the list that it ends', async () => {
  const server = await pagesOf(restOfFirst, (_request, response) =>
    sendJson(response, 403, { kind: 'Status', message: 'no more for you', reason: 'Forbidden' }),
  );
  await assert.rejects(namesFrom(server), /no more for you/);
});

test('with --request-timeout each page is asked for in its turn: waiting would count', async () => {
  const open = { pages: 0, most: 0 };
  const server = await serve((request, response) => {
    open.pages += 1;
    open.most = Math.max(open.most, open.pages);
    response.on('finish', () => {
      open.pages -= 1;
    });
    const isLast = request.url?.includes('continue=next') === true;
    const bytes = isLast ? listBytes(ITEMS.slice(2)) : listBytes(ITEMS.slice(0, 2), 'next');
    response.writeHead(200, PROTOBUF);
    response.write(bytes.subarray(0, -10));
    // Time enough for a client that looks ahead.
    setTimeout(() => response.end(bytes.subarray(-10)), 50);
  }, 10_000);
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
  assert.equal(open.most, 1);
});

test('a page token that expires in the middle starts the list again, and no object is kept twice', async () => {
  let expired = false;
  const server = await serve((request, response) => {
    if (request.url?.includes('continue=') === true && !expired) {
      expired = true;
      sendJson(response, 410, {
        kind: 'Status',
        reason: 'Expired',
        message: 'the token is too old',
        code: 410,
      });
      return;
    }
    response.writeHead(200, PROTOBUF);
    response.end(
      request.url?.includes('continue=') === true
        ? listBytes(ITEMS.slice(2))
        : listBytes(ITEMS.slice(0, 2), 'next'),
    );
  });
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
  assert.equal(server.requests.length, 4);
});

test('tokens that expire each time end in one request for everything', async () => {
  const server = await serve((request, response) => {
    if (request.url?.includes('continue=') === true)
      return sendJson(response, 410, { message: 'expired', reason: 'Expired' });
    response.writeHead(200, PROTOBUF);
    return response.end(
      request.url?.includes('limit=') === true ? listBytes(ITEMS.slice(0, 2), 'next') : listBytes(ITEMS),
    );
  });
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
});

test('429 is asked again after Retry-After', async () => {
  let refused = false;
  const server = await serve((_request, response) => {
    if (!refused) {
      refused = true;
      return sendJson(response, 429, { message: 'too many requests' }, { 'retry-after': '1' });
    }
    response.writeHead(200, PROTOBUF);
    return response.end(listBytes(ITEMS));
  });
  const start = performance.now();
  assert.deepEqual(await namesFrom(server), ['a', 'b', 'c']);
  assert.ok(performance.now() - start >= 950, 'it waited as long as it was told');
});

test('a server that answers JSON is read all the same', async () => {
  const server = await serve((_request, response) =>
    sendJson(response, 200, {
      kind: 'PersistentVolumeClaimList',
      metadata: {},
      items: ['a', 'b'].map((name) => ({
        metadata: { name, namespace: 'shop' },
        status: { phase: 'Bound' },
      })),
    }),
  );
  assert.deepEqual(await namesFrom(server), ['a', 'b']);
});

test('a proxy that refuses protobuf is asked for JSON', async () => {
  const server = await serve((request, response) => {
    if (request.headers.accept !== 'application/json')
      return sendJson(response, 406, { message: 'only JSON here' });
    return sendJson(response, 200, { items: [{ metadata: { name: 'a', namespace: 'shop' } }] });
  });
  assert.deepEqual(await namesFrom(server), ['a']);
});

test('an answer that is cut off is an error, not a short list', async () => {
  const whole = listBytes(ITEMS);
  const server = await serve((_request, response) => {
    response.writeHead(200, PROTOBUF);
    response.end(whole.subarray(0, whole.length - 5));
  });
  await assert.rejects(namesFrom(server), /the list ends before it is complete/);
});

test('a connection that breaks in the middle is told in one line', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, PROTOBUF);
    response.write(listBytes(ITEMS).subarray(0, 30));
    setImmediate(() => response.destroy());
  });
  await assert.rejects(namesFrom(server), (error: Error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /cannot get \/api\/v1\/persistentvolumeclaims of the fake .*closed/);
    return true;
  });
});

test('a silent server is given up after --request-timeout', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, PROTOBUF);
    response.write(listBytes(ITEMS).subarray(0, 30));
  }, 300);
  await assert.rejects(namesFrom(server), /no complete answer within --request-timeout/);
});

test('a server that promises more and sends none is not asked for ever', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, PROTOBUF);
    response.end(listBytes([], 'again'));
  });
  await assert.rejects(namesFrom(server), /promises more objects and sends none/);
});

test('what a server says of itself is one line without escapes', async () => {
  const server = await serve((_request, response) =>
    sendJson(response, 403, { reason: 'Forbidden', message: 'no\u001b[2J\nway\u009b1m' }),
  );
  await assert.rejects(namesFrom(server), (error: Error) => {
    assert.ok(error instanceof StatusError);
    assert.equal(error.code, 403);
    assert.match(error.message, /: no way$/);
    return true;
  });
});

test('a redirect is not followed', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' });
    response.end();
  });
  await assert.rejects(namesFrom(server), /HTTP 302/);
  assert.equal(server.requests.length, 1);
});

test('a list is the same however its bytes are cut into chunks', () => {
  const whole = listBytes(ITEMS);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (sizes) => {
      const names: string[] = [];
      const stream = new ListStream(claimDecoder(), ({ name }) => void names.push(name));
      let position = 0;
      for (const size of sizes) {
        stream.push(whole.subarray(position, position + size));
        position += size;
      }
      stream.push(whole.subarray(Math.min(position, whole.length)));
      stream.end();
      assert.deepEqual(names, ['a', 'b', 'c']);
      assert.equal(stream.resourceVersion, '42');
    }),
  );
});

test('bytes that are no list are refused, never misread as an empty one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, magic) => {
      const stream = new ListStream(claimDecoder(), () => {});
      const input = magic
        ? Buffer.concat([Buffer.from('k8s\0'), bytesField(2, Buffer.from(bytes))])
        : Buffer.from(bytes);
      try {
        stream.push(input);
        stream.end();
        assert.ok(magic, 'only a message with an envelope may be taken');
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }),
    { numRuns: 5000 },
  );
});

test('a name of megabytes is refused', () => {
  const stream = new ListStream(claimDecoder(), () => {});
  assert.throws(
    () => stream.push(listBytes([claimBytes('shop', 'x'.repeat(2_000_000), 'Bound')])),
    ProtobufError,
  );
});
