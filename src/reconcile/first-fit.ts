/** Which volume without claimRef a claim that names none would be bound to: of many claims that ask for the same, once. */
import { demandOf, matches } from './fit.ts';
import type { Claim, Volume } from './model.ts';
import { compareText } from './order.ts';

/** What was found for all claims that ask for the same. */
interface Found {
  /** One of them. */
  readonly claim: Claim;
  volume: Volume | undefined;
}

/** So many different demands are kept; a fleet has a few classes and sizes. */
const MOST = 1_000;

export class FirstFits {
  readonly #byClass: ReadonlyMap<string, readonly Volume[]>;
  /** Class, then demand. */
  readonly #found = new Map<string, Map<string, Found>>();
  #size = 0;

  /** @param byClass volumes without claimRef, in the order of names; whoever changes it calls `add` and `remove` */
  constructor(byClass: ReadonlyMap<string, readonly Volume[]>) {
    this.#byClass = byClass;
  }

  /** The first by name that fits, where the claim's class binds immediately. */
  of(claim: Claim): Volume | undefined {
    const demand = demandOf(claim);
    const found = this.#found.get(claim.storageClass)?.get(demand);
    if (found !== undefined) return found.volume;
    const volume = this.#byClass.get(claim.storageClass)?.find((one) => matches(claim, one, false));
    this.#keep(demand, { claim, volume });
    return volume;
  }

  /** A volume has come. */
  add(volume: Volume): void {
    for (const found of this.#found.get(volume.storageClass)?.values() ?? []) {
      const isFirst = found.volume === undefined || compareText(volume.name, found.volume.name) < 0;
      if (isFirst && matches(found.claim, volume, false)) found.volume = volume;
    }
  }

  /** A volume has gone. */
  remove(volume: Volume): void {
    const demands = this.#found.get(volume.storageClass);
    for (const [demand, found] of demands ?? []) {
      if (found.volume === volume && demands?.delete(demand) === true) this.#size -= 1;
    }
  }

  #keep(demand: string, found: Found): void {
    if (this.#size >= MOST) {
      this.#found.clear();
      this.#size = 0;
    }
    const { storageClass } = found.claim;
    const demands = this.#found.get(storageClass);
    if (demands === undefined) this.#found.set(storageClass, new Map([[demand, found]]));
    else demands.set(demand, found);
    this.#size += 1;
  }
}
