/** Replicas under random schedules on a simulated API server: who may write which tenant, at every moment. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LEASE_DURATION, timingsOf } from '../../src/replicas/timings.ts';
import { ReplicaWorld } from './replica-world.ts';
import type { Network } from './replica-world.ts';

const TENANTS = ['default/a', 'default/b', 'team/c', 'team/d', 'team/e'];
const REPLICAS = ['one', 'two', 'three', 'four'];
const TIMINGS = timingsOf(LEASE_DURATION);
/** How long anything may happen. Milliseconds, as all times here. */
const TURMOIL = 150_000;
/** Once nothing happens any more, every tenant has its owner within this time. */
const CALM_WITHIN = 40_000;
/** A write that was begun when it was allowed may be under way for so long. */
const IN_FLIGHT = 800;

type Event =
  | { readonly at: number; readonly kind: 'start'; readonly replica: string; readonly speed: number }
  | { readonly at: number; readonly kind: 'kill' | 'leave'; readonly process: number }
  | {
      readonly at: number;
      readonly kind: 'stop' | 'suspend' | 'set clock';
      readonly process: number;
      readonly by: number;
    }
  | { readonly at: number; readonly kind: 'network'; readonly network: Network };

const at = fc.integer({ min: 0, max: TURMOIL });
const process = fc.nat({ max: 9 });
/** Faster than another by a third is promised; here it is by a fifth, so that something is left for writes under way. */
const start = fc.record({
  at: fc.oneof(fc.constant(0), at),
  kind: fc.constant('start' as const),
  replica: fc.constantFrom(...REPLICAS),
  speed: fc.double({ min: 0.91, max: 1.09, noNaN: true }),
});
const end = fc.record({ at, kind: fc.constantFrom('kill' as const, 'leave' as const), process });
const hindrance = fc.record({
  at,
  kind: fc.constantFrom('stop' as const, 'suspend' as const),
  process,
  // Most can go wrong about when a lease runs out.
  by: fc.oneof(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 9_000, max: 20_000 }),
    fc.integer({ min: 5_000, max: 60_000 }),
  ),
});
const clock = fc.record({
  at,
  kind: fc.constant('set clock' as const),
  process,
  by: fc.integer({ min: -1e7, max: 1e7 }),
});
const part = fc.constantFrom(0, 0, 0.1, 0.5);
const network = fc.record({
  at,
  kind: fc.constant('network' as const),
  network: fc.oneof(
    fc.record({ lost: part, unanswered: part, late: part }),
    fc.constant({ lost: 1, unanswered: 0, late: 0 }),
  ),
});
const schedule = fc.record({
  starts: fc.array(start, { minLength: 1, maxLength: 7 }),
  events: fc.array(fc.oneof(end, hindrance, hindrance, clock, network, network), { maxLength: 14 }),
  seed: fc.integer(),
});

/**
 * Fails where two replicas ever may write one tenant, or where a tenant has no writer, or a changing one, once it has been
 * calm for long enough.
 * @param runs how many schedules
 */
export function assertSchedulesHold(runs: number): void {
  fc.assert(
    fc.property(schedule, ({ starts, events, seed }) => {
      const world = new ReplicaWorld(TIMINGS, randomFrom(seed));
      for (const event of [...starts, ...events]) world.at(event.at, () => happen(world, event));
      const writers = new Writers(world);
      world.runUntil(TURMOIL, () => writers.look());
      world.network = { lost: 0, unanswered: 0, late: 0 };
      // The last of those that were stopped goes on a minute later, and what was late arrives.
      world.runUntil(TURMOIL + 60_000 + CALM_WITHIN, () => writers.look());
      if (!world.processes.some(({ alive }) => alive)) return;
      for (let moment = 1; moment <= 20; moment += 1) {
        world.runUntil(world.now + 500, () => writers.look());
        for (const tenant of TENANTS) assert.equal(writers.of(tenant).length, 1, `who may write ${tenant}`);
      }
    }),
    { numRuns: runs },
  );
}

/** Looks at who may write, and fails where two may, or one may while another's write may still be under way. */
class Writers {
  readonly #world: ReplicaWorld;
  /** By tenant and process. */
  readonly #last = new Map(TENANTS.map((tenant) => [tenant, new Map<string, number>()]));

  constructor(world: ReplicaWorld) {
    this.#world = world;
  }

  of(tenant: string): string[] {
    return this.#world.processes
      .filter((one) => one.alive && one.member.mayWrite(tenant, one.instant()))
      .map(({ holder }) => holder);
  }

  look(): void {
    for (const tenant of TENANTS) {
      const writers = this.of(tenant);
      if (writers.length > 1)
        assert.fail(`${this.#world.now}: ${tenant} may be written by ${writers.join()}`);
      const [writer] = writers;
      if (writer !== undefined) this.#noneBefore(tenant, writer);
    }
  }

  #noneBefore(tenant: string, writer: string): void {
    const { now, processes } = this.#world;
    const last = this.#last.get(tenant);
    last?.set(writer, now);
    for (const { holder, left } of processes) {
      // Who leaves has awaited its writes.
      if (holder === writer || left) continue;
      const passed = now - (last?.get(holder) ?? -Infinity);
      if (passed < IN_FLIGHT)
        assert.fail(`${now}: ${tenant} may be written by ${writer}, ${passed} ms after ${holder}`);
    }
  }
}

function happen(world: ReplicaWorld, event: Event): void {
  if (event.kind === 'start') return void world.start(event.replica, event.speed);
  if (event.kind === 'network') {
    world.network = event.network;
    return;
  }
  const target = world.processes[event.process % Math.max(1, world.processes.length)];
  if (target === undefined || !target.alive) return;
  if (!('by' in event)) target[event.kind]();
  else if (event.kind === 'stop') target.stop(event.by);
  else if (event.kind === 'suspend') target.suspend(event.by);
  else target.setWallClock(event.by);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
