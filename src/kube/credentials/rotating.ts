import type { CredentialSource, Credentials } from '../settings.ts';

export interface RotatingOptions {
  /** Reads what is valid now. @throws UserError */
  readonly read: () => Promise<Credentials>;
  /** How long it is not read again. Milliseconds; infinity for what never changes. */
  readonly period: number;
  /** What to use where it was never read; null where then there is nothing. */
  readonly fallback: Credentials | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Credentials in files that something else renews. As client-go transport/token_source.go: what was read last stays in
 * use while reading again fails.
 */
export class RotatingCredentials implements CredentialSource {
  readonly #options: RotatingOptions;
  #last: Credentials | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: RotatingOptions) {
    this.#options = options;
  }

  async current(): Promise<Credentials> {
    const { read, period, fallback, now } = this.#options;
    if (this.#last !== null && now() - this.#readAt < period) return this.#last;
    try {
      this.#last = await read();
      this.#readAt = now();
      return this.#last;
    } catch (error) {
      const old = this.#last ?? fallback;
      if (old === null) throw error;
      return old;
    }
  }

  invalidate(): boolean {
    if (!Number.isFinite(this.#options.period)) return false;
    this.#readAt = Number.NEGATIVE_INFINITY;
    return true;
  }
}
