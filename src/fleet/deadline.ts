import { UserError } from '../errors.ts';

/** A tenant's own time limit: what it costs when it is dead or slow. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  /** Aborted with a UserError when the time is up, and with whatever ends the whole command. */
  readonly signal: AbortSignal;

  /** @param limit milliseconds, 0 for none */
  constructor(limit: number, outer: AbortSignal) {
    this.#limit = limit;
    this.signal = AbortSignal.any([this.#controller.signal, outer]);
    this.restart();
  }

  restart(): void {
    if (this.#limit === 0 || this.#controller.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(new UserError(`not done within --tenant-timeout (${this.#limit / 1000}s)`));
    }, this.#limit);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Ends with the deadline even where the work does not heed the signal. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(this.signal.reason as Error);
      if (this.signal.aborted) stop();
      this.signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }
}
