/** Which tenants' claims a change in the super cluster may concern. */
import type { Claim } from '../reconcile/model.ts';
import { claimKey } from './tenant-state.ts';

/** A claim of a tenant. */
export interface TenantClaimKey {
  readonly id: string;
  readonly key: string;
}

export class PlaceIndex {
  /** A super namespace to the tenants that would have claims there, and of which namespace of theirs. */
  readonly #places = new Map<string, Map<string, string>>();
  /** A cluster key to the tenants that have it: one, unless two VirtualClusters claim the same namespace. */
  readonly #keys = new Map<string, Set<string>>();

  add(id: string, clusterKey: string): void {
    const ids = this.#keys.get(clusterKey);
    if (ids === undefined) this.#keys.set(clusterKey, new Set([id]));
    else ids.add(id);
  }

  remove(id: string, clusterKey: string, superNamespaces: Iterable<string>): void {
    const ids = this.#keys.get(clusterKey);
    ids?.delete(id);
    if (ids?.size === 0) this.#keys.delete(clusterKey);
    for (const superNamespace of superNamespaces) this.#removePlace(id, superNamespace);
  }

  /** A tenant has, or no longer has, claims that belong at a place. */
  place(id: string, namespace: string, superNamespace: string, present: boolean): void {
    if (!present) {
      this.#removePlace(id, superNamespace);
      return;
    }
    const tenants = this.#places.get(superNamespace);
    if (tenants === undefined) this.#places.set(superNamespace, new Map([[id, namespace]]));
    else tenants.set(id, namespace);
  }

  /** The tenant claims that a super claim may be paired with: by its mark, and by its place. */
  *of({ owner, namespace, name }: Pick<Claim, 'owner' | 'namespace' | 'name'>): Generator<TenantClaimKey> {
    if (owner !== null) {
      const key = claimKey({ namespace: owner.namespace, name });
      for (const id of this.#keys.get(owner.clusterKey) ?? []) yield { id, key };
    }
    for (const [id, tenantNamespace] of this.#places.get(namespace) ?? []) {
      yield { id, key: claimKey({ namespace: tenantNamespace, name }) };
    }
  }

  /** The tenants that have a cluster key. */
  withKey(clusterKey: string): Iterable<string> {
    return this.#keys.get(clusterKey) ?? [];
  }

  #removePlace(id: string, superNamespace: string): void {
    const tenants = this.#places.get(superNamespace);
    tenants?.delete(id);
    if (tenants?.size === 0) this.#places.delete(superNamespace);
  }
}
