/**
 * How the syncer maps names: VirtualCluster pkg/syncer/conversion/helper.go (ToClusterKey,
 * ToSuperClusterNamespace). Object names are kept as they are.
 */
import process from 'node:process';
import type { VirtualCluster } from './model.ts';

/** RFC 1123 label: the longest name a namespace can have. */
const NAMESPACE_NAME_LIMIT = 63;

/**
 * The cluster key of a VirtualCluster, which is also the name of its root namespace in the super cluster:
 * `status.clusterNamespace`, else `<namespace>-<first 6 hex digits of sha256(uid)>-<name>`.
 */
export function clusterKey(virtualCluster: VirtualCluster): string {
  if (virtualCluster.clusterNamespace !== '') return virtualCluster.clusterNamespace;
  return `${virtualCluster.namespace}-${hexDigest(virtualCluster.uid, 6)}-${virtualCluster.name}`;
}

/**
 * The super namespace of a tenant namespace: `<key>-<namespace>`, and where that is too long for a namespace,
 * its first 57 characters, a dash, and the first 5 hex digits of the sha256 of the whole.
 */
export function superNamespaceName(key: string, tenantNamespace: string): string {
  const name = `${key}-${tenantNamespace}`;
  if (name.length <= NAMESPACE_NAME_LIMIT) return name;
  return `${name.slice(0, 57)}-${hexDigest(name, 5)}`;
}

function hexDigest(text: string, digits: number): string {
  // Asked for only here: loading it takes a tenth of a whole `check --from`, and most fleets need no digest.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
