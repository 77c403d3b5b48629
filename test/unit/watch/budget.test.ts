/** What one tenant may have the super cluster read for it. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { superNamespaceName } from '../../../src/reconcile/mapping.ts';
import { Budget } from '../../../src/watch/budget.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { CLAIMS, FakeWatchedFleet, claimObject, keyOf, marksOf } from '../../support/fake-watched-fleet.ts';
import type { TenantName } from '../../support/fake-watched-fleet.ts';

/** As Budget's, which nothing else is to know. */
const RATE = 50;
const LEAST_BURST = 2_000;

/** Claims of a tenant without a budget: more than two seconds of them. */
const NOISY = 120;

/** Takes so often. @returns the last wait, milliseconds */
function take(budget: Budget, times: number, claims: number, now: number): number {
  let wait = 0;
  for (let time = 0; time < times; time += 1) wait = budget.take(claims, now);
  return wait;
}

for (const [claims, burst] of [
  [3, LEAST_BURST],
  [30_000, 30_000],
] as const) {
  test(`a tenant of ${claims} claims has ${burst} read at once, and then ${RATE} a second`, () => {
    const budget = new Budget();
    assert.equal(take(budget, burst, claims, 5_000), 0);
    assert.equal(take(budget, 1, claims, 5_000), 1_000 / RATE);
    assert.equal(take(budget, RATE - 1, claims, 5_000), 1_000);
  });
}

test('what was not spent comes back, and never more than the burst', () => {
  const budget = new Budget();
  take(budget, LEAST_BURST, 0, 0);
  assert.equal(take(budget, RATE, 0, 1_000), 0);
  assert.equal(take(budget, 1, 0, 1_000), 1_000 / RATE);
  const rested = 10_000_000;
  assert.equal(take(budget, LEAST_BURST, 0, rested), 0);
  assert.equal(take(budget, 1, 0, rested), 1_000 / RATE);
});

test('a tenant that never ends changing its claims has an average of the rate, whatever it asks for', () => {
  const budget = new Budget();
  let spent = 0;
  // As the queue does: so many ask at a time, and each asks again when it was served.
  const asking = Array.from({ length: 8 }, () => 0);
  for (let now = 0; now < 600_000; now += 1) {
    for (const [index, due] of asking.entries()) {
      if (due > now) continue;
      asking[index] = now + 1 + budget.take(0, now);
      spent += 1;
    }
  }
  assert.ok(spent <= LEAST_BURST + 600 * RATE + 8, `${spent} in ten minutes`);
});

let fleet: FakeWatchedFleet | null = null;

afterEach(async () => {
  await fleet?.stop();
  fleet = null;
});

function putPair({ tenants, super: superCluster }: FakeWatchedFleet, tenant: TenantName, name: string): void {
  tenants[tenant].put(CLAIMS, claimObject('shop', name, `uid-${name}`, 'Bound'));
  const marks = marksOf(tenant, 'shop', `uid-${name}`);
  const namespace = superNamespaceName(keyOf(tenant), 'shop');
  superCluster.put(CLAIMS, claimObject(namespace, name, `super-${name}`, 'Lost', marks));
}

for (const sync of [false, true]) {
  test(`a tenant that has spent its budget is read for at its rate, and another at once, ${sync ? 'with' : 'without'} --sync`, async () => {
    const watched = await FakeWatchedFleet.start(() => 0, sync);
    fleet = watched;
    await eventually('both tenants', () =>
      Promise.resolve(watched.watch.isSettled && [...watched.watch.tenants()].length === 2),
    );
    const [noisy, quiet] = [...watched.watch.tenants()].map(({ state }) => state);
    assert.ok(noisy !== undefined && quiet !== undefined);
    const began = performance.now();
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: LEAST_BURST }, () => noisy.afford(signal)));
    for (let index = 0; index < NOISY; index += 1) putPair(watched, 'first', `noisy-${index}`);
    await eventually('the first of its rows', () => Promise.resolve(noisy.book.rows.size > 0));
    putPair(watched, 'second', 'quiet');
    await eventually("the other tenant's row", () => Promise.resolve(quiet.book.rows.size === 1));
    assert.ok(noisy.book.rows.size < NOISY, 'the other tenant did not wait for the noisy one');
    await eventually('all rows', () => Promise.resolve(noisy.book.rows.size === NOISY));
    const allowed = ((performance.now() - began) / 1_000) * RATE;
    const reads = watched.super.server.requests.filter((one) => /^GET .*\/noisy-\d+$/.test(one)).length;
    assert.ok(reads >= NOISY && reads <= allowed + 1, `${reads} reads, ${allowed} allowed`);
  });
}
