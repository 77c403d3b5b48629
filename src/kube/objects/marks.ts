/** Annotation names that a claim, volume or namespace is read for, and what they say. */
import type { Owner } from '../../reconcile/model.ts';

/** k8s.io/component-helpers storage/volume/pv_helpers.go. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** k8s.io/api core/v1 types.go, BetaStorageClassAnnotation: where present it wins over the field, on claims and volumes. */
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
/** VirtualCluster pkg/syncer/constants/constants.go: LabelCluster, LabelNamespace, LabelUID. */
export const OWNER_CLUSTER = 'tenancy.x-k8s.io/cluster';
export const OWNER_NAMESPACE = 'tenancy.x-k8s.io/namespace';
export const OWNER_UID = 'tenancy.x-k8s.io/uid';

/** The owner that two annotation values name; null unless both are there. */
export function ownerOf(clusterKey: string, namespace: string): Owner | null {
  return clusterKey === '' || namespace === '' ? null : { clusterKey, namespace };
}

/** Most volumes have a claimRef, and their labels do not matter: they share this. */
export const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** k8s.io/kubernetes pkg/apis/core/v1/defaults.go: what an API server fills in where the field is absent. */
export const DEFAULT_PHASE = 'Pending';
export const DEFAULT_VOLUME_MODE = 'Filesystem';
export const DEFAULT_BINDING_MODE = 'Immediate';
