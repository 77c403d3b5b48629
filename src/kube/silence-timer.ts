import { UserError } from '../errors.ts';

/** Why a connection was given up: what is behind it seems to be dead, though it is open. */
export class Unresponsive extends UserError {}

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
  constructor(limit: number, cut: (reason: Unresponsive) => void) {
    this.#ticker = setInterval(() => {
      this.#ticks += 1;
      if (this.#ticks <= TICKS) return;
      this.stop();
      cut(new Unresponsive(`nothing was heard for ${Math.round(limit / 1000)} s`));
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
