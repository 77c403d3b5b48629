/**
 * A simulated API server, network and time for replicas: what a real one cannot be made to do thousands of times. Answers
 * are delayed or lost, writes arrive long after they were given up, processes are stopped at any step, clocks run at
 * different speeds and are set, and machines are suspended.
 */
import type { Instant } from '../../src/replicas/clock.ts';
import { leaseName } from '../../src/replicas/lease.ts';
import type { ReplicaLease } from '../../src/replicas/lease.ts';
import { Member } from '../../src/replicas/member.ts';
import type { Step } from '../../src/replicas/member.ts';
import type { Timings } from '../../src/replicas/timings.ts';

type Write = Extract<Step, { kind: 'write' }>;

/** The leases, with a resourceVersion for each write. All it does is done at one moment: it is linearizable. */
export class LeaseServer {
  readonly leases = new Map<string, ReplicaLease>();
  #version = 0;

  list(): ReplicaLease[] {
    return [...this.leases.values()];
  }

  /** @returns whether it was done; not where the resourceVersion is another, or one exists that shall be created */
  write({ lease, resourceVersion }: Write): boolean {
    const before = this.leases.get(lease.name);
    if ((before?.resourceVersion ?? null) !== resourceVersion) return false;
    this.#version += 1;
    this.leases.set(lease.name, {
      ...lease,
      uid: before?.uid ?? `uid-${this.#version}`,
      resourceVersion: String(this.#version),
      actsUpon: new Set(lease.actsUpon),
    });
    return true;
  }

  remove({ name, uid, resourceVersion }: ReplicaLease): void {
    const now = this.leases.get(name);
    if (now?.uid === uid && now.resourceVersion === resourceVersion) this.leases.delete(name);
  }
}

/** How bad the network is: parts of all requests, from 0 to 1. */
export interface Network {
  /** Never arrive. */
  readonly lost: number;
  /** Are done, and nobody hears of it. */
  readonly unanswered: number;
  /** Arrive up to a minute late. */
  readonly late: number;
}

/** Several processes that each play one replica, and the time they live in. Milliseconds of true time. */
export class ReplicaWorld {
  readonly server = new LeaseServer();
  readonly processes: SimulatedProcess[] = [];
  readonly timings: Timings;
  /** From 0 to 1. */
  readonly random: () => number;
  network: Network = { lost: 0, unanswered: 0, late: 0 };
  now = 0;
  #queue: { readonly at: number; readonly run: () => void }[] = [];

  constructor(timings: Timings, random: () => number) {
    this.timings = timings;
    this.random = random;
  }

  /** @param speed of the process's monotonic clock, 1 for true time */
  start(replica: string, speed: number): SimulatedProcess {
    const process = new SimulatedProcess(this, replica, `${replica}_${this.processes.length}`, speed);
    this.processes.push(process);
    process.run(0);
    return process;
  }

  /** Has something happen at a time. */
  at(time: number, run: () => void): void {
    const at = Math.max(time, this.now);
    const index = this.#queue.findLastIndex((event) => event.at <= at);
    this.#queue.splice(index + 1, 0, { at, run });
  }

  /** Lets time pass; `look` is called after whatever happens, and every 200 ms. */
  runUntil(end: number, look: () => void): void {
    while (this.now < end) {
      const next = this.#queue[0];
      const tick = this.now + 200;
      if (next !== undefined && next.at <= tick) {
        this.#queue.shift();
        this.now = next.at;
        next.run();
      } else {
        this.now = tick;
      }
      look();
    }
  }

  /**
   * Sends a request over the network.
   * @param ended told what came back, or null where nothing came within the limit
   */
  request<T>(perform: () => T, limit: number, ended: (answer: T | null) => void): void {
    let over = false;
    const end = (answer: T | null): void => {
      if (over) return;
      over = true;
      ended(answer);
    };
    this.at(this.now + limit, () => end(null));
    const { lost, unanswered, late } = this.network;
    if (this.random() < lost) return;
    const delay = this.random() < late ? 60_000 * this.random() : 50 * this.random();
    this.at(this.now + delay, () => {
      const answer = perform();
      if (this.random() < unanswered) return;
      this.at(this.now + (this.random() < late ? 10_000 : 50) * this.random(), () => end(answer));
    });
  }
}

/** One process. Nothing of it runs while it is stopped; its clocks do. */
export class SimulatedProcess {
  readonly member: Member;
  readonly holder: string;
  readonly #world: ReplicaWorld;
  readonly #speed: number;
  /** What the monotonic clock has missed in suspensions that are over, in true time. */
  #missed = 0;
  #suspended: { readonly from: number; readonly until: number } | null = null;
  #wallOffset: number;
  #clockSet = -Infinity;
  #stoppedUntil = 0;
  alive = true;
  left = false;

  constructor(world: ReplicaWorld, replica: string, holder: string, speed: number) {
    this.#world = world;
    this.holder = holder;
    this.#speed = speed;
    this.#wallOffset = world.random() * 1e6;
    this.member = new Member({ name: leaseName(replica), holder, timings: world.timings });
  }

  instant(): Instant {
    const { now } = this.#world;
    const { from, until } = this.#suspended ?? { from: now, until: now };
    const missed = this.#missed + Math.min(now, until) - from;
    return { monotonic: (now - missed) * this.#speed, wall: now + this.#wallOffset };
  }

  /** As SIGSTOP, and SIGCONT later; none of its clocks stands still. */
  stop(milliseconds: number): void {
    this.#stoppedUntil = Math.max(this.#stoppedUntil, this.#world.now + milliseconds);
  }

  /**
   * As a laptop's lid: its monotonic clock stands still, its wall clock is right afterwards. Not soon after the clock was
   * set, nor the other way round: that both together go unnoticed is not promised.
   */
  suspend(milliseconds: number): void {
    const { now, timings } = this.#world;
    if (now - this.#clockSet <= timings.duration) return;
    const { from, until } = this.#suspended ?? { from: now, until: now };
    this.stop(milliseconds);
    if (now >= until) this.#missed += until - from;
    this.#suspended = { from: now < until ? from : now, until: Math.max(until, now + milliseconds) };
  }

  setWallClock(by: number): void {
    const { now, timings } = this.#world;
    if (now - (this.#suspended?.until ?? -Infinity) <= timings.duration) return;
    this.#clockSet = now;
    this.#wallOffset += by;
  }

  kill(): void {
    this.alive = false;
  }

  /** Gives the lease back, if the network lets it. */
  leave(): void {
    this.member.leave();
    this.left = true;
    this.kill();
    const { server } = this.#world;
    this.#world.request(
      () => {
        const own = server.list().find(({ holder }) => holder === this.holder);
        if (own === undefined) return;
        const lease = { ...own, holder: '', actsUpon: [] };
        server.write({ kind: 'write', lease, resourceVersion: own.resourceVersion });
      },
      5_000,
      () => {},
    );
  }

  /** The next round begins after so many milliseconds. */
  run(wait: number): void {
    const { server } = this.#world;
    this.#whenRunning(wait / this.#speed, () => {
      const began = this.instant();
      this.#ask(
        () => server.list(),
        (leases) => {
          if (leases === null) return this.#fail();
          this.#perform(this.member.listed(leases, began, this.instant()));
        },
      );
    });
  }

  #perform(step: Step): void {
    const { server } = this.#world;
    if (step.kind === 'wait') return this.#next();
    this.#ask(
      () => server.write(step),
      (done) => {
        if (done !== true) return this.#fail();
        this.member.answered(this.instant());
        for (const lease of this.member.removable(this.instant())) {
          this.#ask(
            () => server.remove(lease),
            () => {},
          );
        }
        this.#next();
      },
    );
  }

  #fail(): void {
    this.member.failed();
    this.#next();
  }

  #next(): void {
    this.run(this.member.nextRoundIn(this.instant(), this.#world.random()));
  }

  #ask<T>(perform: () => T, then: (answer: T | null) => void): void {
    const limit = this.#world.timings.validity / 2 / this.#speed;
    this.#world.request(perform, limit, (answer) => this.#whenRunning(0, () => then(answer)));
  }

  #whenRunning(wait: number, run: () => void): void {
    this.#world.at(this.#world.now + wait, () => {
      if (!this.alive) return;
      if (this.#world.now >= this.#stoppedUntil) run();
      else this.#whenRunning(this.#stoppedUntil - this.#world.now, run);
    });
  }
}
