/** What the reflectors of one cluster tell each other after an outage. Servers are FAKE. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import { Pace } from '../../../src/kube/pace.ts';
import { Recovery } from '../../../src/kube/recovery.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { StatusError } from '../../../src/kube/status-error.ts';
import { CLAIMS } from '../../../src/kube/resources.ts';
import type { Claim } from '../../../src/reconcile/model.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import type { Answer, FakeApiServer } from '../../support/fake-api-server.ts';
import { ReflectedStore } from '../../support/reflected-store.ts';

/** A jitter with which a reflector waits for a quarter of an hour at least: by itself it does not come back in this test. */
const FOR_EVER = 1_000;
const NAMESPACES = ['one', 'two', 'three', 'four'] as const;

interface Cluster {
  readonly server: FakeApiServer;
  /** By namespace; that of the first tries again after 0.8 s, then 1.6 s and so on, the others hardly ever. */
  readonly stores: readonly [ReflectedStore<Claim>, ...ReflectedStore<Claim>[]];
  /** How each request is answered from now on; null: as a server does that is well. */
  answer: Answer | null;
}

const refusing =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    sendJson(response, code, { kind: 'Status', code, reason: 'Test' }, headers);

/** Reflectors that share a connection to one server, each of a namespace. */
async function reflectors(t: TestContext, first: Answer): Promise<Cluster> {
  const controller = new AbortController();
  const server = await fakeApiServer((request, response) => {
    if (cluster.answer !== null) return cluster.answer(request, response);
    if (!request.url?.includes('watch=1')) {
      return sendJson(response, 200, { metadata: { resourceVersion: '5' }, items: [] });
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  });
  const [one, ...others] = NAMESPACES.map(() => new ReflectedStore<Claim>());
  assert.ok(one !== undefined);
  const cluster: Cluster = { server, stores: [one, ...others], answer: first };
  const running = cluster.stores.map((store, index) =>
    new Reflector(server.connection, CLAIMS, store, {
      namespace: NAMESPACES[index] ?? '',
      signal: controller.signal,
      onState: store.onState,
      random: () => (index === 0 ? 0 : FOR_EVER),
    }).run(),
  );
  t.after(async () => {
    controller.abort();
    await Promise.all(running);
    await server.close();
  });
  return cluster;
}

/** Waits until each has failed so often. */
async function failed({ stores }: Cluster, times: number, which = stores.length): Promise<void> {
  await Promise.all(
    stores.slice(0, which).map((store) => {
      return store.until(() => store.states.filter(({ kind }) => kind === 'failing').length >= times);
    }),
  );
}

function watching(stores: readonly ReflectedStore<Claim>[]): Promise<unknown> {
  return Promise.all(stores.map((store) => store.until(() => store.states.at(-1)?.kind === 'watching')));
}

/** How often each but the first has asked. */
function askedByOthers({ server }: Cluster): number[] {
  return NAMESPACES.slice(1).map(
    (namespace) => server.requests.filter((one) => one.includes(`/namespaces/${namespace}/`)).length,
  );
}

/** Has other requests answered, for so long that whoever is woken by that has asked again. */
async function othersAnswered({ server: { connection } }: Cluster): Promise<void> {
  for (let times = 0; times < 10; times += 1) {
    const woken = connection.recovery.wait(3_600_000, new AbortController().signal);
    await connection.getJson('/version');
    assert.ok(await woken);
  }
}

/** As a load balancer does whose API server is gone. */
const gone = refusing(503);

test('after an outage the first reflector that is answered brings the others back, which do not wait out their time', async (t) => {
  const cluster = await reflectors(t, gone);
  await failed(cluster, 1);
  await failed(cluster, 2, 1);
  assert.deepEqual(askedByOthers(cluster), [1, 1, 1], 'none asks more often than it would alone');
  cluster.answer = null;
  await watching(cluster.stores);
});

test('whatever is answered brings them back: a read, a write', async (t) => {
  const cluster = await reflectors(t, (_request, response) => void response.destroy());
  await failed(cluster, 1);
  cluster.answer = null;
  await cluster.server.connection.getJson('/version');
  await watching(cluster.stores);
});

for (const [what, answer] of [
  ['a refusal', refusing(403)],
  ['a time that the server asked for', refusing(503, { 'retry-after': '30' })],
] as const) {
  test(`${what} is waited out, whatever others are answered`, async (t) => {
    const cluster = await reflectors(t, answer);
    await failed(cluster, 1);
    cluster.answer = null;
    await othersAnswered(cluster);
    assert.deepEqual(askedByOthers(cluster), [1, 1, 1]);
  });
}

test('a server that answers one and is gone for the others is not asked by all each time', async (t) => {
  const cluster = await reflectors(t, gone);
  await failed(cluster, 1);
  cluster.answer = (request, response) => {
    if (request.url?.startsWith('/version')) return sendJson(response, 200, {});
    return gone(request, response);
  };
  await cluster.server.connection.getJson('/version');
  // Once more at once, then each by its own back-off, which is for ever.
  await failed(cluster, 2);
  await othersAnswered(cluster);
  assert.deepEqual(askedByOthers(cluster), [2, 2, 2]);
});

test('who was woken in vain may be woken again once it has waited for the longest', () => {
  const pace = new Pace(1_000, () => 0);
  const failure = { error: new UserError('gone'), lived: null, events: 0, took: 0 };
  assert.equal(pace.after(failure).least, 800);
  pace.woken();
  const next = Array.from({ length: 8 }, () => pace.after(failure));
  assert.deepEqual(
    next.map(({ wait }) => wait),
    [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
  );
  assert.deepEqual(
    next.map(({ least }) => least),
    [null, null, null, null, null, null, 30_000, 30_000],
  );
});

test('a server that is back and refuses, or has forgotten versions, is not asked as late as one that is gone', () => {
  const gone = new UserError('gone');
  const refusal = (code: number, retryAfter: number | null = null): StatusError =>
    new StatusError('cannot watch', code, 'Test', 'no', retryAfter);
  const waits = (...errors: readonly UserError[]): number[] => {
    const pace = new Pace(1_000, () => 0);
    const failed = { lived: null, events: 0, took: 0 };
    for (let times = 0; times < 5; times += 1) pace.after({ ...failed, error: gone });
    return errors.map((error) => pace.after({ ...failed, error }).wait);
  };
  assert.deepEqual(waits(gone, gone), [25_600, 30_000]);
  assert.deepEqual(waits(refusal(403), refusal(403), refusal(403)), [800, 1_600, 3_200]);
  assert.deepEqual(waits(refusal(503, 1), refusal(503, 1), refusal(503, 1)), [1_000, 1_600, 3_200]);
  assert.deepEqual(waits(refusal(410), refusal(410), refusal(410)), [0, 800, 1_600]);
  // In turns it is, once.
  assert.deepEqual(
    waits(refusal(403), gone, refusal(403), gone, refusal(403)),
    [800, 1_600, 3_200, 6_400, 12_800],
  );
});

test('who waits together asks in turns: never sooner than a back-off allows, never later than it may', () => {
  const one = fc.record({ failures: fc.nat(6), chance: fc.double({ min: 0, max: 1, noNaN: true }) });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), (waiting) => {
      const recovery = new Recovery();
      const ending = new AbortController();
      for (const { failures, chance } of waiting) {
        const least = 800 * 2 ** failures;
        const wait = recovery.turn(least * (1 + chance), least);
        assert.ok(wait >= least && wait <= 2 * least, `${wait} where ${least} is the least`);
        void recovery.wait(wait, ending.signal);
      }
      ending.abort();
    }),
  );
});

test('six that wait together for an hour ask as often as they would alone, and always one of them soon', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  // Not Math.random: the same figures in each run.
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const recovery = new Recovery();
  const signal = new AbortController().signal;
  const [LEAST, HOUR, COUNT] = [30_000, 3_600_000, 6];
  const due = Array.from({ length: COUNT }, (_, index) => index);
  const times: number[] = [];
  for (let next = 0; next < HOUR; next = Math.min(...due)) {
    t.mock.timers.tick(next - now);
    now = next;
    times.push(now);
    const wait = recovery.turn(LEAST * (1 + random()), LEAST);
    void recovery.wait(wait, signal);
    due[due.indexOf(next)] = now + wait;
  }
  const alone = (COUNT * HOUR) / (1.5 * LEAST);
  assert.ok(times.length <= alone * 1.05, `${times.length} requests, alone ${alone}`);
  const gaps = times.slice(COUNT).map((time, index) => time - (times[COUNT + index - 1] ?? time));
  assert.ok(
    Math.max(...gaps.slice(COUNT)) < LEAST / 2,
    `${Math.max(...gaps.slice(COUNT))} ms without a request`,
  );
});
