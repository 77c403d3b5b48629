/** A cluster's volumes as they are now, indexed as causes ask for them. */
import type { ReflectorSink } from '../kube/reflector.ts';
import type { Volume, VolumeLookup } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';
import { Grouped } from './grouped.ts';
import { ObjectStore } from './object-store.ts';
import type { StoreListener } from './object-store.ts';

export class VolumeStore implements VolumeLookup {
  readonly #volumes: ObjectStore<Volume>;
  readonly #byClaim = new Grouped<Volume>((a, b) => compareText(a.name, b.name));
  readonly #unclaimed = new Grouped<Volume>((a, b) => compareText(a.name, b.name));

  constructor(changed: StoreListener<Volume>) {
    this.#volumes = new ObjectStore<Volume>((before, after) => {
      if (before !== null) this.#index(before).remove(keyOf(before), before);
      if (after !== null) this.#index(after).add(keyOf(after), after);
      changed(before, after);
    });
  }

  get byName(): ReadonlyMap<string, Volume> {
    return this.#volumes.byPlace.get('') ?? NONE;
  }

  get byClaim(): ReadonlyMap<string, readonly Volume[]> {
    return this.#byClaim.groups;
  }

  get unclaimed(): ReadonlyMap<string, readonly Volume[]> {
    return this.#unclaimed.groups;
  }

  get sink(): ReflectorSink<Volume> {
    return this.#volumes.sink(null);
  }

  #index({ claimRef }: Volume): Grouped<Volume> {
    return claimRef === null ? this.#unclaimed : this.#byClaim;
  }
}

const NONE: ReadonlyMap<string, Volume> = new Map();

/** As reconcile/evidence.ts groups them. */
function keyOf({ claimRef, storageClass }: Volume): string {
  return claimRef === null ? storageClass : `${claimRef.namespace}/${claimRef.name}`;
}
