/** Where the fleet of a command comes from: a recording or live clusters. */
import type { Fleet } from '../fleet/each-tenant.ts';
import { recordedReader } from '../fleet/recorded-cluster.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { indexSuperClaims } from '../reconcile/pair.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { readSuper, readTenant } from '../snapshot/snapshot.ts';

/** A fleet that is open: to be closed when done. */
export interface OpenFleet {
  readonly fleet: Fleet;
  /** The super cluster's API server; null in a recording. */
  readonly superApi: ApiConnection | null;
  /** Those that can be seen. */
  readonly virtualClusters: readonly VirtualCluster[];
  /** Whether it can change while it is read. */
  readonly live: boolean;
  /** The super cluster as messages call it, and the context that leads there; null for a recording. */
  readonly superCluster: { readonly description: string; readonly contextName: string } | null;
  /** Registers who is told of each batch of claims that were read. */
  readonly onClaims: (listener: (more: number) => void) => void;
  /** Registers who is told of each request to an API server. */
  readonly onRequest: (listener: RequestListener) => void;
  readonly close: () => Promise<void>;
}

/** @param verb and code as kube/connection.ts RequestObserver */
export type RequestListener = (cluster: 'super' | 'tenant', verb: string, code: number | null) => void;

/** Opens a fleet. @throws UserError */
export type FleetSource = (signal: AbortSignal) => Promise<OpenFleet>;

/**
 * A recorded fleet.
 * @param namespace only VirtualClusters of this namespace; null for all
 * @param keepObjects whether single objects can be asked for, which costs memory
 */
export function recordedFleet(
  directory: string,
  namespace: string | null,
  keepObjects: boolean,
): FleetSource {
  return async () => {
    const recorded = await readSuper(directory, keepObjects);
    return {
      virtualClusters: recorded.virtualClusters.filter(
        (one) => namespace === null || one.namespace === namespace,
      ),
      superApi: null,
      live: false,
      superCluster: null,
      onClaims: () => {},
      onRequest: () => {},
      close: () => Promise.resolve(),
      fleet: {
        super: recordedReader(recorded),
        superClaims: () => Promise.resolve(indexSuperClaims(recorded.claims)),
        tenant: async (virtualCluster) => ({
          reader: recordedReader(await readTenant(directory, virtualCluster, keepObjects)),
          api: null,
          close: () => Promise.resolve(),
        }),
      },
    };
  };
}
