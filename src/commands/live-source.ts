/** A live fleet: the super cluster that the flags name, and the tenants of its VirtualClusters. */
import type { OpenTenant } from '../fleet/each-tenant.ts';
import { LiveCluster } from '../fleet/live-cluster.ts';
import { claimsOfTenants } from '../fleet/super-claims.ts';
import { listAll } from '../kube/list.ts';
import { NAMESPACES } from '../kube/resources.ts';
import type { LiveOptions } from '../fleet/live-cluster.ts';
import { listVirtualClusters } from '../fleet/virtual-clusters.ts';
import { ApiConnection } from '../kube/connection.ts';
import { connectionFromFlags } from '../kube/kubeconfig/resolve.ts';
import type { ConnectionFlags } from '../kube/kubeconfig/connection-flags.ts';
import type { ConnectionSettings } from '../kube/settings.ts';
import { indexSuperClaims } from '../reconcile/pair.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { parseTenantKubeconfigFlags } from '../virtualcluster/tenant-kubeconfig-flag.ts';
import { tenantSettings } from '../virtualcluster/tenant.ts';
import type { FleetSource, RequestListener } from './source.ts';

export interface LiveFlags {
  readonly connection: ConnectionFlags;
  /** Of the super cluster; null for all. */
  readonly namespace: string | null;
  /** Labels that tenant claims must have; null for all claims. */
  readonly selector: string | null;
  /** Each VIRTUALCLUSTER=FILE. */
  readonly tenantKubeconfigs: readonly string[];
}

/** @throws UserError from the source where the super cluster cannot be reached or read. */
export function liveFleet(flags: LiveFlags): FleetSource {
  return async (signal) => {
    const tenantFiles = parseTenantKubeconfigFlags(flags.tenantKubeconfigs);
    const { settings, contextName } = await connectionFromFlags(flags.connection);
    let count: RequestListener = () => {};
    const superApi = new ApiConnection(settings, (verb, code) => count('super', verb, code));
    let tell: (more: number) => void = () => {};
    const onClaims = (more: number): void => tell(more);
    const superCluster = new LiveCluster(superApi, { onClaims, signal });
    try {
      const virtualClusters = await listVirtualClusters(superApi, flags.namespace, signal);
      tenantFiles.check(virtualClusters);
      return {
        virtualClusters,
        superApi,
        live: true,
        superCluster: { description: `${settings.description} (${settings.server})`, contextName },
        onClaims: (listener) => {
          tell = listener;
        },
        onRequest: (listener) => {
          count = listener;
        },
        close: () => superApi.close(),
        fleet: {
          super: superCluster,
          superClaims: async (tenants, within) => {
            const narrowed = flags.namespace !== null || tenants.length <= virtualClusters.length / 2;
            if (!narrowed) return indexSuperClaims(await superCluster.claims(null, within));
            const namespaces = await listAll(superApi, NAMESPACES, { namespace: null, signal: within });
            return indexSuperClaims(await claimsOfTenants(tenants, namespaces, superCluster, within));
          },
          tenant: async (virtualCluster, within) => {
            const file = tenantFiles.find(virtualCluster);
            const found =
              file === null
                ? await tenantSettings(virtualCluster, superApi, within)
                : await settingsFromFile(virtualCluster, file, flags.connection.requestTimeout);
            const connection = new ApiConnection(found, (verb, code) => count('tenant', verb, code));
            return openTenant(connection, {
              onClaims,
              signal: within,
              ...(flags.selector === null ? {} : { labelSelector: flags.selector }),
            });
          },
        },
      };
    } catch (error) {
      await superApi.close();
      throw error;
    }
  };
}

/** The admin's own file: everything that a kubeconfig may hold is allowed in it. */
async function settingsFromFile(
  { namespace, name }: VirtualCluster,
  file: string,
  requestTimeout: string | undefined,
): Promise<ConnectionSettings> {
  const { settings } = await connectionFromFlags({
    kubeconfig: file,
    ...(requestTimeout === undefined ? {} : { requestTimeout }),
  });
  return { ...settings, description: `tenant ${namespace}/${name}` };
}

function openTenant(connection: ApiConnection, options: LiveOptions): OpenTenant {
  return { reader: new LiveCluster(connection, options), api: connection, close: () => connection.close() };
}
