/** The super cluster's namespaces as they are now, as causes ask for them. */
import type { ReflectorSink } from '../kube/reflector.ts';
import type { Namespace, NamespaceLookup } from '../reconcile/model.ts';
import { ownerKey } from '../reconcile/pair.ts';
import { Grouped } from './grouped.ts';
import { compareText } from '../reconcile/order.ts';
import { ObjectStore } from './object-store.ts';
import type { StoreListener } from './object-store.ts';

export class NamespaceStore implements NamespaceLookup {
  readonly #namespaces: ObjectStore<Namespace>;
  readonly #byOwner = new Grouped<string>(compareText);

  constructor(changed: StoreListener<Namespace>) {
    this.#namespaces = new ObjectStore<Namespace>((before, after) => {
      if (before !== null && before.owner !== null) this.#byOwner.remove(ownerKey(before.owner), before.name);
      if (after !== null && after.owner !== null) this.#byOwner.add(ownerKey(after.owner), after.name);
      changed(before, after);
    });
  }

  get names(): NamespaceLookup['names'] {
    return this.#namespaces.byPlace.get('') ?? NONE;
  }

  get owners(): NamespaceLookup['owners'] {
    return this.#byOwner.groups;
  }

  get sink(): ReflectorSink<Namespace> {
    return this.#namespaces.sink(null);
  }
}

const NONE: NamespaceLookup['names'] = new Set();
