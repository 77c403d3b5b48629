/** Claims that name no volume, by what they ask for: a fleet has many of them, and few kinds. */
import { demandOf, matches } from '../reconcile/fit.ts';
import type { Claim, Volume } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';

interface Group {
  /** One of them. */
  readonly claim: Claim;
  readonly keys: Set<string>;
}

export class Demands {
  /** Class, then demand. */
  readonly #groups = new Map<string, Map<string, Group>>();

  /** @param key of its row */
  add(claim: Claim, key: string): void {
    const { storageClass } = claim;
    const demand = demandOf(claim);
    let groups = this.#groups.get(storageClass);
    if (groups === undefined) this.#groups.set(storageClass, (groups = new Map<string, Group>()));
    const group = groups.get(demand);
    if (group === undefined) groups.set(demand, { claim, keys: new Set([key]) });
    else group.keys.add(key);
  }

  /** @param claim as it was added */
  remove(claim: Claim, key: string): void {
    const groups = this.#groups.get(claim.storageClass);
    const demand = demandOf(claim);
    const group = groups?.get(demand);
    if (groups === undefined || group === undefined) return;
    group.keys.delete(key);
    if (group.keys.size === 0) groups.delete(demand);
    if (groups.size === 0) this.#groups.delete(claim.storageClass);
  }

  /**
   * Keys of the claims whose first fitting volume may not be what it was, each once.
   * @param changed volumes without claimRef that came, and that went
   * @param firstFit the volume that fits a claim now, as VolumeLookup
   */
  *concernedBy(
    changed: readonly Volume[],
    firstFit: (claim: Claim) => Volume | undefined,
  ): Generator<string> {
    for (const [storageClass, volumes] of Map.groupBy(changed, (volume) => volume.storageClass)) {
      for (const { claim, keys } of this.#groups.get(storageClass)?.values() ?? []) {
        const first = firstFit(claim)?.name;
        // One behind the first neither is the first nor was it: then the present one came since, and is among these.
        const counts = (volume: Volume): boolean =>
          (first === undefined || compareText(volume.name, first) <= 0) && matches(claim, volume, false);
        if (volumes.some(counts)) yield* keys;
      }
    }
  }
}
