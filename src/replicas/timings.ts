/** The times that replicas keep. All are milliseconds, and parts of one: docs/replicas.md says why each holds. */

/** A replica of whose lease nothing is seen for this long is dead for the others: the default of client-go. */
export const LEASE_DURATION = 15_000;

export interface Timings {
  /** What the lease says: others wait this long, by their own clocks, before they take over. */
  readonly duration: number;
  /**
   * A replica counts on its own lease for this long from the start of the round that renewed it. The rest of the duration
   * is for writes in flight and for clocks that run at different speeds: one may run half as fast again as another.
   */
  readonly validity: number;
  /** From one round to the next, up to a fifth more (client-go leaderelection.go: RetryPeriod, JitterFactor). */
  readonly interval: number;
  /** From one round to the next while others have yet to say that they keep off. */
  readonly impatience: number;
  /** A replica that lets another have some of its tenants says so this much later: its writes in flight end first. */
  readonly settling: number;
  /** A lease of a dead replica is deleted when nothing has been seen of it for this long. */
  readonly removal: number;
}

/** 15 s, 10 s and 2 s are client-go's LeaseDuration, RenewDeadline and RetryPeriod; other durations in proportion. */
export function timingsOf(duration: number): Timings {
  return {
    duration,
    validity: (duration * 2) / 3,
    interval: (duration * 2) / 15,
    impatience: duration / 60,
    settling: duration / 15,
    removal: duration * 4,
  };
}
