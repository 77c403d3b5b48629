/** A cluster's volumes as they are now, indexed as causes ask for them. */
import type { ReflectorSink } from '../kube/reflector.ts';
import { FirstFits } from '../reconcile/first-fit.ts';
import type { Claim, ClaimRef, Volume, VolumeLookup } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';
import { Grouped } from './grouped.ts';
import { ObjectStore } from './object-store.ts';
import type { StoreListener } from './object-store.ts';

export class VolumeStore implements VolumeLookup {
  readonly #volumes: ObjectStore<Volume>;
  readonly #byClaim = new Grouped<Volume>((a, b) => compareText(a.name, b.name));
  readonly #unclaimed = new Grouped<Volume>((a, b) => compareText(a.name, b.name));
  readonly #fits = new FirstFits(this.#unclaimed.groups);

  constructor(changed: StoreListener<Volume>) {
    this.#volumes = new ObjectStore<Volume>((before, after) => {
      if (before !== null) this.#index('remove', before);
      if (after !== null) this.#index('add', after);
      changed(before, after);
    });
  }

  get byName(): ReadonlyMap<string, Volume> {
    return this.#volumes.byPlace.get('') ?? NONE;
  }

  get byClaim(): ReadonlyMap<string, readonly Volume[]> {
    return this.#byClaim.groups;
  }

  firstFit(claim: Claim): Volume | undefined {
    return this.#fits.of(claim);
  }

  get sink(): ReflectorSink<Volume> {
    return this.#volumes.sink(null);
  }

  #index(change: 'add' | 'remove', volume: Volume): void {
    const { claimRef, storageClass } = volume;
    if (claimRef !== null) {
      this.#byClaim[change](placeOf(claimRef), volume);
      return;
    }
    this.#unclaimed[change](storageClass, volume);
    this.#fits[change](volume);
  }
}

const NONE: ReadonlyMap<string, Volume> = new Map();

function placeOf({ namespace, name }: ClaimRef): string {
  return `${namespace}/${name}`;
}
