/** Watches in both formats, from servers that cut and lie: a fake plays what a real one does only by accident. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { CLAIMS, SECRET_METADATA } from '../../../src/kube/resources.ts';
import type { Resource } from '../../../src/kube/resources.ts';
import { StatusError } from '../../../src/kube/status-error.ts';
import { watchOnce } from '../../../src/kube/watch.ts';
import type { Claim } from '../../../src/reconcile/model.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import type { Answer, FakeApiServer } from '../../support/fake-api-server.ts';
import {
  bytesField,
  claimBytes,
  enveloped,
  eventFrame,
  framed,
  listBytes,
  statusBytes,
} from '../../support/protobuf.ts';
import { ReflectedStore } from '../../support/reflected-store.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf;stream=watch';

async function serving<T>(answer: Answer, use: (server: FakeApiServer) => Promise<T>): Promise<T> {
  const server = await fakeApiServer(answer);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

/** Events in words. */
async function told<T>(server: FakeApiServer, resource: Resource<T>): Promise<string[]> {
  const seen: string[] = [];
  const options = { namespace: null, resourceVersion: '1', signal: new AbortController().signal };
  for await (const event of watchOnce(server.connection, resource, options)) {
    seen.push(`${event.type} ${event.resourceVersion}`);
  }
  return seen;
}

const claimEvent = (type: string, name: string, resourceVersion: string, format: Format): Buffer =>
  format === 'protobuf'
    ? eventFrame(type, 'PersistentVolumeClaim', claimBytes('shop', name, 'Bound', resourceVersion))
    : Buffer.from(
        `${JSON.stringify({ type, object: { metadata: { namespace: 'shop', name, resourceVersion } } })}\n`,
      );

type Format = 'protobuf' | 'json';

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly name: string;
}

/** What one connection does: how its bytes are cut into chunks, and after how many it breaks or ends. */
interface Cut {
  readonly sizes: readonly number[];
  readonly bytes: number;
  readonly breaks: boolean;
}

/** What happens to three claims, as an API server would tell it: only what exists is changed or deleted. */
const history = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'ü'), fc.integer({ min: 0, max: 3 })), { maxLength: 20 })
  .map((steps) => {
    const present = new Set<string>();
    return steps.map(([name, choice]): Change => {
      if (choice === 3) return { type: 'BOOKMARK', name };
      if (!present.has(name)) {
        present.add(name);
        return { type: 'ADDED', name };
      }
      if (choice !== 0) return { type: 'MODIFIED', name };
      present.delete(name);
      return { type: 'DELETED', name };
    });
  });

const cuts: fc.Arbitrary<Cut[]> = fc.array(
  fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
    bytes: fc.nat({ max: 1500 }),
    breaks: fc.boolean(),
  }),
  { maxLength: 6 },
);

function sendCut(response: ServerResponse, bytes: Buffer, cut: Cut | undefined): void {
  const wanted = cut === undefined ? bytes : bytes.subarray(0, cut.bytes);
  const sizes = cut?.sizes ?? [bytes.length];
  for (let start = 0, turn = 0; start < wanted.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? wanted.length;
    response.write(wanted.subarray(start, start + size));
    start += size;
  }
  if (cut !== undefined) setImmediate(() => (cut.breaks ? response.destroy() : response.end()));
}

describe('a reflector', () => {
  for (const format of ['json', 'protobuf'] as const) {
    test(`is told each ${format} event once and in order, however connections and chunks are cut`, async () => {
      await fc.assert(
        fc.asyncProperty(history, cuts, async (changes, connections) => {
          const left = [...connections];
          const versions = changes.map((_, index) => index + 10);
          const answer: Answer = (request, response) => {
            const query = new URL(request.url ?? '', 'http://fake').searchParams;
            if (query.get('watch') !== '1') {
              if (format === 'json')
                sendJson(response, 200, { metadata: { resourceVersion: '9' }, items: [] });
              else {
                response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf' });
                response.end(enveloped('PersistentVolumeClaimList', bytesField(1, bytesField(2, '9'))));
              }
              return;
            }
            const from = Number(query.get('resourceVersion'));
            const rest = changes.flatMap(({ type, name }, index) =>
              (versions[index] ?? 0) > from ? [claimEvent(type, name, String(versions[index]), format)] : [],
            );
            response.writeHead(200, { 'content-type': format === 'json' ? 'application/json' : PROTOBUF });
            response.flushHeaders();
            sendCut(response, Buffer.concat(rest), left.shift());
          };
          await serving(answer, async ({ connection }) => {
            const store = new ReflectedStore<Claim>();
            const controller = new AbortController();
            const reflector = new Reflector(connection, CLAIMS, store, {
              namespace: null,
              signal: controller.signal,
              onState: store.onState,
              timing: { shortestWatch: 0 },
            });
            const ended = reflector.run();
            const expected = [
              'replace 0',
              ...changes.flatMap(({ type, name }, index) =>
                type === 'BOOKMARK'
                  ? []
                  : [`${type === 'DELETED' ? 'remove' : 'put'} shop/${name} ${versions[index]}`],
              ),
            ];
            await store.until(() => store.told.length >= expected.length);
            controller.abort();
            await ended;
            assert.deepEqual(store.told, expected);
          });
        }),
        { numRuns: 60 },
      );
    });
  }
});

describe('a watch in protobuf', () => {
  const answered = (...frames: readonly Buffer[]): Promise<string[]> =>
    serving(
      (_request, response) => {
        response.writeHead(200, { 'content-type': PROTOBUF });
        response.end(Buffer.concat(frames));
      },
      (server) => told(server, CLAIMS),
    );

  test('gives every event of a chunk, and no half one at the end', async () => {
    const frames = [
      claimEvent('ADDED', 'a', '2', 'protobuf'),
      claimEvent('MODIFIED', 'a', '3', 'protobuf'),
      eventFrame('BOOKMARK', 'PersistentVolumeClaim', bytesField(1, bytesField(6, '9'))),
      claimEvent('DELETED', 'a', '10', 'protobuf').subarray(0, 20),
    ];
    assert.deepEqual(await answered(...frames), ['ADDED 2', 'MODIFIED 3', 'BOOKMARK 9']);
  });

  test('is asked for with JSON as the second choice, and of a kind without a decoder not at all', async () => {
    const accepted: (string | undefined)[] = [];
    await serving(
      (request, response) => {
        accepted.push(request.headers.accept);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end();
      },
      async (server) => {
        await told(server, CLAIMS);
        await told(server, { ...CLAIMS, decoder: null });
        await told(server, SECRET_METADATA);
      },
    );
    assert.deepEqual(accepted, [
      'application/vnd.kubernetes.protobuf;stream=watch,application/json',
      'application/json',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]);
  });

  test('that a proxy refuses is asked for as JSON', async () => {
    const events = await serving(
      (request, response) => {
        if (request.headers.accept?.includes('protobuf') === true) return sendJson(response, 406, {});
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(claimEvent('ADDED', 'a', '2', 'json'));
      },
      (server) => told(server, CLAIMS),
    );
    assert.deepEqual(events, ['ADDED 2']);
  });

  test('that has expired ends with the code 410, though the answer was 200', async () => {
    const status = statusBytes(410, 'Expired', 'too old\u001b[2J resource version');
    await assert.rejects(answered(eventFrame('ERROR', 'Status', status)), (error) => {
      assert.ok(error instanceof StatusError);
      assert.equal(error.code, 410);
      assert.match(error.message, /too old resource version$/);
      return true;
    });
  });

  test('of frames that are no events is one clear error', async () => {
    const metadata = (...fields: readonly Buffer[]): Buffer => bytesField(1, Buffer.concat(fields));
    for (const [frame, why] of [
      [Buffer.from('ffffffff', 'hex'), /larger than any object/],
      [framed(Buffer.from('<html>')), /cannot be read/],
      [framed(Buffer.alloc(0)), /without a Kubernetes object/],
      [framed(bytesField(1, 'ADDED')), /without a Kubernetes object/],
      [framed(bytesField(2, bytesField(1, 'k8s'))), /without a Kubernetes object/],
      [framed(bytesField(2, bytesField(1, 'k8s\0'))), /without a Kubernetes object/],
      [eventFrame('ADDED', 'PersistentVolumeClaim', metadata(bytesField(1, 'a'))), /no resourceVersion/],
      [eventFrame('ADDED', 'PersistentVolumeClaim', metadata(bytesField(6, '7'))), /no name/],
      [claimEvent('RENAMED', 'a', '7', 'protobuf'), /unknown kind/],
    ] as const) {
      await assert.rejects(answered(frame), (error) => {
        assert.ok(error instanceof UserError, String(error));
        assert.match(error.message, /^cannot watch .* of the fake: /);
        assert.match(error.message, why);
        return true;
      });
    }
  });

  test('of any bytes at all is events, an end or one clear error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        for (const sent of [Buffer.from(bytes), framed(Buffer.from(bytes))]) {
          await answered(sent).catch((error: unknown) => assert.ok(error instanceof UserError));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('that is a web page or a list is refused by its type', async () => {
    const page: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html></html>');
    };
    await assert.rejects(
      serving(page, (server) => told(server, CLAIMS)),
      /it is text\/html, not a Kubernetes watch/,
    );
    const list: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      response.end(listBytes([]));
    };
    await assert.rejects(
      serving(list, (server) => told(server, CLAIMS)),
      UserError,
    );
  });
});
