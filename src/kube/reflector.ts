/**
 * Keeps a copy of a kind's objects up to date: lists them, then watches from there. What client-go
 * tools/cache/reflector.go and tools/watch/retrywatcher.go do, with two differences: a watch that fails is resumed
 * from where it was instead of listed again, and what fails is told.
 */
import { UserError } from '../errors.ts';
import { abortable } from './abortable.ts';
import type { ApiConnection } from './connection.ts';
import { listAt, presentVersion } from './list.ts';
import { abortReason } from './network-error.ts';
import { Pace } from './pace.ts';
import type { Next } from './pace.ts';
import { isEarlier } from './resource-version.ts';
import type { Resource } from './resources.ts';
import { pause } from './retry.ts';
import { SilenceTimer, Unresponsive } from './silence-timer.ts';
import { watchOnce } from './watch.ts';
import type { WatchEvent } from './watch.ts';

/** Where what a reflector sees is kept. Called synchronously, in order. */
export interface ReflectorSink<T> {
  /** A list is complete: these are all objects there are. The sink finds out what has gone. */
  replace(objects: readonly T[]): void;
  /** ADDED or MODIFIED. */
  put(object: T): void;
  /** DELETED, in its last state. */
  remove(object: T): void;
}

export type ReflectorState =
  /** No complete list yet, or the last one has expired. */
  | { readonly kind: 'listing' }
  /** Up to date, as far as the server told. */
  | { readonly kind: 'watching' }
  | {
      readonly kind: 'failing';
      readonly error: UserError;
      /** In a row, from 1. */
      readonly failures: number;
      /** Milliseconds from now, if not sooner. */
      readonly retryIn: number;
    };

export interface ReflectorOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Ends it; run() then resolves. */
  readonly signal: AbortSignal;
  /** On changes only. */
  readonly onState: (state: ReflectorState) => void;
  /** true: no retry is made, run() rejects with the error (an Unauthorized credential, a server that is gone). */
  readonly giveUpOn?: (error: UserError, failures: number) => boolean;
  /** Jitter, for tests. */
  readonly random?: () => number;
  /** Other times than the usual ones, for tests. */
  readonly timing?: Partial<ReflectorTiming>;
}

interface ReflectorTiming {
  /** A list or watch is cut, and asked for again, when no byte came for so long. Milliseconds. */
  readonly longestSilence: number;
  /** A watch shorter than this that told nothing has failed; in so much time there is no more than one. Milliseconds. */
  readonly shortestWatch: number;
}

const TIMING: ReflectorTiming = {
  // Bookmarks come once a minute (k8s.io/apiserver pkg/storage/cacher, bookmarkFrequency), the first of an idle kind after
  // two, as measured. Over HTTP/2 each PING's answer is heard as well.
  longestSilence: 150_000,
  // As client-go: VeryShortWatchError in reflector.go, minRestartDelay in retrywatcher.go.
  shortestWatch: 1_000,
};
/** As client-go: between one and two times this the server ends a watch, each at another time. Seconds. */
const WATCH_TIMEOUT = 300;
/** So much later than it should a server may end a watch; then there is none behind it. Seconds. */
const GRACE = 30;

export class Reflector<T> {
  readonly #connection: ApiConnection;
  readonly #resource: Resource<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions;
  readonly #random: () => number;
  readonly #longestSilence: number;
  readonly #pace: Pace;
  #state: ReflectorState['kind'] | null = null;
  #lastHeard = 0;
  #resourceVersion = '';
  /** A list is due: there was none yet, or its resourceVersion has expired. */
  #stale = true;
  /** The server may have gone back to earlier versions. */
  #doubtful = false;
  /** When the last watch was agreed to (performance.now(), milliseconds); null where it was not. */
  #openedAt: number | null = null;
  #events = 0;

  constructor(
    connection: ApiConnection,
    resource: Resource<T>,
    sink: ReflectorSink<T>,
    options: ReflectorOptions,
  ) {
    this.#connection = connection;
    this.#resource = resource;
    this.#sink = sink;
    this.#options = options;
    this.#random = options.random ?? Math.random;
    const { longestSilence, shortestWatch } = { ...TIMING, ...options.timing };
    this.#longestSilence = longestSilence;
    this.#pace = new Pace(shortestWatch, this.#random);
  }

  /** Date.now() of the last bytes from the server, 0 before the first. */
  get lastHeard(): number {
    return this.#lastHeard;
  }

  /** Up to where the sink has seen everything; "" before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /**
   * Lists and watches until the signal is aborted. To be called once.
   * @throws UserError, StatusError where `giveUpOn` said so; what the sink throws
   */
  async run(): Promise<void> {
    const { signal } = this.#options;
    this.#enter({ kind: 'listing' });
    while (!signal.aborted) {
      const begun = performance.now();
      let error: UserError | null = null;
      try {
        await this.#round();
      } catch (thrown) {
        if (!(thrown instanceof UserError)) throw thrown;
        error = thrown;
      }
      if (signal.aborted) return;
      await this.#pause(this.#conclude(error, begun));
    }
  }

  async #pause({ wait, least }: Next): Promise<void> {
    const { signal } = this.#options;
    if (least !== null) {
      if (await this.#connection.recovery.wait(wait, signal)) this.#pace.woken();
    } else if (wait > 0) {
      await pause(wait, signal, () => new UserError('cancelled')).catch(() => {});
    }
  }

  /** One list, where one is due, and one watch, to its end. */
  async #round(): Promise<void> {
    this.#openedAt = null;
    this.#events = 0;
    if (this.#doubtful && !this.#stale) await this.#compareVersions();
    if (this.#stale) {
      const { items, resourceVersion } = await this.#within((signal, onHeard) =>
        listAt(this.#connection, this.#resource, { ...this.#scope(), signal, onHeard, waits: false }),
      );
      this.#checkList(items, resourceVersion);
      this.#sink.replace(items);
      this.#resourceVersion = resourceVersion;
      this.#stale = false;
      if (this.#state === 'listing') this.#enter({ kind: 'watching' });
    }
    const timeout = Math.round(WATCH_TIMEOUT * (1 + this.#random()));
    await this.#within((signal, onHeard) => this.#watch(signal, onHeard, timeout), timeout + GRACE);
  }

  /**
   * A server whose etcd was restored from a backup counts from an earlier version on, and lets a watch from a later one
   * wait without a word (seen with kube-apiserver 1.37): only a list helps.
   */
  async #compareVersions(): Promise<void> {
    const present = await this.#within((signal, onHeard) =>
      presentVersion(this.#connection, this.#resource, { ...this.#scope(), signal, onHeard, waits: false }),
    );
    this.#doubtful = false;
    if (isEarlier(present, this.#resourceVersion)) this.#expire();
  }

  async #watch(signal: AbortSignal, onHeard: () => void, timeoutSeconds: number): Promise<void> {
    const events = watchOnce(this.#connection, this.#resource, {
      ...this.#scope(),
      resourceVersion: this.#resourceVersion,
      timeoutSeconds,
      signal,
      onHeard,
      onOpen: () => {
        this.#openedAt = performance.now();
        this.#enter({ kind: 'watching' });
      },
    });
    for await (const event of events) {
      // What had arrived before the end is no longer wanted after it.
      if (signal.aborted) return;
      this.#take(event);
    }
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'DELETED') this.#sink.remove(event.object);
    else if (event.type !== 'BOOKMARK') this.#sink.put(event.object);
    this.#resourceVersion = event.resourceVersion;
    this.#events += 1;
  }

  /**
   * Sees to what follows from how a round ended.
   * @param begun performance.now() at its beginning
   * @throws the error, where it is given up on
   */
  #conclude(error: UserError | null, begun: number): Next {
    const now = performance.now();
    const next = this.#pace.after({
      error,
      lived: this.#openedAt === null ? null : now - this.#openedAt,
      events: this.#events,
      took: now - begun,
    });
    const { expired, least, failures, doubtful } = next;
    const wait = least === null ? next.wait : this.#connection.recovery.turn(next.wait, least);
    if (failures > 0)
      this.#fail(error ?? this.#failure('the server ends each watch at once'), failures, wait);
    this.#doubtful ||= doubtful;
    if (expired) this.#expire();
    return { ...next, wait };
  }

  #fail(error: UserError, failures: number, retryIn: number): void {
    if (this.#options.giveUpOn?.(error, failures) === true) throw error;
    this.#enter({ kind: 'failing', error, failures, retryIn });
  }

  #expire(): void {
    this.#stale = true;
    if (this.#state === 'watching') this.#enter({ kind: 'listing' });
  }

  /**
   * Does something that ends when the signal does, or when nothing was heard for too long.
   * @param due seconds after which it should have ended of itself
   */
  async #within<R>(work: (signal: AbortSignal, onHeard: () => void) => Promise<R>, due?: number): Promise<R> {
    const { signal } = this.#options;
    if (signal.aborted) throw this.#failure(abortReason(signal));
    const attempt = new AbortController();
    const stop = (): void => attempt.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const silence = new SilenceTimer(this.#longestSilence, (reason) => attempt.abort(reason));
    const overdue =
      due === undefined
        ? undefined
        : setTimeout(() => attempt.abort(new Unresponsive(`not ended after ${due} s`)), due * 1000);
    try {
      const done = work(attempt.signal, () => {
        silence.heard();
        this.#lastHeard = Date.now();
      });
      // Not all that is waited for hears of a signal: a credential plugin, for example.
      return await abortable(done, attempt.signal, () => this.#failure(abortReason(attempt.signal)));
    } finally {
      silence.stop();
      clearTimeout(overdue);
      signal.removeEventListener('abort', stop);
      attempt.abort();
    }
  }

  #checkList(items: readonly T[], resourceVersion: string): void {
    if (resourceVersion === '') throw this.#failure('the list has no resourceVersion');
    if (items.some(isNameless)) throw this.#failure('the list has an object without a name');
  }

  #scope(): Pick<ReflectorOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      namespace,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }

  #enter(state: ReflectorState): void {
    if (state.kind === this.#state && state.kind !== 'failing') return;
    this.#state = state.kind;
    this.#options.onState(state);
  }

  #failure(reason: string): UserError {
    return new UserError(
      `cannot watch ${this.#resource.plural} of ${this.#connection.settings.description}: ${reason}`,
    );
  }
}

/** The core's models have a name; a resource of something else has none to check. */
function isNameless(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'name' in item && item.name === '';
}
