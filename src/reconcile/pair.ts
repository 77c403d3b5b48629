/** Which super claim belongs to which tenant claim: by the syncer's annotations, else by the computed place. */
import { superNamespaceName } from './mapping.ts';
import type { Claim, Owner, Pair } from './model.ts';

/** The super cluster's claims, indexed once for all tenants. */
export interface SuperClaims {
  /** Super namespace, then name. */
  readonly byPlace: ReadonlyMap<string, ReadonlyMap<string, Claim>>;
  /** ownerKey to the super namespaces in which claims carry that mark, in alphabetical order. */
  readonly namespacesOf: ReadonlyMap<string, readonly string[]>;
}

/** One key for an owner mark. A namespace name holds no slash, so two marks never share a key. */
export function ownerKey(owner: Owner): string {
  return `${owner.clusterKey}/${owner.namespace}`;
}

/** Indexes super claims. The order of the input does not matter. */
export function indexSuperClaims(claims: Iterable<Claim>): SuperClaims {
  const byPlace = new Map<string, Map<string, Claim>>();
  const marked = new Map<string, Set<string>>();
  for (const claim of claims) {
    getOrInsert(byPlace, claim.namespace, () => new Map<string, Claim>()).set(claim.name, claim);
    if (claim.owner === null) continue;
    getOrInsert(marked, ownerKey(claim.owner), () => new Set<string>()).add(claim.namespace);
  }
  const namespacesOf = new Map<string, string[]>();
  for (const [key, namespaces] of marked) namespacesOf.set(key, [...namespaces].sort());
  return { byPlace, namespacesOf };
}

/**
 * Pairs every claim of one tenant with its super claim.
 * @param key the cluster key of the tenant's VirtualCluster
 */
export function pairClaims(key: string, tenantClaims: Iterable<Claim>, index: SuperClaims): Pair[] {
  const pairs: Pair[] = [];
  const computed = new Map<string, string>();
  for (const tenant of tenantClaims) {
    const place = getOrInsert(computed, tenant.namespace, () => superNamespaceName(key, tenant.namespace));
    pairs.push(pairClaim({ clusterKey: key, namespace: tenant.namespace }, tenant, place, index));
  }
  return pairs;
}

/**
 * Super claims that the syncer made for this tenant and that no pair holds, as pairs without a tenant side.
 * @param pairs all pairs of this tenant
 */
export function orphansOf(key: string, pairs: readonly Pair[], index: SuperClaims): Pair[] {
  const paired = new Set<Claim>();
  for (const pair of pairs) if (pair.super !== null) paired.add(pair.super);
  const orphans: Pair[] = [];
  for (const claims of index.byPlace.values()) {
    for (const claim of claims.values()) {
      if (claim.owner?.clusterKey !== key || paired.has(claim)) continue;
      orphans.push({ owner: claim.owner, tenant: null, super: claim, superNamespace: claim.namespace });
    }
  }
  return orphans;
}

/**
 * Pairs one tenant claim with its super claim.
 * @param owner what the super claim's marks must say
 * @param computedNamespace where the syncer puts it (mapping.ts, superNamespaceName)
 */
export function pairClaim(owner: Owner, tenant: Claim, computedNamespace: string, index: SuperClaims): Pair {
  const found =
    markedClaim(owner, tenant, computedNamespace, index) ??
    index.byPlace.get(computedNamespace)?.get(tenant.name) ??
    null;
  return { owner, tenant, super: found, superNamespace: found?.namespace ?? computedNamespace };
}

/**
 * Of several claims with the same mark (an interrupted migration of a namespace leaves such) the one made for
 * exactly this tenant claim comes first, then the one at the computed place, then the alphabet.
 */
function markedClaim(
  owner: Owner,
  tenant: Claim,
  computedNamespace: string,
  index: SuperClaims,
): Claim | null {
  let best: Claim | null = null;
  for (const namespace of index.namespacesOf.get(ownerKey(owner)) ?? []) {
    const claim = index.byPlace.get(namespace)?.get(tenant.name);
    if (claim?.owner?.clusterKey !== owner.clusterKey || claim.owner.namespace !== owner.namespace) continue;
    if (claim.ownerUid === tenant.uid) return claim;
    if (best === null || namespace === computedNamespace) best = claim;
  }
  return best;
}

function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
