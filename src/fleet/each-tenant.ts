/** Something done to every selected tenant, side by side, none of which can spoil another's. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import type { ReportError } from '../reconcile/report.ts';
import type { ClusterReader } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';
import { Deadline } from './deadline.ts';

/** Where a fleet is read from. */
export interface Fleet {
  readonly super: ClusterReader;
  /** The super claims of these tenants, or more; asked for once. */
  readonly superClaims: (tenants: readonly VirtualCluster[], signal: AbortSignal) => Promise<SuperClaims>;
  /** A tenant's reader, to be closed when its comparison is over. @throws UserError where it cannot be had. */
  readonly tenant: (virtualCluster: VirtualCluster, signal: AbortSignal) => Promise<OpenTenant>;
}

export interface OpenTenant {
  readonly reader: ClusterReader;
  /** Its API server, to be written to; null in a recording. */
  readonly api: ApiConnection | null;
  readonly close: () => Promise<void>;
}

export interface TenantsOptions {
  /** Tenants side by side. */
  readonly concurrency: number;
  /** Milliseconds that reading a tenant may take in all, 0 for no limit. */
  readonly tenantTimeout: number;
  /** Ends everything: Ctrl-C. */
  readonly signal: AbortSignal;
  readonly onTenantDone: () => void;
}

/** What is done to one tenant while it is open. @returns failures that are to be told of it; may throw a UserError. */
export type TenantWork = (
  virtualCluster: VirtualCluster,
  tenant: OpenTenant,
  deadline: Deadline,
) => Promise<readonly string[]>;

/**
 * Opens each tenant, works on it and closes it.
 * @returns every failure, by VirtualCluster, in the order of the VirtualClusters: which one is done first is chance
 */
export async function eachTenant(
  fleet: Pick<Fleet, 'tenant'>,
  virtualClusters: readonly VirtualCluster[],
  options: TenantsOptions,
  work: TenantWork,
): Promise<ReportError[]> {
  const errors = await mapConcurrently(virtualClusters, options.concurrency, async (virtualCluster) => {
    const { namespace, name } = virtualCluster;
    const messages = await openAndWork(fleet, virtualCluster, options, work);
    options.onTenantDone();
    return messages.map((message) => ({ virtualCluster: { namespace, name }, message }));
  });
  return errors.flat();
}

async function openAndWork(
  fleet: Pick<Fleet, 'tenant'>,
  virtualCluster: VirtualCluster,
  options: TenantsOptions,
  work: TenantWork,
): Promise<readonly string[]> {
  const deadline = new Deadline(options.tenantTimeout, options.signal);
  try {
    const opening = fleet.tenant(virtualCluster, deadline.signal);
    const tenant = await deadline.bound(opening).catch((error: unknown) => {
      // One that is opened after its time is closed again.
      void opening.then((late) => late.close()).catch(() => {});
      throw error;
    });
    try {
      return await work(virtualCluster, tenant, deadline);
    } finally {
      await tenant.close();
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message];
  } finally {
    deadline.clear();
  }
}
