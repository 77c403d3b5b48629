/**
 * Faults between `watch --sync --hold` and real clusters. While each lasts, claims break and heal; afterwards every tenant
 * claim shows what its super claim calls for, the rows say so, and nothing that was written at any time was wrong.
 */
import { after, before, describe, test } from 'node:test';
import type { Refusal } from '../control-plane/proxy.ts';
import { WatchedPairs } from '../control-plane/watched-pairs.ts';
import type { Way } from '../control-plane/way.ts';
import { eventually } from '../control-plane/eventually.ts';

interface Fault {
  readonly name: string;
  /** Begins, and lasts until `end`, unless it is over at once. */
  readonly begin: (pairs: WatchedPairs) => Promise<void> | void;
  readonly end?: (pairs: WatchedPairs) => Promise<void> | void;
  /** What cannot be changed while it lasts: that is changed right afterwards. */
  readonly keeps?: readonly ('super' | 'tenant')[];
}

const ways = (pairs: WatchedPairs): readonly Way[] => [pairs.super, pairs.tenant];
const heal = (pairs: WatchedPairs): void => ways(pairs).forEach((way) => way.heal());

/** One side's requests, or both sides', are refused. */
function refusing(
  refusal: Refusal,
  which: (pairs: WatchedPairs) => readonly Way[],
  of?: (path: string) => boolean,
): Pick<Fault, 'begin' | 'end'> {
  return {
    begin: async (pairs) => {
      for (const way of which(pairs)) {
        const { refused } = way.gateway;
        way.refuse(refusal, of);
        await eventually('a request to be refused', async () => way.gateway.refused > refused);
      }
    },
    end: heal,
  };
}

const TOO_MANY: Refusal = { code: 429, headers: { 'retry-after': '1' }, reason: 'TooManyRequests' };

const FAULTS: readonly Fault[] = [
  {
    name: 'connections cut in the middle of a frame',
    begin: (pairs) => ways(pairs).forEach(({ network }) => network.cutAfter(700)),
  },
  {
    name: 'connections reset below TLS',
    begin: (pairs) => ways(pairs).forEach(({ network }) => network.reset()),
  },
  {
    name: 'networks that deliver a few bytes at a time',
    begin: (pairs) => ways(pairs).forEach(({ network }) => (network.fault = 'drip')),
    end: heal,
  },
  {
    name: 'a storm of 429 from the super cluster',
    ...refusing(TOO_MANY, (pairs) => [pairs.super]),
  },
  { name: 'a storm of 429 from the tenant', ...refusing(TOO_MANY, (pairs) => [pairs.tenant]) },
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

  for (const { name, begin, end, keeps = [] } of FAULTS) {
    test(`${name}: nothing is missed and nothing wrong written`, async () => {
      await begin(pairs);
      await Promise.all([
        keeps.includes('super') ? null : pairs.changeSuper(),
        keeps.length > 0 ? null : pairs.recreate(),
      ]);
      await end?.(pairs);
      await Promise.all([
        keeps.includes('super') ? pairs.changeSuper() : null,
        keeps.length > 0 ? pairs.recreate() : null,
      ]);
      await pairs.untilRight();
      await pairs.assertNothingWrong();
    });
  }
});
