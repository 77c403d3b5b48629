/** What a watch says of tenant namespaces that no tenant has: they may come into being, or be mistyped. */
import { oneLine } from '../errors.ts';
import { Deadline } from '../fleet/deadline.ts';
import type { Fleet } from '../fleet/each-tenant.ts';
import { unknownNamespaces } from '../fleet/unknown-namespaces.ts';
import type { FleetWatch } from '../watch/fleet-watch.ts';
import type { WatchFlags } from './watch.ts';

/**
 * Asked once, when the first look is over.
 * @param limit milliseconds, 0 for none
 * @returns lines, none where a tenant could not be asked
 */
export async function namespaceWarnings(
  fleet: FleetWatch,
  tenants: Pick<Fleet, 'tenant'>,
  { tenantNamespaces, concurrency, tenantTimeout }: WatchFlags,
  limit: number,
  outer: AbortSignal,
): Promise<readonly string[]> {
  const watched = [...fleet.tenants()];
  if (watched.some(({ health }) => health.state !== 'up')) return [];
  const sought = tenantNamespaces.filter((name) =>
    watched.every(({ state }) => !state.claims.byPlace.has(name)),
  );
  const deadline = new Deadline(limit, outer);
  const virtualClusters = watched.map(({ state }) => state.virtualCluster);
  const options = { concurrency, tenantTimeout, signal: deadline.signal };
  const lines = await unknownNamespaces(tenants, virtualClusters, sought, options).finally(() =>
    deadline.clear(),
  );
  return lines.map((line) => oneLine(`warning: ${line}`));
}
