/** Which tenants' claims a change in the super cluster may concern. */
import type { Claim } from '../reconcile/model.ts';
import { claimKey } from './tenant-state.ts';

/** A claim of a tenant. */
export interface TenantClaimKey {
  readonly id: string;
  readonly key: string;
}

export class PlaceIndex {
  /**
   * A super namespace to the tenants that would have claims there, and of which namespaces of theirs: one, unless a tenant
   * has named a namespace after what the name of another, longer one is cut to.
   */
  readonly #places = new Map<string, Map<string, Set<string>>>();
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
    for (const superNamespace of superNamespaces) {
      this.#places.get(superNamespace)?.delete(id);
      this.#dropIfEmpty(superNamespace);
    }
  }

  /** A tenant has, or no longer has, claims that belong at a place. */
  place(id: string, namespace: string, superNamespace: string, present: boolean): void {
    const tenants = this.#places.get(superNamespace) ?? new Map<string, Set<string>>();
    const namespaces = tenants.get(id) ?? new Set();
    if (present) namespaces.add(namespace);
    else namespaces.delete(namespace);
    if (namespaces.size > 0) tenants.set(id, namespaces);
    else tenants.delete(id);
    this.#places.set(superNamespace, tenants);
    this.#dropIfEmpty(superNamespace);
  }

  /** The tenant claims that a super claim may be paired with: by its mark, and by its place. */
  *of({ owner, namespace, name }: Pick<Claim, 'owner' | 'namespace' | 'name'>): Generator<TenantClaimKey> {
    if (owner !== null) {
      const key = claimKey({ namespace: owner.namespace, name });
      for (const id of this.#keys.get(owner.clusterKey) ?? []) yield { id, key };
    }
    for (const [id, tenantNamespaces] of this.#places.get(namespace) ?? []) {
      for (const one of tenantNamespaces) yield { id, key: claimKey({ namespace: one, name }) };
    }
  }

  /** The tenants that have a cluster key. */
  withKey(clusterKey: string): Iterable<string> {
    return this.#keys.get(clusterKey) ?? [];
  }

  #dropIfEmpty(superNamespace: string): void {
    if (this.#places.get(superNamespace)?.size === 0) this.#places.delete(superNamespace);
  }
}
