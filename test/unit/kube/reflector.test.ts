/** A reflector before servers that cut, refuse, lie or fall silent: a fake plays what a real one does only by accident. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Reflector } from '../../../src/kube/reflector.ts';
import type { ReflectorOptions } from '../../../src/kube/reflector.ts';
import { CLAIMS } from '../../../src/kube/resources.ts';
import { StatusError } from '../../../src/kube/status-error.ts';
import type { Claim } from '../../../src/reconcile/model.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import type { FakeApiServer } from '../../support/fake-api-server.ts';
import { ReflectedStore } from '../../support/reflected-store.ts';

type Watched = (response: ServerResponse, query: URLSearchParams, request: IncomingMessage) => void;

interface Run {
  readonly server: FakeApiServer;
  readonly store: ReflectedStore<Claim>;
  readonly reflector: Reflector<Claim>;
  readonly ended: Promise<void>;
  /** Ends the reflector, and gives what run() then does. */
  readonly stop: () => Promise<void>;
}

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** The server answers lists and watches, one after the other, as these say; the last one is repeated. */
async function reflect(
  lists: readonly Watched[],
  watches: readonly Watched[],
  options: Partial<ReflectorOptions> = {},
): Promise<Run> {
  const left = { lists: [...lists], watches: [...watches] };
  const server = await fakeApiServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://fake').searchParams;
    const answers = query.get('watch') === '1' ? left.watches : left.lists;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response, query, request);
  });
  const store = new ReflectedStore<Claim>();
  const controller = new AbortController();
  const reflector = new Reflector(server.connection, CLAIMS, store, {
    namespace: null,
    signal: controller.signal,
    onState: store.onState,
    random: () => 0,
    ...options,
  });
  const ended = reflector.run();
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  cleanups.push(async () => {
    await stop().catch(() => {});
    await server.close();
  });
  return { server, store, reflector, ended, stop };
}

const claim = (name: string, resourceVersion: string): object => ({
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion },
});

const list =
  (resourceVersion: string, ...items: readonly object[]): Watched =>
  (response) =>
    sendJson(response, 200, { metadata: { resourceVersion }, items });

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

/** Sends these and keeps the watch open, or does with it what `then` says. */
const events =
  (lines: readonly string[], then: (response: ServerResponse) => void = () => {}): Watched =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const one of lines) response.write(one);
    setImmediate(() => then(response));
  };

const end = (response: ServerResponse): void => void response.end();
const cut = (response: ServerResponse): void => void response.destroy();
const status =
  (code: number, headers: Record<string, string> = {}): Watched =>
  (response) =>
    sendJson(response, code, { kind: 'Status', code, reason: 'Test', message: `no: ${code}` }, headers);

/** The resourceVersions that watches were asked for, in order. */
function watchedFrom(server: FakeApiServer): (string | null)[] {
  return server.requests
    .map((one) => new URL(one.split(' ')[1] ?? '', 'http://fake').searchParams)
    .filter((query) => query.get('watch') === '1')
    .map((query) => query.get('resourceVersion'));
}

test('objects are listed, then followed from the list on', async () => {
  const { store, server, reflector, stop } = await reflect(
    [list('5', claim('a', '3'), claim('b', '4'))],
    [
      events([
        line('ADDED', claim('c', '6')),
        line('MODIFIED', claim('a', '7')),
        line('DELETED', claim('b', '8')),
        line('BOOKMARK', { metadata: { resourceVersion: '20' } }),
      ]),
    ],
  );
  await store.until(() => reflector.resourceVersion === '8' || reflector.resourceVersion === '20');
  assert.deepEqual(store.contents(), ['shop/a 7', 'shop/c 6']);
  assert.deepEqual(store.told, ['replace 2', 'put shop/c 6', 'put shop/a 7', 'remove shop/b 8']);
  assert.deepEqual(watchedFrom(server), ['5']);
  assert.deepEqual(
    store.states.map(({ kind }) => kind),
    ['listing', 'watching'],
  );
  await stop();
});

test('a watch that is cut in the middle of an event goes on after the last whole one', async () => {
  const half = line('MODIFIED', claim('a', '7')).slice(0, 30);
  const { store, server } = await reflect(
    [list('5', claim('a', '3'))],
    [events([line('MODIFIED', claim('a', '6')), half], cut), events([line('MODIFIED', claim('a', '7'))])],
  );
  await store.until(() => store.told.length === 3);
  assert.deepEqual(store.told, ['replace 1', 'put shop/a 6', 'put shop/a 7']);
  assert.deepEqual(watchedFrom(server), ['5', '6']);
});

test('a bookmark is where the next watch begins', async () => {
  const { store, server } = await reflect(
    [list('5')],
    [
      events([line('BOOKMARK', { metadata: { resourceVersion: '900' } })], end),
      events([line('ADDED', claim('a', '901'))]),
    ],
  );
  await store.until(() => store.told.length === 2);
  assert.deepEqual(watchedFrom(server), ['5', '900']);
});

test('an expired resourceVersion, as an answer or as an event, lists again at once', async () => {
  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  for (const expired of [status(410), events([line('ADDED', claim('c', '6')), line('ERROR', gone)], end)]) {
    const { store, server } = await reflect(
      [list('5', claim('a', '3')), list('50', claim('b', '40'))],
      [expired, events([line('ADDED', claim('e', '51'))])],
    );
    await store.until(() => store.objects.has('shop/e'));
    assert.deepEqual(store.contents(), ['shop/b 40', 'shop/e 51']);
    assert.deepEqual(watchedFrom(server), ['5', '50']);
    assert.deepEqual(
      store.states.map(({ kind }) => kind),
      ['listing', 'watching', 'listing', 'watching'],
    );
  }
});

test('a server that answers 410 again and again is backed off from', async () => {
  const { store, server } = await reflect([list('5')], [status(410)]);
  await store.until(() => store.states.at(-1)?.kind === 'failing');
  assert.equal(server.requests.length, 4, 'two lists, two watches');
  const state = store.states.at(-1);
  assert.ok(state?.kind === 'failing');
  assert.equal(state.retryIn, 800);
});

test('so is one that tells one event each time before it has expired', async () => {
  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  const { store, server } = await reflect(
    [list('5')],
    [events([line('ADDED', claim('c', '6')), line('ERROR', gone)], end)],
  );
  const failures = (): number => store.states.filter(({ kind }) => kind === 'failing').length;
  await store.until(() => failures() === 2);
  assert.equal(server.requests.length, 6, 'three lists, three watches');
  const state = store.states.at(-1);
  assert.ok(state?.kind === 'failing');
  assert.equal(state.retryIn, 1600);
});

test('failures are told with when it is tried again, each later than the one before', async () => {
  const { store } = await reflect([status(503), status(500), list('5')], [events([])]);
  await store.until(() => store.states.at(-1)?.kind === 'watching');
  assert.deepEqual(
    store.states.map((state) =>
      state.kind === 'failing' ? [state.failures, state.retryIn, state.error.message] : state.kind,
    ),
    [
      'listing',
      [1, 800, 'cannot get /api/v1/persistentvolumeclaims of the fake: no: 503'],
      [2, 1600, 'cannot get /api/v1/persistentvolumeclaims of the fake: no: 500'],
      'watching',
    ],
  );
});

test('a server that says when to come again is asked no sooner', async () => {
  const { store } = await reflect([list('5')], [status(429, { 'retry-after': '7' })]);
  await store.until(() => store.states.at(-1)?.kind === 'failing');
  const state = store.states.at(-1);
  assert.ok(state?.kind === 'failing');
  assert.equal(state.retryIn, 7000);
});

test('a watch that ends at once and tells nothing is a failure, not a loop', async () => {
  const { store, server } = await reflect([list('5')], [events([], end)]);
  await store.until(() => store.states.filter(({ kind }) => kind === 'failing').length === 2);
  assert.equal(watchedFrom(server).length, 2);
  const state = store.states.at(-1);
  assert.ok(state?.kind === 'failing');
  assert.equal(state.failures, 2);
  assert.match(state.error.message, /persistentvolumeclaims of the fake: the server ends each watch at once/);
});

test('what the caller gives up on is not tried again', async () => {
  const { server, ended } = await reflect([status(401)], [], {
    giveUpOn: (error) => error instanceof StatusError && error.code === 401,
  });
  await assert.rejects(ended, (error) => error instanceof StatusError && error.code === 401);
  assert.equal(server.requests.length, 1);
});

test('an abort ends it while it lists, watches or waits', async () => {
  const listing = await reflect([() => {}], []);
  await listing.store.until(() => listing.store.states.length === 1);
  await listing.stop();
  const watching = await reflect([list('5')], [events([])]);
  await watching.store.until(() => watching.store.states.at(-1)?.kind === 'watching');
  await watching.stop();
  const waiting = await reflect([status(500)], []);
  await waiting.store.until(() => waiting.store.states.at(-1)?.kind === 'failing');
  await waiting.stop();
});

test('a connection on which nothing is heard is cut, and the watch goes on', async () => {
  const { store, server } = await reflect(
    [list('5'), list('6')],
    [events([line('ADDED', claim('a', '6'))]), events([line('ADDED', claim('b', '7'))])],
    { timing: { longestSilence: 60 } },
  );
  await store.until(() => store.objects.size === 2);
  assert.deepEqual(watchedFrom(server).slice(0, 2), ['5', '6']);
});

test('a server that comes back with earlier versions is listed again', async () => {
  // First the list, then one object to learn the version of now, then the list of what there is now.
  const { store, server } = await reflect(
    [list('500', claim('a', '3')), list('20', claim('b', '12')), list('20', claim('b', '12'))],
    [status(503), events([line('ADDED', claim('c', '21'))])],
  );
  await store.until(() => store.objects.has('shop/c'));
  assert.deepEqual(store.contents(), ['shop/b 12', 'shop/c 21']);
  assert.deepEqual(watchedFrom(server).slice(0, 2), ['500', '20']);
});

test('a list that falls silent is cut too', async () => {
  const { store } = await reflect([() => {}, list('5')], [events([])], { timing: { longestSilence: 60 } });
  await store.until(() => store.states.at(-1)?.kind === 'watching');
  assert.match(JSON.stringify(store.states.map((state) => 'error' in state && state.error.message)), /heard/);
});

test('an event that no API server sends is a clear error, and the store stays as it was', async () => {
  for (const [sent, told] of [
    ['<html>\n', /no stream of watch events/],
    [line('ADDED', { metadata: { name: 'a' } }), /no resourceVersion/],
    [line('ADDED', { metadata: { resourceVersion: '6' } }), /no name/],
    [line('RENAMED', claim('a', '6')), /unknown kind/],
  ] as const) {
    const { store, reflector, stop } = await reflect([list('5', claim('z', '3'))], [events([sent])]);
    await store.until(() => store.states.at(-1)?.kind === 'failing');
    const state = store.states.at(-1);
    assert.ok(state?.kind === 'failing');
    assert.match(state.error.message, told);
    assert.deepEqual(store.contents(), ['shop/z 3']);
    assert.equal(reflector.resourceVersion, '5');
    await stop();
  }
});

test('a list without resourceVersion, or with a nameless object, replaces nothing', async () => {
  for (const bad of [list(''), list('5', { metadata: { uid: 'x' } })]) {
    const { store, stop } = await reflect([bad], []);
    await store.until(() => store.states.at(-1)?.kind === 'failing');
    assert.deepEqual(store.told, []);
    await stop();
  }
});

test('the deletion of an object that was never seen is passed on', async () => {
  const { store } = await reflect([list('5')], [events([line('DELETED', claim('a', '6'))])]);
  await store.until(() => store.told.length === 2);
  assert.deepEqual(store.told, ['replace 0', 'remove shop/a 6']);
});

test('an event without end is refused, not kept', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const endless = (response: ServerResponse): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(megabyte));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const { store } = await reflect([list('5')], [events(['{'], endless)]);
  await store.until(() => store.states.at(-1)?.kind === 'failing');
  const state = store.states.at(-1);
  assert.ok(state?.kind === 'failing');
  assert.match(state.error.message, /an event is larger than any object can be/);
});

test('what had arrived when it was ended is not told any more', async () => {
  const controller = new AbortController();
  const { store, ended } = await reflect(
    [list('5')],
    [events([line('ADDED', claim('a', '6')) + line('ADDED', claim('b', '7'))])],
    { signal: controller.signal },
  );
  const put = store.put.bind(store);
  store.put = (object) => {
    put(object);
    controller.abort();
  };
  await ended;
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual(store.told, ['replace 0', 'put shop/a 6']);
});
