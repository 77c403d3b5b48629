import { UserError } from '../errors.ts';

/** Why a connection was given up: nothing was heard on it. */
export class Silence extends UserError {
  /** @param limit milliseconds */
  constructor(limit: number) {
    super(`nothing was heard for ${Math.round(limit / 1000)} s`);
  }
}

/**
 * Cuts a connection on which nothing is heard for too long. It counts ticks and reads no clock: one that jumps
 * changes nothing, and of a time in which this process or machine was suspended one tick at most is counted, so that
 * what arrived meanwhile is read before the connection is given up.
 */
export class SilenceTimer {
  readonly #ticker: NodeJS.Timeout;
  #ticks = 0;

  /**
   * @param limit milliseconds; by a sixth of it later is silence noticed
   * @param cut called once
   */
  constructor(limit: number, cut: (reason: Silence) => void) {
    this.#ticker = setInterval(() => {
      this.#ticks += 1;
      if (this.#ticks <= TICKS) return;
      this.stop();
      cut(new Silence(limit));
    }, limit / TICKS);
  }

  /** Something was heard. */
  heard(): void {
    this.#ticks = 0;
  }

  stop(): void {
    clearInterval(this.#ticker);
  }
}

const TICKS = 6;
