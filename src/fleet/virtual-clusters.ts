/** The VirtualClusters of a super cluster. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import { virtualClusterFromJson } from '../kube/objects/from-json.ts';
import type { Resource } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { VirtualCluster } from '../reconcile/model.ts';

/** A custom resource: API servers serve those as JSON whatever is asked for. */
export const VIRTUAL_CLUSTERS: Resource<VirtualCluster> = {
  api: '/apis/tenancy.x-k8s.io/v1alpha1',
  plural: 'virtualclusters',
  fromJson: virtualClusterFromJson,
  decoder: null,
};

/**
 * @param namespace null for all
 * @throws UserError, also where the cluster does not know the kind.
 */
export async function listVirtualClusters(
  connection: ApiConnection,
  namespace: string | null,
  signal: AbortSignal,
): Promise<VirtualCluster[]> {
  try {
    const found = await listAll(connection, VIRTUAL_CLUSTERS, { namespace, signal });
    if (found.every(({ name }) => name !== '')) return found;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
    throw new UserError(
      `${connection.settings.description} (${connection.settings.server}) serves no virtualclusters.tenancy.x-k8s.io/v1alpha1: VirtualCluster is not installed there, or this is not the super cluster (choose it with --context)`,
    );
  }
  throw new UserError(
    `${connection.settings.description} sent a VirtualCluster without a name: this is no Kubernetes API server`,
  );
}
