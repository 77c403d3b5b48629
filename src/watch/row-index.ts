/** Which rows a change of what causes rest on may concern: a tenant may have a hundred thousand, a volume concerns one. */
import type { Pair } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';
import { ownerKey } from '../reconcile/pair.ts';
import { Demands } from './demands.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import { Grouped } from './grouped.ts';

export class RowIndex {
  /** Of which each row tells. */
  readonly #pairs = new Map<string, Pair>();
  /** Volume names to the keys of the rows of which either claim names it. */
  readonly #byVolume = new Grouped<string>(compareText);
  /** Rows whose claim in the tenant or super cluster names no volume. */
  readonly #unnamed = { tenant: new Demands(), super: new Demands() };
  /** The namespaces that rows without a super claim miss: the name, and the mark, which has a slash. */
  readonly #byNamespace = new Grouped<string>(compareText);

  /** A row has come, or tells of a pair as it is now. */
  set(key: string, pair: Pair): void {
    const before = this.#pairs.get(key);
    if (before !== undefined && before.tenant === pair.tenant && before.super === pair.super) return;
    this.remove(key);
    this.#pairs.set(key, pair);
    this.#index('add', key, pair);
  }

  remove(key: string): void {
    const pair = this.#pairs.get(key);
    if (pair === undefined) return;
    this.#pairs.delete(key);
    this.#index('remove', key, pair);
  }

  /**
   * Keys of rows whose cause may have changed, some more than once; those that `change.claims` and `change.rest` concern
   * are for the caller to find.
   * @param side the cluster that has changed
   */
  *concernedBy(change: EvidenceChange, side: 'tenant' | 'super'): Generator<string> {
    for (const name of change.volumes) yield* this.#byVolume.groups.get(name) ?? [];
    yield* this.#unnamed[side].concernedBy(change.unclaimed, change.firstFit);
    for (const namespace of change.namespaces) yield* this.#byNamespace.groups.get(namespace) ?? [];
  }

  #index(change: 'add' | 'remove', key: string, pair: Pair): void {
    for (const name of volumeNames(pair)) this.#byVolume[change](name, key);
    for (const side of SIDES) {
      const claim = pair[side];
      if (claim?.volumeName === '') this.#unnamed[side][change](claim, key);
    }
    for (const namespace of missed(pair)) this.#byNamespace[change](namespace, key);
  }
}

const SIDES = ['tenant', 'super'] as const;

/** Each once. */
function volumeNames(pair: Pair): Set<string> {
  const names = SIDES.map((side) => pair[side]?.volumeName ?? '');
  return new Set(names.filter((name) => name !== ''));
}

function missed({ owner, super: claim, superNamespace }: Pair): string[] {
  return claim === null ? [superNamespace, ownerKey(owner)] : [];
}
