/**
 * The vocabulary of the reconciliation module: what is known of Kubernetes and VirtualCluster objects once
 * only the fields that a verdict or a cause can depend on are kept. Plain data; no cluster, clock or output.
 */

/** A claim, in a tenant or in the super cluster. Field names follow `v1.PersistentVolumeClaim`. */
export interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since the epoch; 0 where the object carries none. */
  readonly creationTimestamp: number;
  /** metadata.deletionTimestamp is set. */
  readonly terminating: boolean;
  /** status.phase as it stands; a missing phase is "Pending". */
  readonly phase: string;
  /** spec.volumeName, "" where none. */
  readonly volumeName: string;
  /** The annotation pv.kubernetes.io/bind-completed is present (its value does not matter). */
  readonly bindCompleted: boolean;
  /** The annotation volume.kubernetes.io/selected-node is present. */
  readonly nodeSelected: boolean;
  /** The effective class: the beta annotation, else spec.storageClassName; "" where both are absent or empty. */
  readonly storageClass: string;
  /** spec.volumeAttributesClassName, "" where none. */
  readonly volumeAttributesClass: string;
  readonly volumeMode: string;
  readonly accessModes: readonly string[];
  /** spec.resources.requests.storage as written ("10Gi"), "" where none. */
  readonly requestedStorage: string;
  /** spec.selector, its matchLabels among the rest; empty where there is none. Matters only while no volume is named. */
  readonly selector: readonly LabelRequirement[];
  /** Who owns a super claim, from the syncer's annotations; null where the cluster or namespace mark is missing. */
  readonly owner: Owner | null;
  /** The annotation tenancy.x-k8s.io/uid, "" where none. */
  readonly ownerUid: string;
  /** The status condition tenancy.x-k8s.io/SuperClaimBound is present with status False. */
  readonly held: boolean;
}

/** One condition of a label selector: `metav1.LabelSelectorRequirement`. */
export interface LabelRequirement {
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** The syncer's marks on a super object: the cluster key and the tenant namespace it was made for. */
export interface Owner {
  readonly clusterKey: string;
  readonly namespace: string;
}

/** PersistentVolume spec.claimRef; absent fields are "". */
export interface ClaimRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A volume, in a tenant or in the super cluster. Field names follow `v1.PersistentVolume`. */
export interface Volume {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly terminating: boolean;
  /** metadata.labels where there is no claimRef, else empty: only an unclaimed volume is selected by them. */
  readonly labels: ReadonlyMap<string, string>;
  /** status.phase; a missing phase is "Pending", as in the API. */
  readonly phase: string;
  readonly claimRef: ClaimRef | null;
  readonly storageClass: string;
  readonly volumeAttributesClass: string;
  readonly volumeMode: string;
  readonly accessModes: readonly string[];
  /** spec.capacity.storage as written, "" where none. */
  readonly capacity: string;
  readonly reclaimPolicy: string;
}

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  /** "Immediate" where the object does not say. */
  readonly volumeBindingMode: string;
}

/** A namespace of the super cluster, with the tenant namespace it was made for, if the syncer marked it. */
export interface Namespace {
  readonly name: string;
  readonly owner: Owner | null;
}

export interface VirtualCluster {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** status.phase; only "Running" is synced. "" where the object has none yet. */
  readonly phase: string;
  /** status.clusterNamespace, "" where none: then the key is computed. */
  readonly clusterNamespace: string;
  /** The annotation tenancy.x-k8s.io/admin-kubeconfig (base64 of a kubeconfig), "" where none. Secret. */
  readonly adminKubeconfig: string;
  /** The annotation tenancy.x-k8s.io/secret.admin-kubeconfig (a Secret's name), "" where none. */
  readonly adminKubeconfigSecret: string;
}

/**
 * What else a cause depends on, read from one cluster. A kind that was not read is null, which differs from an
 * empty map: the absence of an object proves something only where its kind was read.
 */
export interface Evidence {
  readonly volumes: VolumeLookup | null;
  readonly storageClasses: ReadonlyMap<string, StorageClass> | null;
  /** Only the super cluster's are ever needed. */
  readonly namespaces: NamespaceLookup | null;
}

/** Volumes that were looked for: all of a cluster, or only some by name. */
export interface VolumeLookup {
  readonly byName: ReadonlyMap<string, Volume>;
  /** `<namespace>/<name>` of a claim to the volumes whose claimRef names it; null where not all volumes were read. */
  readonly byClaim: ReadonlyMap<string, readonly Volume[]> | null;
  /** The first by name without claimRef that fits a claim whose class binds immediately; null where not all were read. */
  readonly firstFit: ((claim: Claim) => Volume | undefined) | null;
}

export interface NamespaceLookup {
  readonly names: Pick<ReadonlySet<string>, 'has' | 'keys' | 'size'>;
  /** `<cluster key>/<tenant namespace>` of every namespace that the syncer marked. */
  readonly owners: Pick<ReadonlySet<string>, 'has'>;
}

/** One tenant claim and the super claim that belongs to it; at least one is present. */
export interface Pair {
  /** The cluster key and the tenant namespace: what the super claim's marks must say. */
  readonly owner: Owner;
  readonly tenant: Claim | null;
  readonly super: Claim | null;
  /** Where the super claim is, or where the syncer would create it. */
  readonly superNamespace: string;
}

export type Verdict =
  | 'Terminating'
  | 'OwnerMismatch'
  | 'SuperMissing'
  | 'NotSynced'
  | 'HoldStale'
  | 'Held'
  | 'SuperNotBound'
  | 'TenantNotBound'
  | 'PhaseMismatch'
  | 'VolumeMismatch'
  | 'Consistent'
  | 'SuperOrphan';

export type CauseCode =
  | 'TenantClaimRecreated'
  | 'SuperNamespaceMissing'
  | 'SuperClaimDeleted'
  | 'NeverSynced'
  | 'VolumeNameCleared'
  | 'TenantVolumeMissing'
  | 'VolumeDeleted'
  | 'VolumeNotFound'
  | 'ClaimRefStale'
  | 'ClaimRefUIDMissing'
  | 'VolumeClaimedByOther'
  | 'Rebinding'
  | 'VolumeUnsuitable'
  | 'StorageClassMissing'
  | 'WaitForFirstConsumer'
  | 'Provisioning'
  | 'NoMatchingVolume'
  | 'Undetermined';

export interface Cause {
  readonly code: CauseCode;
  /** One sentence in plain words, naming the objects it rests on. */
  readonly message: string;
}

export type Action = 'SetPhase' | 'Release';

/** The type of the status condition that marks a held tenant claim. */
export const HOLD_CONDITION = 'tenancy.x-k8s.io/SuperClaimBound';

/** PersistentVolumeClaimPhase "Bound" (k8s.io/api core/v1 types.go). Any other value counts as not Bound. */
export const BOUND = 'Bound';
