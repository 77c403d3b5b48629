/** Sees what becomes of claims that were written to: one watch for all of them. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { presentVersion } from '../kube/list.ts';
import { CLAIMS } from '../kube/resources.ts';
import { watchOnce } from '../kube/watch.ts';
import type { Claim } from '../reconcile/model.ts';
import { withTimeLimit } from './time-limit.ts';

/** What a claim was seen to be after a write. */
export type Observation =
  | { readonly kind: 'stayed' }
  | { readonly kind: 'changed'; readonly claim: Claim }
  | { readonly kind: 'deleted' }
  /** The watch broke off, or did not get that far: the claim has to be read. */
  | { readonly kind: 'unseen' };

/** API servers end a watch after half an hour or more; one that ends this many in one run ends them at once. */
const MOST_WATCHES = 20;

/** Each watch keeps a connection of its own; of more namespaces than this all are watched together. */
const MOST_NAMESPACES = 2;
/** What a claim goes through in a few seconds; a server that tells more does not mean well. */
const MOST_EVENTS = 1_000;

interface Seen {
  readonly claim: Claim;
  readonly deleted: boolean;
}

export class ClaimWatch {
  readonly #connection: ApiConnection;
  readonly #stopped = new AbortController();
  readonly #seen = new Map<string, Seen[]>();
  readonly #waiting = new Map<string, () => void>();
  readonly #running: Promise<unknown>[] = [];
  #broken = false;

  /** @param uids of the claims that will be written to; what becomes of others is not kept */
  constructor(connection: ApiConnection, uids: readonly string[]) {
    this.#connection = connection;
    for (const uid of uids) this.#seen.set(uid, []);
  }

  /**
   * Begins to watch: whatever is written after this has returned will be seen.
   * @param namespaces null for all
   * @throws StatusError, UserError
   */
  async start(namespaces: readonly string[] | null, signal: AbortSignal): Promise<void> {
    const within = AbortSignal.any([signal, this.#stopped.signal]);
    const few = namespaces !== null && namespaces.length <= MOST_NAMESPACES;
    for (const namespace of few ? namespaces : [null]) {
      const resourceVersion = await withTimeLimit(
        (limited) => presentVersion(this.#connection, CLAIMS, { namespace, signal: limited }),
        signal,
      );
      this.#running.push(this.#follow(namespace, resourceVersion, within));
    }
  }

  /** Ends it. */
  async stop(): Promise<void> {
    this.#stopped.abort(new UserError('stopped'));
    await Promise.all(this.#running);
  }

  /**
   * Waits until a claim is seen to have changed its phase, or for as long as it stays.
   * @param written the claim as the write left it
   * @param time milliseconds from now
   */
  async after(written: Claim, time: number, signal: AbortSignal): Promise<Observation> {
    const deadline = performance.now() + time;
    for (;;) {
      const seen = this.#seen.get(written.uid) ?? [];
      const own = seen.findIndex(({ claim }) => claim.resourceVersion === written.resourceVersion);
      const later = own < 0 ? [] : seen.slice(own + 1);
      const last = later.at(-1);
      if (last?.deleted === true) return { kind: 'deleted' };
      if (last !== undefined && later.some(({ claim }) => claim.phase !== written.phase)) {
        return { kind: 'changed', claim: last.claim };
      }
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted)
        return { kind: own < 0 || this.#broken || seen.length >= MOST_EVENTS ? 'unseen' : 'stayed' };
      await this.#news(written.uid, left, signal);
    }
  }

  #news(uid: string, time: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(uid);
        resolve();
      };
      const timer = setTimeout(done, time);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.set(uid, done);
    });
  }

  /** Servers end a watch as they please: it goes on where it ended. What breaks it is told by `unseen`. */
  async #follow(namespace: string | null, from: string, signal: AbortSignal): Promise<void> {
    let resourceVersion = from;
    try {
      for (let opened = 0; opened < MOST_WATCHES && !signal.aborted; opened += 1) {
        for await (const event of watchOnce(this.#connection, CLAIMS, {
          namespace,
          resourceVersion,
          signal,
        })) {
          if (event.type === 'BOOKMARK') {
            resourceVersion = event.resourceVersion;
            continue;
          }
          resourceVersion = event.object.resourceVersion;
          this.#note(event.object, event.type === 'DELETED');
        }
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
    this.#broken = true;
  }

  #note(claim: Claim, deleted: boolean): void {
    const seen = this.#seen.get(claim.uid);
    if (seen === undefined) return;
    if (seen.length >= MOST_EVENTS) return;
    seen.push({ claim, deleted });
    this.#waiting.get(claim.uid)?.();
  }
}
