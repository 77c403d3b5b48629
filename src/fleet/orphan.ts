/** The super claim of a tenant claim that is not there. */
import { superNamespaceName } from '../reconcile/mapping.ts';
import type { Claim } from '../reconcile/model.ts';
import { ownerKey } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';

/**
 * At the computed place or where the syncer's marks say, as for pairs; one that is marked for somebody else is not this
 * tenant's, wherever it is.
 * @param key the cluster key of the tenant's VirtualCluster
 * @param namespace of the tenant
 */
export function orphanOf(
  key: string,
  namespace: string,
  name: string,
  { namespacesOf, byPlace }: SuperClaims,
): Claim | null {
  const owner = { clusterKey: key, namespace };
  const computed = superNamespaceName(key, namespace);
  const marked = namespacesOf.get(ownerKey(owner)) ?? [];
  const found = [computed, ...marked].map((place) => byPlace.get(place)?.get(name));
  return (
    found.find((claim) =>
      claim?.owner ? ownerKey(claim.owner) === ownerKey(owner) : claim?.namespace === computed,
    ) ?? null
  );
}
