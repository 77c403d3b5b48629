/** Claims, volumes and VirtualClusters as a watch keeps them: whole objects of which a test says only what it is about. */
import type { Claim, Pair, VirtualCluster, Volume } from '../../src/reconcile/model.ts';

/** A Bound claim of a tenant, older than any grace period. */
export function claimOf(parts: Partial<Claim>): Claim {
  return {
    namespace: 'shop',
    name: 'data',
    uid: 'uid-1',
    resourceVersion: '1',
    creationTimestamp: 0,
    terminating: false,
    phase: 'Bound',
    volumeName: 'volume-1',
    bindCompleted: true,
    nodeSelected: false,
    storageClass: 'local',
    volumeAttributesClass: '',
    volumeMode: 'Filesystem',
    accessModes: ['ReadWriteOnce'],
    requestedStorage: '1Gi',
    selector: [],
    owner: null,
    ownerUid: '',
    held: false,
    ...parts,
  };
}

/** A volume that no claim has. */
export function volumeOf(parts: Partial<Volume>): Volume {
  return {
    name: 'volume-1',
    uid: 'uid-of-volume-1',
    resourceVersion: '1',
    terminating: false,
    labels: new Map(),
    phase: 'Available',
    claimRef: null,
    storageClass: 'local',
    volumeAttributesClass: '',
    volumeMode: 'Filesystem',
    accessModes: ['ReadWriteOnce'],
    capacity: '1Gi',
    reclaimPolicy: 'Retain',
    ...parts,
  };
}

/** A claim of a tenant and its super claim. */
export function pairOf(parts: Partial<Pair> = {}): Pair {
  return {
    owner: { clusterKey: 'team-a-1a2b3c-vc', namespace: 'shop' },
    superNamespace: 'team-a-1a2b3c-vc-shop',
    tenant: claimOf({}),
    super: claimOf({ namespace: 'team-a-1a2b3c-vc-shop', uid: 'uid-2' }),
    ...parts,
  };
}

/** A Running VirtualCluster with a root namespace of its own. */
export function virtualClusterOf(parts: Partial<VirtualCluster>): VirtualCluster {
  return {
    namespace: 'team-a',
    name: 'vc',
    uid: 'uid-of-vc',
    phase: 'Running',
    clusterNamespace: 'team-a-1a2b3c-vc',
    adminKubeconfig: '',
    adminKubeconfigSecret: '',
    ...parts,
  };
}
