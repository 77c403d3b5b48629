/** Faults between a reflector and a real API server, over HTTP/2 and HTTP/1.1: afterwards the store is the server's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLAIMS, VOLUMES } from '../../src/kube/resources.ts';
import { FakeGateway, FakeNetwork } from '../control-plane/proxy.ts';
import type { Refusal } from '../control-plane/proxy.ts';
import {
  WatchedPlane,
  assertNothingRepeated,
  reflecting,
  reflectingClaims,
  toldOf,
  toldOfChurn,
} from '../control-plane/watched-plane.ts';
import type { Reflected, ReflectedStore } from '../support/reflected-store.ts';

/** What stands between: the program, the network, the gateway, the API server. */
interface Between {
  readonly network: FakeNetwork;
  readonly gateway: FakeGateway;
}

interface Fault {
  readonly name: string;
  /** Begins and, where it does not end of itself, lasts until `heal`. */
  readonly begin: (between: Between, store: ReflectedStore<Reflected>) => Promise<void> | void;
  readonly heal?: (between: Between) => void;
  /** Nothing is left out either: each change is told, not only what has come of several. Default true. */
  readonly tellsAll?: boolean;
}

let watched: WatchedPlane;
before(async () => {
  watched = await WatchedPlane.start();
});
after(() => watched?.stop());

const failing = (store: ReflectedStore<Reflected>): Promise<void> =>
  store.until(() => store.states.at(-1)?.kind === 'failing');

/** The next requests are refused, and what is open is cut so that there are some. */
function refusing(refusal: Refusal, of: (path: string) => boolean = () => true): Fault['begin'] {
  return async ({ network, gateway }, store) => {
    gateway.refuse = (path) => (of(path) ? refusal : null);
    network.cut();
    await failing(store);
    assert.ok(gateway.refused > 0);
  };
}

const pass = ({ network, gateway }: Between): void => {
  network.fault = 'pass';
  gateway.refuse = null;
};

const FAULTS: readonly Fault[] = [
  {
    name: 'connections cut in the middle of a frame',
    begin: ({ network }) => network.cutAfter(700),
  },
  { name: 'connections reset', begin: ({ network }) => network.reset() },
  {
    name: 'connections that fall silent and stay so',
    begin: ({ network }) => {
      network.fault = 'stall';
    },
    heal: pass,
  },
  {
    name: 'a network that delivers a few bytes at a time',
    begin: ({ network }) => {
      network.fault = 'drip';
    },
    heal: pass,
  },
  {
    name: 'a network that refuses every connection',
    begin: async ({ network }, store) => {
      network.fault = 'refuse';
      network.cut();
      await failing(store);
    },
    heal: pass,
  },
  {
    name: 'a storm of 429 with Retry-After',
    begin: refusing({ code: 429, headers: { 'retry-after': '1' }, reason: 'TooManyRequests' }),
    heal: pass,
  },
  { name: 'a storm of 500', begin: refusing({ code: 500, reason: 'InternalError' }), heal: pass },
  { name: 'a storm of 503', begin: refusing({ code: 503, reason: 'ServiceUnavailable' }), heal: pass },
  {
    name: 'a storm of 410',
    begin: refusing({ code: 410, reason: 'Expired' }, (path) => path.includes('watch=1')),
    heal: pass,
    tellsAll: false,
  },
];

async function unansweredPing(): Promise<void> {
  const network = await FakeNetwork.start(watched.plane.port);
  try {
    await reflectingClaims(await watched.connectTo(network.port), async (store) => {
      await watched.churn('ping', 0, 3);
      await watched.untilEqual(store, CLAIMS);
      network.fault = 'stall';
      await watched.churn('ping', 3, 6);
      network.fault = 'pass';
      await watched.churn('ping', 6, 9);
      await watched.untilEqual(store, CLAIMS);
      assert.deepEqual(toldOf('ping', store), toldOfChurn('ping', 9));
      assert.ok(
        store.states.every(({ kind }) => kind !== 'failing'),
        'it goes on at once',
      );
    });
  } finally {
    await network.stop();
  }
}

for (const protocol of ['HTTP/2', 'HTTP/1.1'] as const) {
  // Side by side: each has a network, a gateway and claims of its own, and some take a while.
  describe(`over ${protocol}`, { concurrency: true }, () => {
    if (protocol === 'HTTP/2') {
      test('a connection that falls silent is given up when its PING stays unanswered', unansweredPing);
    }
    for (const [index, fault] of FAULTS.entries()) {
      test(`${fault.name}: nothing is missed and nothing told twice`, async () => {
        const gateway = await FakeGateway.start(watched.plane, protocol === 'HTTP/2');
        const network = await FakeNetwork.start(gateway.port);
        const name = `${protocol === 'HTTP/2' ? 'two' : 'one'}-${index}`;
        try {
          await reflectingClaims(
            await watched.connectTo(network.port),
            async (store) => {
              await watched.churn(name, 0, 3);
              await fault.begin({ network, gateway }, store);
              await watched.churn(name, 3, 9);
              fault.heal?.({ network, gateway });
              await watched.churn(name, 9, 12);
              await watched.untilEqual(store, CLAIMS);
              if (fault.tellsAll ?? true) assert.deepEqual(toldOf(name, store), toldOfChurn(name, 12));
              assertNothingRepeated(store);
            },
            // HTTP/1.1 has no PING: only silence tells there. Bookmarks come once a minute, so that healthy watches are
            // cut now and then, too, which must do no harm.
            { longestSilence: 3_000 },
          );
        } finally {
          await network.stop();
          await gateway.stop();
        }
      });
    }
  });
}

test('a clock that jumps neither cuts a healthy watch nor stops it', async (context) => {
  const network = await FakeNetwork.start(watched.plane.port);
  try {
    await reflectingClaims(await watched.connectTo(network.port), async (store) => {
      await watched.churn('clock', 0, 3);
      await watched.untilEqual(store, CLAIMS);
      const { opened } = network;
      const now = Date.now.bind(Date);
      let jump = 24 * 3_600_000;
      context.mock.method(Date, 'now', () => now() + jump);
      await watched.churn('clock', 3, 6);
      jump = -jump;
      await watched.churn('clock', 6, 9);
      jump = 0;
      await watched.untilEqual(store, CLAIMS);
      assert.deepEqual(toldOf('clock', store), toldOfChurn('clock', 9));
      assert.equal(network.opened, opened);
    });
  } finally {
    await network.stop();
  }
});

test('after an outage the first watch that is back brings back the others of its cluster', async () => {
  const network = await FakeNetwork.start(watched.plane.port);
  const connection = await watched.connectTo(network.port);
  // With this jitter a watch that has failed waits for a quarter of an hour: it would not come back by itself.
  const hardlyEver = (): number => 1_000;
  const outage = async (soon: ReflectedStore<Reflected>, other: ReflectedStore<Reflected>): Promise<void> => {
    network.fault = 'refuse';
    network.cut();
    await Promise.all([failing(soon), failing(other)]);
    await watched.churn('outage', 0, 6);
    network.fault = 'pass';
    await watched.untilEqual(other, CLAIMS);
    assert.deepEqual(toldOf('outage', other), toldOfChurn('outage', 6));
  };
  try {
    await reflecting(connection, VOLUMES, (soon) =>
      reflecting(connection, CLAIMS, (other) => outage(soon, other), {}, hardlyEver),
    );
  } finally {
    await connection.close();
    await network.stop();
  }
});
