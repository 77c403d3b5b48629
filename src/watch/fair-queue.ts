/**
 * Keys that are to be looked at, each once however often it was added, tenants taking turns. The pattern is
 * client-go's util/workqueue (a key that is added while it is worked on comes again afterwards), with a turn for each
 * tenant, so that one with a hundred thousand changes delays another by no more than one of them.
 */
import { Line } from './line.ts';

/** What is done with a key. A promise keeps the key, and one of the tenant's places, until it is settled. */
export type KeyWork = (tenant: string, key: string) => Promise<void> | null;

/** Keys of one tenant whose work waits for an answer. */
const MOST_IN_FLIGHT = 8;
/** Milliseconds of keys in one go: then timers, sockets and signals have their turn. */
const ONE_GO = 5;

interface Lane {
  /** To be looked at. */
  readonly waiting: Line;
  readonly inFlight: Set<string>;
  /** Added while in flight. */
  readonly again: Set<string>;
  readonly later: Map<string, Later>;
}

interface Later {
  readonly timer: NodeJS.Timeout;
  /** On the monotonic clock, milliseconds. */
  readonly due: number;
}

export class FairQueue {
  readonly #work: KeyWork;
  readonly #failed: (error: unknown) => void;
  readonly #lanes = new Map<string, Lane>();
  /** Tenants that have a key waiting and a place free, in the order of their turns. */
  readonly #turns = new Set<string>();
  #scheduled = false;
  #paused = true;
  #stopped = false;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  /** @param failed is told of what `work` rejects with: a mistake of ours */
  constructor(work: KeyWork, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /** Keys are taken from now on, unless it was stopped meanwhile. */
  start(): void {
    this.#paused = this.#stopped;
    this.#schedule();
  }

  /** No key is taken any more, and none kept for later. @returns once what is in flight has ended */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#paused = true;
    for (const tenant of this.#lanes.keys()) this.forget(tenant);
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  add(tenant: string, key: string): void {
    if (this.#stopped) return;
    const lane = this.#lane(tenant);
    clearTimeout(lane.later.get(key)?.timer);
    lane.later.delete(key);
    if (lane.inFlight.has(key)) {
      lane.again.add(key);
      return;
    }
    lane.waiting.add(key);
    this.#giveTurn(tenant, lane);
  }

  /**
   * Adds it later, unless it is added sooner. Of several times the soonest counts.
   * @param delay milliseconds; 0 adds it at once, so that its tenant is not idle in between
   */
  addAfter(tenant: string, key: string, delay: number): void {
    if (delay <= 0) {
      this.add(tenant, key);
      return;
    }
    // What ends now may ask for another look in minutes: its timer would keep the process from ending.
    if (this.#stopped) return;
    const lane = this.#lane(tenant);
    if (lane.waiting.has(key)) return;
    const present = lane.later.get(key);
    const due = performance.now() + delay;
    if (present !== undefined && present.due <= due) return;
    clearTimeout(present?.timer);
    const timer = setTimeout(() => {
      lane.later.delete(key);
      this.add(tenant, key);
    }, delay);
    lane.later.set(key, { timer, due });
  }

  /** Drops what waits of a tenant; what is in flight ends by itself. */
  forget(tenant: string): void {
    const lane = this.#lanes.get(tenant);
    if (lane === undefined) return;
    for (const { timer } of lane.later.values()) clearTimeout(timer);
    lane.later.clear();
    lane.waiting.clear();
    lane.again.clear();
    this.#turns.delete(tenant);
    if (lane.inFlight.size === 0) this.#lanes.delete(tenant);
  }

  /** Whether nothing of a tenant waits or is in flight; what is put off does not count. */
  isIdle(tenant: string): boolean {
    const lane = this.#lanes.get(tenant);
    return lane === undefined || (lane.waiting.size === 0 && lane.inFlight.size === 0);
  }

  #lane(tenant: string): Lane {
    let lane = this.#lanes.get(tenant);
    if (lane === undefined) {
      lane = { waiting: new Line(), inFlight: new Set(), again: new Set(), later: new Map() };
      this.#lanes.set(tenant, lane);
    }
    return lane;
  }

  #giveTurn(tenant: string, lane: Lane): void {
    if (lane.waiting.size === 0 || lane.inFlight.size >= MOST_IN_FLIGHT) return;
    this.#turns.add(tenant);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#paused || this.#scheduled || this.#turns.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#go();
      this.#schedule();
    });
  }

  #go(): void {
    const end = performance.now() + ONE_GO;
    for (const tenant of this.#turns) {
      // Behind the others: a Set is walked in the order of insertion, what is inserted meanwhile included.
      this.#turns.delete(tenant);
      const lane = this.#lanes.get(tenant);
      const key = lane?.waiting.take();
      if (lane === undefined || key === undefined) continue;
      this.#take(tenant, lane, key);
      this.#giveTurn(tenant, lane);
      if (this.#paused || performance.now() > end) return;
    }
  }

  #take(tenant: string, lane: Lane, key: string): void {
    const working = this.#work(tenant, key);
    if (working === null) {
      this.#dropIfEmpty(tenant, lane);
      return;
    }
    lane.inFlight.add(key);
    this.#inFlight += 1;
    void working.catch(this.#failed).finally(() => this.#ended(tenant, lane, key));
  }

  #ended(tenant: string, lane: Lane, key: string): void {
    lane.inFlight.delete(key);
    this.#inFlight -= 1;
    if (lane.again.delete(key)) lane.waiting.add(key);
    if (this.#lanes.get(tenant) === lane) this.#giveTurn(tenant, lane);
    this.#dropIfEmpty(tenant, lane);
    if (this.#inFlight > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Work that ends after its tenant was forgotten may ask for another look: the lane that this makes is not to stay. */
  #dropIfEmpty(tenant: string, lane: Lane): void {
    if (lane.inFlight.size > 0 || lane.waiting.size > 0 || lane.later.size > 0) return;
    if (this.#lanes.get(tenant) === lane) this.#lanes.delete(tenant);
  }
}
