/**
 * Faults between `watch --sync --hold` and real clusters. While each lasts, claims break and heal; afterwards every tenant
 * claim shows what its super claim calls for, the rows say so, and nothing that was written at any time was wrong.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Api, ApiFailure } from '../control-plane/api.ts';
import { kubeconfig } from '../control-plane/control-plane.ts';
import { FakeNetwork } from '../control-plane/proxy.ts';
import type { NetworkFault, Refusal } from '../control-plane/proxy.ts';
import { WatchedPairs } from '../control-plane/watched-pairs.ts';
import type { Way } from '../control-plane/way.ts';
import { eventually } from '../control-plane/eventually.ts';

interface Fault {
  readonly name: string;
  /** Begins, and lasts until `end`, unless it is over at once. */
  readonly begin: (pairs: WatchedPairs) => Promise<void> | void;
  readonly end?: (pairs: WatchedPairs) => Promise<void> | void;
  /** Where nothing can be changed while it lasts: that is changed right afterwards. */
  readonly dead?: 'super' | 'tenant';
}

const ways = (pairs: WatchedPairs): readonly Way[] => [pairs.super, pairs.tenant];
const toSuper = (pairs: WatchedPairs): readonly Way[] => [pairs.super];
const toTenant = (pairs: WatchedPairs): readonly Way[] => [pairs.tenant];
type Which = typeof ways;

const heal = (pairs: WatchedPairs): void => ways(pairs).forEach((way) => way.heal());

/** All that is open breaks, once, and is opened anew. */
function breaking(how: (network: FakeNetwork) => void): Pick<Fault, 'begin' | 'end'> {
  let opened: readonly number[] = [];
  return {
    begin: (pairs) => {
      opened = ways(pairs).map((way) => way.network.opened);
      for (const way of ways(pairs)) how(way.network);
    },
    end: async (pairs) => {
      for (const [index, way] of ways(pairs).entries()) {
        await eventually('a new connection', async () => way.network.opened > (opened[index] ?? 0));
      }
    },
  };
}

function network(fault: NetworkFault, which: Which): Pick<Fault, 'begin' | 'end'> {
  return {
    begin: (pairs) => {
      for (const way of which(pairs)) {
        way.network.fault = fault;
        if (fault === 'refuse') way.network.cut();
      }
    },
    end: heal,
  };
}

/** Requests are refused until each side has refused some, and all changes have been made. */
function refusing(
  refusal: Refusal,
  which: Which,
  of?: (path: string) => boolean,
): Pick<Fault, 'begin' | 'end'> {
  return {
    begin: (pairs) => which(pairs).forEach((way) => way.refuse(refusal, of)),
    end: async (pairs) => {
      for (const { gateway } of which(pairs)) {
        const { refused } = gateway;
        await eventually('requests to be refused', async () => gateway.refused >= refused + STORM);
      }
      heal(pairs);
    },
  };
}

/** So many refusals make a storm. */
const STORM = 4;
const TOO_MANY: Refusal = { code: 429, headers: { 'retry-after': '1' }, reason: 'TooManyRequests' };
const EXPIRED: Refusal = { code: 410, reason: 'Expired' };

const FAULTS: readonly Fault[] = [
  { name: 'connections cut in the middle of a frame', ...breaking((one) => one.cutAfter(700)) },
  { name: 'connections reset below TLS', ...breaking((one) => one.reset()) },
  { name: 'networks that refuse every connection', ...network('refuse', ways) },
  { name: 'networks that deliver a few bytes at a time', ...network('drip', ways) },
  { name: 'a super cluster that falls silent', ...network('stall', toSuper) },
  { name: 'a tenant that falls silent', ...network('stall', toTenant) },
  { name: 'watches that have expired (410)', ...refusing(EXPIRED, ways, (path) => path.includes('watch=1')) },
  { name: 'a storm of 429 from the super cluster', ...refusing(TOO_MANY, toSuper) },
  { name: 'a storm of 429 from the tenant', ...refusing(TOO_MANY, toTenant) },
  { name: 'a storm of 500', ...refusing({ code: 500, reason: 'InternalError' }, ways) },
  { name: 'a storm of 503', ...refusing({ code: 503, reason: 'ServiceUnavailable' }, ways) },
  {
    name: "the super cluster's API server killed and restarted",
    dead: 'super',
    begin: ({ scene }) => scene.fleet.super.stopApiserver(),
    end: ({ scene }) => scene.fleet.super.startApiserver(),
  },
  {
    name: "the tenant's API server killed and restarted",
    dead: 'tenant',
    begin: ({ scene }) => scene.tenant.plane.stopApiserver(),
    end: ({ scene }) => scene.tenant.plane.startApiserver(),
  },
  {
    name: 'versions that etcd has forgotten when the connection is back',
    begin: network('refuse', ways).begin,
    end: async (pairs) => {
      const { storage, super: superPlane } = pairs.scene.fleet;
      await storage.compact();
      for (const plane of [superPlane, pairs.scene.tenant.plane]) {
        await plane.stopApiserver();
        // Otherwise its memory of them would serve.
        await plane.startApiserver();
      }
      heal(pairs);
    },
  },
  {
    name: 'the program suspended for seconds',
    begin: ({ watch }) => watch.signal('SIGSTOP'),
    end: async ({ watch }) => {
      await delay(3_000);
      watch.signal('SIGCONT');
    },
  },
];

describe('watch --sync --hold', () => {
  let pairs: WatchedPairs;
  before(async () => {
    pairs = await WatchedPairs.start();
  });
  after(() => pairs?.stop());

  test('holds what is broken to begin with', async () => {
    await pairs.untilRight();
    await pairs.assertNothingWrong();
  });

  for (const { name, begin, end, dead = null } of FAULTS) {
    test(`${name}: nothing is missed and nothing wrong written`, async () => {
      await begin(pairs);
      await Promise.all([
        dead === 'super' ? null : pairs.changeSuper(),
        dead === null ? pairs.recreate() : null,
      ]);
      await end?.(pairs);
      await Promise.all([
        dead === 'super' ? pairs.changeSuper() : null,
        dead === null ? null : pairs.recreate(),
      ]);
      await pairs.untilRight();
      await pairs.assertNothingWrong();
    });
  }

  test('a credential that expires is renewed in the Secret: nothing is missed and nothing wrong written', async () => {
    const { plane } = pairs.scene.tenant;
    const from = pairs.watch.lines('stderr').length;
    const short = await plane.authority.client('admin', ['system:masters'], 8_000);
    const direct = await FakeNetwork.start(plane.port);
    const server = `https://127.0.0.1:${direct.port}`;
    const stranger = new Api(`https://127.0.0.1:${plane.port}`, plane.authority.certificate, short);
    try {
      await pairs.renewKubeconfig(kubeconfig(plane.name, server, plane.authority.certificate, short));
      // On a busy machine the credential may have expired by then, and the connection ended again.
      await eventually('the tenant to be reached the new way', async () => direct.opened > 0);
      await eventually('the credential to expire', () => isUnauthorized(stranger));
      await Promise.all([pairs.changeSuper(), pairs.recreate()]);
      direct.cut();
      const refused = (line: string): boolean => line.includes('Unauthorized; next attempt in');
      await pairs.watch.line(refused, { stream: 'stderr', from });
      await pairs.changeSuper();
      await pairs.renewKubeconfig(
        await plane.kubeconfigFor('admin', ['system:masters'], pairs.tenant.server),
      );
      await pairs.untilRight();
      await pairs.assertNothingWrong();
    } finally {
      await direct.stop();
      await stranger.close();
    }
  });

  test('a clock set forward by an hour, back by two, and right: nothing is missed and nothing wrong written', async () => {
    for (const hours of [1, -1, 0]) {
      const from = pairs.watch.count;
      pairs.watch.signal('SIGUSR2');
      await Promise.all([pairs.changeSuper(), pairs.recreate()]);
      await pairs.untilRight();
      await pairs.assertNothingWrong();
      const told = await pairs.watch.object<{ object: { time: string } }>(() => true, from);
      const ahead = (Date.parse(told.object.time) - Date.now()) / 3_600_000;
      assert.ok(Math.abs(ahead - hours) < 0.5, 'the clock was set');
    }
  });
});

async function isUnauthorized(api: Api): Promise<boolean> {
  try {
    await api.get('/api/v1/namespaces/default');
    return false;
  } catch (error) {
    if (error instanceof ApiFailure) return error.code === 401;
    throw error;
  }
}
