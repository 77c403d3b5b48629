/** The super cluster's claims, or only those of the tenants that were asked for. */
import { clusterKey } from '../reconcile/mapping.ts';
import type { Claim, Namespace, VirtualCluster } from '../reconcile/model.ts';
import type { ClaimReader } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';

/** With more namespaces than this, one list of everything costs less than a list each. */
const MOST_NAMESPACES = 64;
const LISTS_AT_ONCE = 8;

/** The claims of some tenants: on a large fleet, one tenant must not cost a list of all. */
export async function claimsOfTenants(
  tenants: readonly VirtualCluster[],
  namespaces: readonly Namespace[],
  superCluster: ClaimReader,
  signal: AbortSignal,
): Promise<Claim[]> {
  const wanted = namespacesOfTenants(tenants, namespaces);
  if (wanted.length > MOST_NAMESPACES) return superCluster.claims(null, signal);
  return (await mapConcurrently(wanted, LISTS_AT_ONCE, (name) => superCluster.claims(name, signal))).flat();
}

/**
 * Super namespaces that may hold claims of these tenants: those the syncer marked, and those whose name begins as a
 * computed one does (of a long key only the first 57 characters stay).
 */
function namespacesOfTenants(tenants: readonly VirtualCluster[], namespaces: readonly Namespace[]): string[] {
  const keys = new Set(tenants.map(clusterKey));
  const beginnings = [...keys].map((key) => `${key}-`.slice(0, 57));
  return namespaces
    .filter(
      ({ name, owner }) =>
        (owner !== null && keys.has(owner.clusterKey)) ||
        beginnings.some((beginning) => name.startsWith(beginning)),
    )
    .map(({ name }) => name);
}
