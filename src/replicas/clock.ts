/** Time as a replica measures it. */

/** One moment by two clocks. Milliseconds, each from a beginning of its own. */
export interface Instant {
  /** Never set, but stands still while the machine is suspended (CLOCK_MONOTONIC). */
  readonly monotonic: number;
  /** Goes on while the machine is suspended, but may be set to any time at any time. */
  readonly wall: number;
}

/** This very moment. */
export function instantNow(): Instant {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds that may have passed, by whichever clock says more: for what must not last too long. */
export function longestSince(from: Instant, to: Instant): number {
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall);
}
