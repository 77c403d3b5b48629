/** The super cluster's claims as they are now, indexed as pairing asks for them. */
import type { ReflectorSink } from '../kube/reflector.ts';
import type { Claim } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';
import { ownerKey } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { ObjectStore } from './object-store.ts';
import type { StoreListener } from './object-store.ts';

export class SuperClaimStore implements SuperClaims {
  readonly #claims: ObjectStore<Claim>;
  readonly #namespacesOf = new Map<string, string[]>();
  /** ownerKey to namespace to the number of claims there that carry the mark. */
  readonly #marks = new Map<string, Map<string, number>>();

  constructor(changed: StoreListener<Claim>) {
    this.#claims = new ObjectStore<Claim>((before, after) => {
      this.#count(before, -1);
      this.#count(after, 1);
      changed(before, after);
    });
  }

  get byPlace(): ReadonlyMap<string, ReadonlyMap<string, Claim>> {
    return this.#claims.byPlace;
  }

  get namespacesOf(): ReadonlyMap<string, readonly string[]> {
    return this.#namespacesOf;
  }

  get sink(): ReflectorSink<Claim> {
    return this.#claims.sink(null);
  }

  #count(claim: Claim | null, by: 1 | -1): void {
    if (claim === null || claim.owner === null) return;
    const key = ownerKey(claim.owner);
    let marks = this.#marks.get(key);
    if (marks === undefined) this.#marks.set(key, (marks = new Map<string, number>()));
    const before = marks.get(claim.namespace) ?? 0;
    const after = before + by;
    if (after > 0) marks.set(claim.namespace, after);
    else marks.delete(claim.namespace);
    if (marks.size === 0) this.#marks.delete(key);
    // The list changes with the first and the last claim only: most of the time one namespace has one mark.
    if (before > 0 && after > 0) return;
    if (marks.size === 0) this.#namespacesOf.delete(key);
    else this.#namespacesOf.set(key, [...marks.keys()].sort(compareText));
  }
}
