/**
 * What the watches of one cluster know of each other while its server is gone: who asks next, and that it answers again.
 * Each by itself would wait out a back-off of up to a minute after the server is back.
 */

/** After an answer the others come within so long, not in one instant: there may be many replicas. Milliseconds. */
const SPREAD = 100;

export class Recovery {
  /** What wakes each of those who wait, and when it is due without that: performance.now(), milliseconds. */
  readonly #waiting = new Map<() => void, number>();

  /** The server has answered something: who waits for that waits no longer. */
  answered(): void {
    for (const wake of this.#waiting.keys()) wake();
  }

  /**
   * How long to wait with the others. Each asks as often as it would alone, but they take turns, so that there is always
   * one that soon asks: six at the longest back-off every 8 s, where by chance it was up to 35 s.
   * @param wait what it would wait alone: between `least` and twice that, by chance. Milliseconds
   * @param least of its back-off; it never waits less, nor more than twice as long. Milliseconds
   */
  turn(wait: number, least: number): number {
    const now = performance.now();
    const last = Math.max(now, ...this.#waiting.values());
    const even = last - now + wait / (this.#waiting.size + 1);
    return Math.max(least, Math.min(even, Math.max(wait, 2 * least)));
  }

  /**
   * Waits for an answer, or until the time is up or the signal is aborted.
   * @param wait milliseconds
   * @returns whether there was an answer
   */
  wait(wait: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (answered: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(wake);
        resolve(answered);
      };
      const stop = (): void => end(false);
      const wake = (): void => {
        this.#waiting.delete(wake);
        clearTimeout(timer);
        timer = setTimeout(end, Math.random() * SPREAD, true);
      };
      let timer = setTimeout(end, wait, false);
      this.#waiting.set(wake, performance.now() + wait);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }
}
