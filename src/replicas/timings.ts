/** The times that replicas keep. All are milliseconds, and parts of one: docs/replicas.md says why each holds. */

/** How long a lease lasts: the default of client-go. */
export const LEASE_DURATION = 15_000;

export interface Timings {
  /** What the lease says: within this time of a replica's death others have taken over. */
  readonly duration: number;
  /**
   * A replica counts on its own lease for this long from the start of the round that renewed it. What lies between that
   * and `patienceOf` is for writes in flight and for clocks of different speeds: one may be faster than another by a third.
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

/** 15 s and 2 s are client-go's LeaseDuration and RetryPeriod; other durations in proportion. */
export function timingsOf(duration: number): Timings {
  return {
    duration,
    validity: (duration * 3) / 5,
    interval: (duration * 2) / 15,
    impatience: duration / 60,
    settling: duration / 15,
    removal: duration * 4,
  };
}

/**
 * For how long a lease has to be seen unchanged before its replica is dead. Less than its duration, since its last renewal
 * may be seen as much later as there is between two rounds.
 */
export function patienceOf(duration: number): number {
  return (duration * 4) / 5;
}
