/** A tenant's own namespace in the super cluster: where its API server runs and its Secrets are. */
import { UserError } from '../errors.ts';
import { clusterKey } from '../reconcile/mapping.ts';
import type { VirtualCluster } from '../reconcile/model.ts';

/**
 * The cluster key, which becomes part of paths: anything but a name, ".." above all, would lead elsewhere.
 * @throws UserError where status.clusterNamespace cannot be a namespace's name
 */
export function rootNamespace(virtualCluster: VirtualCluster): string {
  const key = clusterKey(virtualCluster);
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(key)) {
    throw new UserError('status.clusterNamespace of the VirtualCluster is no name of a namespace');
  }
  return key;
}
