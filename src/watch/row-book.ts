/** The rows of one tenant as they were last told: what is told again is only what differs. */
import { isDeepStrictEqual } from 'node:util';
import type { CauseCode, Pair, Verdict } from '../reconcile/model.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import type { RowEvent, WatchRow } from './observer.ts';
import { RowIndex } from './row-index.ts';

export class RowBook {
  readonly #rows = new Map<string, WatchRow>();
  readonly #index = new RowIndex();
  readonly #tell: (event: RowEvent) => void;
  #mismatches = 0;
  #closed = false;

  constructor(tell: (event: RowEvent) => void) {
    this.#tell = tell;
  }

  /** Claim keys and rows. */
  get rows(): ReadonlyMap<string, WatchRow> {
    return this.#rows;
  }

  /** How many rows are mismatches. */
  get mismatches(): number {
    return this.#mismatches;
  }

  /** @param pair of which the row tells */
  set(key: string, row: WatchRow, pair: Pair): void {
    if (this.#closed) return;
    const before = this.#rows.get(key);
    this.#index.set(key, pair);
    if (isDeepStrictEqual(before, row)) return;
    this.#rows.set(key, row);
    this.#mismatches += mismatchesOf(row) - mismatchesOf(before);
    this.#tell({ type: before === undefined ? 'ADDED' : 'MODIFIED', row, gone: false });
  }

  /** It has no row any more. @param now as it is now; null where the claim is gone */
  drop(key: string, now: WatchRow | null): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#rows.delete(key);
    this.#index.remove(key);
    this.#mismatches -= mismatchesOf(before);
    this.#tell({ type: 'DELETED', row: now ?? before, gone: now === null });
  }

  /** All rows go, and none comes any more: what is still under way is not ours to tell. */
  close(): void {
    this.#closed = true;
    for (const key of this.#rows.keys()) this.drop(key, null);
  }

  /**
   * Keys of rows whose cause may have changed, some more than once; not those of which only `change.claims` tells.
   * @param side the cluster that has changed
   */
  concernedBy(change: EvidenceChange, side: 'tenant' | 'super'): Iterable<string> {
    return change.rest ? this.#rows.keys() : this.#index.concernedBy(change, side);
  }

  /** How many rows have each verdict, and how many of those that are mismatched or held (as broken as before) each cause. */
  counts(): {
    readonly verdicts: Map<Verdict, number>;
    readonly causes: Map<CauseCode | null, number>;
    readonly contested: number;
  } {
    const verdicts = new Map<Verdict, number>();
    const causes = new Map<CauseCode | null, number>();
    let contested = 0;
    for (const { item, outcome } of this.#rows.values()) {
      verdicts.set(item.verdict, (verdicts.get(item.verdict) ?? 0) + 1);
      const code = item.cause?.code ?? null;
      if (isMismatch(item.verdict) || item.verdict === 'Held') causes.set(code, (causes.get(code) ?? 0) + 1);
      if (outcome === 'Contested') contested += 1;
    }
    return { verdicts, causes, contested };
  }
}

function mismatchesOf(row: WatchRow | undefined): 0 | 1 {
  return row !== undefined && isMismatch(row.item.verdict) ? 1 : 0;
}
