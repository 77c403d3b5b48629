/** How soon a reflector goes on after a list or watch has ended. */
import type { UserError } from '../errors.ts';
import { StatusError } from './status-error.ts';

/** As client-go tools/cache/reflector.go, defaultBackoffInit and defaultBackoffMax. Milliseconds. */
const FIRST_WAIT = 800;
const LONGEST_WAIT = 30_000;
/**
 * Once a watch has lived so long, an expired resourceVersion is nothing unusual again; and one that has told nothing, not
 * even a bookmark, may be one that never will. Milliseconds.
 */
const SETTLED = 60_000;

/** What became of one round: a list, where one was due, and a watch. */
export interface Outcome {
  /** null where the server just ended the watch. */
  readonly error: UserError | null;
  /** Milliseconds since the watch was agreed to; null where it was not. */
  readonly lived: number | null;
  readonly events: number;
  /** Milliseconds since the round began. */
  readonly took: number;
}

export interface Next {
  /** The resourceVersion has expired: a list is due. */
  readonly expired: boolean;
  /** Milliseconds. */
  readonly wait: number;
  /** What it waits at least, milliseconds, where it need not wait once the server answers anything; null: it has to in any case. */
  readonly least: number | null;
  /** In a row, this one included; 0 where nothing failed. */
  readonly failures: number;
  /** The server may not be what it was: it was gone, or told nothing at all for long. */
  readonly doubtful: boolean;
}

export class Pace {
  readonly #shortestWatch: number;
  readonly #random: () => number;
  #failures = 0;
  /** Expired resourceVersions since the last settled watch. */
  #expired = 0;
  /** The last failure was that no server answered. */
  #unanswered = false;
  /** It was woken, and has neither worked nor waited for the longest since. */
  #woken = false;

  /**
   * @param shortestWatch a watch shorter than this that told nothing has failed; in so much time there is no more than
   *   one. Milliseconds
   * @param random as Math.random
   */
  constructor(shortestWatch: number, random: () => number) {
    this.#shortestWatch = shortestWatch;
    this.#random = random;
  }

  /**
   * Servers and networks end watches all the time: one that worked goes on where it was, and one that has expired
   * begins with a list, each at once. What fails again and again is backed off from.
   */
  after({ error, lived, events, took }: Outcome): Next {
    const worked = events > 0 || (lived !== null && lived >= this.#shortestWatch);
    if (lived !== null && lived >= SETTLED) this.#expired = 0;
    const expired = error instanceof StatusError && error.code === 410;
    if (expired) {
      this.#expired += 1;
      // Each time is a full list's work: only the first is at once.
      if (this.#expired === 1) return { expired, wait: 0, least: null, failures: 0, doubtful: false };
    } else if (worked) {
      this.#failures = 0;
      this.#woken = false;
      this.#unanswered = false;
      const doubtful = events === 0 && lived !== null && lived >= SETTLED;
      const wait = Math.max(0, this.#shortestWatch - took);
      return { expired, wait, least: null, failures: 0, doubtful };
    }
    return this.#failed(error, expired);
  }

  /**
   * The server has answered, if only another, so what failed before says nothing any more. That is so once, until it works
   * or has waited for the longest: a server that answers and fails in turns would be asked by all each time.
   */
  woken(): void {
    this.#failures = 0;
    this.#woken = true;
  }

  /** @param expired for the second time or more */
  #failed(error: UserError | null, expired: boolean): Next {
    const asked = error instanceof StatusError ? (error.retryAfter ?? 0) * 1000 : 0;
    const unanswered = asked === 0 && isUnanswered(error);
    // A server that is back is not to be kept waiting for by how long it was gone.
    if (this.#unanswered && !unanswered && !this.#woken) this.woken();
    if (expired) this.#failures = Math.min(this.#failures, this.#expired - 2);
    this.#unanswered = unanswered;
    this.#failures += 1;
    // client-go's back-off: doubled with each failure in a row, and up to twice as long by chance, so that many clients of
    // a server that comes back do not all come at once.
    const least = Math.min(FIRST_WAIT * 2 ** (this.#failures - 1), LONGEST_WAIT);
    if (least === LONGEST_WAIT) this.#woken = false;
    return {
      expired,
      wait: Math.max(least * (1 + this.#random()), asked),
      least: unanswered && !this.#woken ? least : null,
      failures: this.#failures,
      doubtful: true,
    };
  }
}

/**
 * Whether it may be that no server was reached, as where a connection is lost, which looks like a watch's end. What a server
 * refuses to us it refuses whatever it answers to others.
 */
function isUnanswered(error: UserError | null): boolean {
  return !(error instanceof StatusError) || error.code >= 500;
}
