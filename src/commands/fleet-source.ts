/** The fleet that the flags name. Imported only when it is opened: a recording needs no connection, and starts the faster for it. */
import { UserError } from '../errors.ts';
import { texts } from '../flags/arguments.ts';
import type { Arguments } from '../flags/arguments.ts';
import { connectionFlags } from '../flags/connection.ts';
import { scopeOf } from '../flags/scope.ts';
import type { FleetSource } from './source.ts';

/**
 * @param namespace of the VirtualClusters in view; null for all
 * @param single whether the command reads single objects whole
 * @throws UserError for flags that exclude each other
 */
export function fleetSource(argv: Arguments, namespace: string | null, single = false): FleetSource {
  const { from, selector } = scopeOf(argv);
  if (from !== null && selector !== null)
    throw new UserError('-l cannot be used with --from: a recording is compared as a whole');
  return async (signal) => {
    if (from !== null) {
      const { recordedFleet } = await import('./source.ts');
      return recordedFleet(from, namespace, single)(signal);
    }
    const { liveFleet } = await import('./live-source.ts');
    const tenantKubeconfigs = texts(argv, 'tenant-kubeconfig');
    return liveFleet({ connection: connectionFlags(argv), namespace, selector, tenantKubeconfigs })(signal);
  };
}
