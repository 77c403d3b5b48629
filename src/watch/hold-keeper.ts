/** The admission policy of one tenant over time: seen to before the first write, doubted after an undone one, dropped when idle. */
import type { ClusterReader } from '../fleet/cluster.ts';
import type { Judgement } from '../reconcile/judge.ts';
import { dropIdleHold, seeToHold } from '../sync/keep.ts';
import type { Kept } from '../sync/keep.ts';
import type { TenantApi } from '../sync/tenant-api.ts';

export class HoldKeeper {
  readonly #api: TenantApi;
  readonly #reader: ClusterReader;
  readonly #requested: boolean;
  readonly #signal: AbortSignal;
  #kept: Promise<Kept> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param requested --hold */
  constructor(api: TenantApi, reader: ClusterReader, requested: boolean, signal: AbortSignal) {
    this.#api = api;
    this.#reader = reader;
    this.#requested = requested;
    this.#signal = signal;
  }

  /**
   * How what a judgement plans will be kept; with --hold the policy is installed and in effect once this has resolved.
   * @throws UserError as seeToHold; it is tried anew the next time
   */
  seeTo(due: Judgement): Promise<Kept> {
    if (this.#kept !== null) return this.#kept;
    const agenda = { due: [due], held: [], refused: [], otherMismatches: 0, settling: 0 };
    const kept = this.#inTurn(() => seeToHold(this.#api, agenda, this.#requested, this.#signal));
    this.#kept = kept;
    kept.catch(() => {
      if (this.#kept === kept) this.#kept = null;
    });
    return kept;
  }

  /** What was known of the policy is to be read again: something that it should have kept was undone. */
  doubt(): void {
    this.#kept = null;
  }

  /** Removes the policy if no claim of the tenant needs it. @returns whether it is gone. @throws UserError */
  dropIdle(): Promise<boolean> {
    this.#kept = null;
    return this.#inTurn(() => dropIdleHold(this.#api, this.#reader, this.#signal));
  }

  /** Installing and removing at the same time would leave half a policy. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
