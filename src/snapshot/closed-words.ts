/**
 * Words of which Kubernetes and this tool know a closed list. The server that a recording is made of may have any other
 * text in their place: such a text is no word but something of its owner's.
 */
import { CAUSES } from '../reconcile/explain/causes.ts';
import { HOLD_CONDITION } from '../reconcile/model.ts';

/** k8s.io/api core/v1 types.go: PersistentVolumeClaimPhase and PersistentVolumePhase. */
export const PHASES: ReadonlySet<string> = new Set([
  'Available',
  'Bound',
  'Failed',
  'Lost',
  'Pending',
  'Released',
]);
/** VirtualCluster pkg/apis/tenancy/v1alpha1 virtualcluster_types.go, ClusterPhase. */
export const VIRTUAL_CLUSTER_PHASES: ReadonlySet<string> = new Set([
  'Error',
  'Pending',
  'Running',
  'Updating',
]);
/** k8s.io/api core/v1 types.go, PersistentVolumeAccessMode. */
export const ACCESS_MODES: ReadonlySet<string> = new Set([
  'ReadOnlyMany',
  'ReadWriteMany',
  'ReadWriteOnce',
  'ReadWriteOncePod',
]);
/** The same, PersistentVolumeMode. */
export const VOLUME_MODES: ReadonlySet<string> = new Set(['Block', 'Filesystem']);
/** The same, PersistentVolumeReclaimPolicy. */
export const RECLAIM_POLICIES: ReadonlySet<string> = new Set(['Delete', 'Recycle', 'Retain']);
/** k8s.io/api storage/v1 types.go, VolumeBindingMode. */
export const BINDING_MODES: ReadonlySet<string> = new Set(['Immediate', 'WaitForFirstConsumer']);
/** k8s.io/apimachinery meta/v1 types.go, LabelSelectorOperator. */
export const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);
/** The same, ConditionStatus. */
export const CONDITION_STATUSES: ReadonlySet<string> = new Set(['False', 'True', 'Unknown']);
/** k8s.io/api core/v1 types.go, PersistentVolumeClaimConditionType, and ours. */
export const CONDITION_TYPES: ReadonlySet<string> = new Set([
  HOLD_CONDITION,
  'ControllerResizeError',
  'FileSystemResizePending',
  'ModifyVolumeError',
  'ModifyingVolume',
  'NodeResizeError',
  'Resizing',
  'Unused',
]);
/** Ours are causes; kubernetes pkg/controller/volume/pvcprotection. */
export const CONDITION_REASONS: ReadonlySet<string> = new Set([
  ...Object.keys(CAUSES),
  'NoPodsUsingPVC',
  'PodUsingPVC',
]);
/**
 * Of the API server, the protection controllers (kubernetes pkg/volume/util/finalizer.go), component-helpers
 * storage/volume/pv_helpers.go, external-provisioner and external-snapshotter.
 */
export const FINALIZERS: ReadonlySet<string> = new Set([
  'external-provisioner.volume.kubernetes.io/finalizer',
  'foregroundDeletion',
  'kubernetes',
  'kubernetes.io/pv-controller',
  'kubernetes.io/pv-protection',
  'kubernetes.io/pvc-protection',
  'orphan',
  'snapshot.storage.kubernetes.io/pvc-as-source-protection',
]);
/** In-tree ones (kubernetes pkg/volume); a cause depends on the first. */
export const PROVISIONERS: ReadonlySet<string> = new Set([
  'kubernetes.io/no-provisioner',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/glusterfs',
  'kubernetes.io/host-path',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/quobyte',
  'kubernetes.io/rbd',
  'kubernetes.io/scaleio',
  'kubernetes.io/storageos',
  'kubernetes.io/vsphere-volume',
]);
