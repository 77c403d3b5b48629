/** Which rows a change of what causes rest on may concern: a tenant may have a hundred thousand, a volume concerns one. */
import { compareText } from '../reconcile/order.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import { Grouped } from './grouped.ts';
import type { WatchRow } from './observer.ts';

export class RowIndex {
  /** Volume names to the keys of the rows of which either claim names it. */
  readonly #byVolume = new Grouped<string>(compareText);
  /** Keys of rows whose claim in the tenant or super cluster names no volume, and of those without a super claim. */
  readonly #without = { tenant: new Set<string>(), super: new Set<string>(), superClaim: new Set<string>() };

  add(key: string, row: WatchRow): void {
    for (const name of volumeNames(row)) this.#byVolume.add(name, key);
    for (const set of this.#sets(row)) set.add(key);
  }

  /** @param row as it was added */
  remove(key: string, row: WatchRow): void {
    for (const name of volumeNames(row)) this.#byVolume.remove(name, key);
    for (const set of this.#sets(row)) set.delete(key);
  }

  /**
   * Keys of rows whose cause may have changed, some more than once; those that `change.claims` and `change.rest` concern
   * are for the caller to find.
   * @param side the cluster that has changed
   */
  *concernedBy(change: EvidenceChange, side: 'tenant' | 'super'): Generator<string> {
    for (const name of change.volumes) yield* this.#byVolume.groups.get(name) ?? [];
    if (change.unclaimed) yield* this.#without[side];
    if (change.namespaces) yield* this.#without.superClaim;
  }

  *#sets({ item }: WatchRow): Generator<Set<string>> {
    if (item.tenant?.volumeName === null) yield this.#without.tenant;
    if (item.super?.volumeName === null) yield this.#without.super;
    if (item.super === null) yield this.#without.superClaim;
  }
}

/** Each once. */
function volumeNames({ item }: WatchRow): Set<string> {
  const names = [item.tenant?.volumeName ?? '', item.super?.volumeName ?? ''];
  return new Set(names.filter((name) => name !== ''));
}
