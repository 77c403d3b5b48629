/** What of the super cluster belongs to the tenants that are recorded: nothing else goes into a recording. */
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Claim, Namespace, Owner, VirtualCluster, Volume } from '../reconcile/model.ts';

export class RecordScope {
  readonly #keys: ReadonlySet<string>;
  /** null for all. */
  readonly #tenantNamespaces: ReadonlySet<string> | null;
  /** Names as the syncer computes them; of all tenant namespaces only how they begin is known. */
  readonly #computed: ReadonlySet<string>;
  readonly #beginnings: readonly string[];
  readonly #places = new Set<string>();

  /**
   * @param tenants those that are recorded
   * @param tenantNamespaces those asked for; empty for all
   */
  constructor(tenants: readonly VirtualCluster[], tenantNamespaces: readonly string[]) {
    const keys = tenants.map(clusterKey);
    this.#keys = new Set(keys);
    this.#tenantNamespaces = tenantNamespaces.length === 0 ? null : new Set(tenantNamespaces);
    this.#computed = new Set([
      ...keys,
      ...keys.flatMap((key) => tenantNamespaces.map((namespace) => superNamespaceName(key, namespace))),
    ]);
    // As in super-claims.ts: a name that is too long keeps its first 57 characters.
    this.#beginnings = tenantNamespaces.length === 0 ? keys.map((key) => `${key}-`.slice(0, 57)) : [];
  }

  /** Whether a super namespace is a tenant's; if so, what is in it belongs to the tenant from now on. */
  admit({ name, owner }: Namespace): boolean {
    const admitted =
      this.#owns(owner) ||
      this.#computed.has(name) ||
      this.#beginnings.some((beginning) => name.startsWith(beginning));
    if (admitted) this.#places.add(name);
    return admitted;
  }

  /** Whether a super claim is a tenant's. */
  hasClaim(claim: Claim): boolean {
    return this.#places.has(claim.namespace) || this.#owns(claim.owner);
  }

  /** Whether all claims of a super namespace are a tenant's. */
  hasPlace(namespace: string): boolean {
    return this.#places.has(namespace);
  }

  /**
   * Whether a super volume is: a claim in the recording names it, it names one, or it is free to be bound.
   * @param named the volumes that recorded claims name
   */
  hasVolume({ name, claimRef }: Volume, named: ReadonlySet<string>): boolean {
    return claimRef === null || this.#places.has(claimRef.namespace) || named.has(name);
  }

  /** The same for a volume of a tenant. */
  hasTenantVolume({ name, claimRef }: Volume, named: ReadonlySet<string>): boolean {
    const namespaces = this.#tenantNamespaces;
    return namespaces === null || claimRef === null || namespaces.has(claimRef.namespace) || named.has(name);
  }

  #owns(owner: Owner | null): boolean {
    if (owner === null || !this.#keys.has(owner.clusterKey)) return false;
    return this.#tenantNamespaces?.has(owner.namespace) ?? true;
  }
}
