/** Tenant namespaces that were asked for and that no tenant has: most likely mistyped, and nothing would be compared. */
import { nearest } from '../nearest.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { noNeeds } from '../reconcile/needs.ts';
import { eachTenant } from './each-tenant.ts';
import type { Fleet, TenantsOptions } from './each-tenant.ts';

/**
 * @param virtualClusters those looked at
 * @param names of namespaces in which no claim was found
 * @returns a line for each that none of them has. No line where any tenant cannot say what namespaces it has: it does not
 *   answer, may not be asked (plugin/deploy/rbac-tenant.yaml needs no right to), or its recording is without them
 */
export async function unknownNamespaces(
  fleet: Pick<Fleet, 'tenant'>,
  virtualClusters: readonly VirtualCluster[],
  names: readonly string[],
  options: Omit<TenantsOptions, 'onTenantDone'>,
): Promise<string[]> {
  if (names.length === 0 || virtualClusters.length === 0) return [];
  const known = new Set<string>();
  const unread = await eachTenant(
    fleet,
    virtualClusters,
    { ...options, onTenantDone: () => {} },
    async (_virtualCluster, { reader }, deadline) => {
      const reading = reader.evidence({ ...noNeeds(), namespaces: true }, deadline.signal);
      const { namespaces } = await deadline.bound(reading);
      // No API server is without any: it creates its own (kubernetes pkg/controlplane/controller/systemnamespaces).
      if (namespaces === null || namespaces.names.size === 0) return ['its namespaces are not known'];
      for (const name of namespaces.names.keys()) known.add(name);
      return [];
    },
  );
  if (unread.length > 0) return [];
  const suggestions = [...known].toSorted();
  return names
    .filter((name) => !known.has(name))
    .map(
      (name) =>
        `--tenant-namespace ${name}: no VirtualCluster that was looked at has such a namespace${nearest(name, suggestions)}`,
    );
}
