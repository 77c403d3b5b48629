/**
 * What a recording keeps of each object: what the core's model is made from, and what explains one claim to a human.
 * Names and nesting are Kubernetes' own. A field that is undefined is not written.
 */

export interface RecordedMetadata {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly finalizers?: readonly string[] | undefined;
  /** Of a volume without claimRef only: a claim may select it by them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
}

export interface RecordedCondition {
  readonly lastTransitionTime?: string | undefined;
  /** Of our own condition only. */
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/** Of `v1.ResourceList` only storage. */
export interface RecordedStorage {
  readonly storage: string;
}

export interface RecordedSelector {
  readonly matchExpressions?: readonly RecordedRequirement[] | undefined;
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
}

interface RecordedRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

export interface RecordedClaim {
  readonly apiVersion: 'v1';
  readonly kind: 'PersistentVolumeClaim';
  readonly metadata: RecordedMetadata;
  readonly spec: {
    readonly accessModes?: readonly string[] | undefined;
    readonly resources?: { readonly requests: RecordedStorage } | undefined;
    readonly selector?: RecordedSelector | undefined;
    readonly storageClassName?: string | undefined;
    readonly volumeAttributesClassName?: string | undefined;
    readonly volumeMode?: string | undefined;
    readonly volumeName?: string | undefined;
  };
  readonly status: {
    readonly accessModes?: readonly string[] | undefined;
    readonly capacity?: RecordedStorage | undefined;
    readonly conditions?: readonly RecordedCondition[] | undefined;
    readonly phase?: string | undefined;
  };
}

export interface RecordedClaimRef {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
}

export interface RecordedVolume {
  readonly apiVersion: 'v1';
  readonly kind: 'PersistentVolume';
  readonly metadata: RecordedMetadata;
  readonly spec: {
    readonly accessModes?: readonly string[] | undefined;
    readonly capacity?: RecordedStorage | undefined;
    readonly claimRef?: RecordedClaimRef | undefined;
    /** Of the volume's source only the driver: a handle, a path or a server's address is nobody else's business. */
    readonly csi?: { readonly driver?: string | undefined } | undefined;
    readonly persistentVolumeReclaimPolicy?: string | undefined;
    readonly storageClassName?: string | undefined;
    readonly volumeAttributesClassName?: string | undefined;
    readonly volumeMode?: string | undefined;
    /** Any other source, named and left empty: `hostPath: {}`. */
    readonly [source: string]: unknown;
  };
  readonly status: { readonly phase?: string | undefined };
}

export interface RecordedStorageClass {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'StorageClass';
  readonly metadata: RecordedMetadata;
  readonly provisioner?: string | undefined;
  readonly reclaimPolicy?: string | undefined;
  readonly volumeBindingMode?: string | undefined;
}

export interface RecordedNamespace {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
  readonly metadata: RecordedMetadata;
}

export interface RecordedVirtualCluster {
  readonly apiVersion: 'tenancy.x-k8s.io/v1alpha1';
  readonly kind: 'VirtualCluster';
  readonly metadata: RecordedMetadata;
  readonly status: { readonly clusterNamespace?: string | undefined; readonly phase?: string | undefined };
}

export type RecordedObject =
  | RecordedClaim
  | RecordedVolume
  | RecordedStorageClass
  | RecordedNamespace
  | RecordedVirtualCluster;
