/** What one replica has seen of the others' leases, and which of them it takes for dead. */
import { termOf } from './lease.ts';
import type { ReplicaLease } from './lease.ts';
import { patienceOf } from './timings.ts';

/** All times are milliseconds of the observer's own monotonic clock: nobody else's clock is believed. */
interface Observation {
  /** As it was last seen. */
  readonly lease: ReplicaLease;
  /** Its resourceVersion; null where it was not in the last list, "" where its time is to begin anew. */
  readonly version: string | null;
  /** When it was first seen to be so. */
  readonly since: number;
  /** Its term is over for good: given back, or nothing was seen of it for too long. */
  readonly over: boolean;
  /** It was seen to change. */
  readonly proven: boolean;
  /** Since when this replica has acted upon this one without a break: -Infinity where it never acted otherwise. */
  readonly actedSince: number;
}

/** The others' leases as one replica has seen them from list to list. */
export class Observations {
  readonly #defaultDuration: number;
  #seen: ReadonlyMap<string, Observation> = new Map();

  /** @param defaultDuration milliseconds, for a lease that does not say */
  constructor(defaultDuration: number) {
    this.#defaultDuration = defaultDuration;
  }

  /**
   * Takes in a list. A lease counts as live from when it is first seen, and as long as it changes: as in client-go
   * tools/leaderelection, by when we saw it change. It is over where a list that was asked for `patienceOf` its duration after
   * that still shows it unchanged. One that is gone without having been given back was deleted by somebody, perhaps behind its
   * replica's back: it gets as much time.
   * @param asked when the list was asked for
   * @param now when it is taken in
   * @param unhindered this replica has written nothing so far, so nothing of it is under way that could hinder a newcomer
   */
  take(leases: readonly ReplicaLease[], asked: number, now: number, unhindered: boolean): void {
    const next = new Map<string, Observation>();
    const names = new Set(leases.map(({ name }) => name));
    for (const lease of leases) {
      const before = this.#seen.get(lease.name);
      const same = before?.version === lease.resourceVersion;
      const since = same ? before.since : now;
      const over = lease.holder === '' || (same && (before.over || asked - since >= this.#patience(lease)));
      const acted = before !== undefined && !before.over;
      const proven = before !== undefined && (before.proven || !same);
      const actedSince = acted ? before.actedSince : unhindered ? -Infinity : now;
      next.set(lease.name, { lease, version: lease.resourceVersion, since, over, proven, actedSince });
    }
    for (const [name, before] of this.#seen) {
      if (names.has(name) || before.over) continue;
      const since = before.version === null ? before.since : now;
      if (before.version === null && asked - since >= this.#patience(before.lease)) continue;
      next.set(name, { ...before, version: null, since });
    }
    this.#seen = next;
  }

  /**
   * This replica was cut off or stopped for long. What is over stays over, but the time in which it saw nothing is not held
   * against the others: they were perhaps cut off alike, and all would take over from all.
   */
  restart(): void {
    this.#seen = new Map(
      [...this.#seen].map(([name, seen]) => [name, { ...seen, version: seen.over ? seen.version : '' }]),
    );
  }

  /** The leases that count. */
  live(): ReplicaLease[] {
    return this.#live().map(({ lease }) => lease);
  }

  /** Whether there are leases of which it cannot be said whether their replicas live: they were not seen to change yet. */
  areUnproven(): boolean {
    return this.#live().some(({ proven }) => !proven);
  }

  /** Whether a lease's term is over; false where it was never seen. */
  isOver(name: string): boolean {
    return this.#seen.get(name)?.over === true;
  }

  /** The terms that have been acted upon for `settling` milliseconds. */
  settled(now: number, settling: number): string[] {
    return this.#live()
      .filter(({ actedSince }) => now - actedSince >= settling)
      .map(({ lease }) => termOf(lease));
  }

  /** Leases that are over, and of which nothing has been seen for `removal` milliseconds. */
  removable(now: number, removal: number): ReplicaLease[] {
    return [...this.#seen.values()]
      .filter(({ over, since }) => over && now - since >= removal)
      .map(({ lease }) => lease);
  }

  /**
   * When a list is next worth asking for, so that a term that is over, or has settled, is noticed at once. It may be past:
   * what came while the last list was under way is not to wait for a whole round more.
   * @param taken when the last list was taken in
   */
  nextMoment(taken: number, settling: number): number {
    const moments = this.#live().flatMap(({ lease, since, actedSince }) => {
      const settled = actedSince + settling;
      const over = since + this.#patience(lease);
      return settled > taken ? [settled, over] : [over];
    });
    return Math.min(...moments);
  }

  #live(): Observation[] {
    return [...this.#seen.values()].filter(({ over }) => !over);
  }

  #patience({ duration }: ReplicaLease): number {
    return patienceOf(duration === 0 ? this.#defaultDuration : duration);
  }
}
