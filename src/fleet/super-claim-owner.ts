/** To which tenant a claim of the super cluster belongs. */
import { UserError, oneLine } from '../errors.ts';
import { claimFromJson, namespaceFromJson } from '../kube/objects/from-json.ts';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Owner, VirtualCluster } from '../reconcile/model.ts';
import type { ClusterReader } from './cluster.ts';

interface Owned {
  readonly virtualCluster: VirtualCluster;
  /** Of the tenant. */
  readonly namespace: string;
}

/**
 * By the claim's marks, else by those of its namespace, else by the namespace's name.
 * @returns null where there is no such claim, or none that belongs to a tenant
 * @throws UserError where it belongs to a VirtualCluster that is not among the running ones
 */
export async function ownerOfSuperClaim(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  superCluster: ClusterReader,
  running: readonly VirtualCluster[],
  signal: AbortSignal,
): Promise<Owned | null> {
  const found = await superCluster.object('PersistentVolumeClaim', namespace, name, signal);
  if (found === null) return null;
  const owner =
    claimFromJson(found).owner ?? (await ownerOfNamespace(namespace, superCluster, running, signal));
  if (owner === null) return null;
  const virtualCluster = running.find((one) => clusterKey(one) === owner.clusterKey);
  if (virtualCluster === undefined) {
    throw new UserError(
      `super claim ${namespace}/${name} belongs to a VirtualCluster with the key ${oneLine(owner.clusterKey)}, and no Running one of that key is visible here`,
    );
  }
  return { virtualCluster, namespace: owner.namespace };
}

async function ownerOfNamespace(
  name: string,
  superCluster: ClusterReader,
  running: readonly VirtualCluster[],
  signal: AbortSignal,
): Promise<Owner | null> {
  const found = await superCluster.object('Namespace', null, name, signal);
  const marked = found === null ? null : namespaceFromJson(found).owner;
  if (marked !== null) return marked;
  for (const key of running.map(clusterKey)) {
    const namespace = name.slice(key.length + 1);
    if (namespace !== '' && superNamespaceName(key, namespace) === name)
      return { clusterKey: key, namespace };
  }
  return null;
}
