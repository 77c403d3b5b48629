/**
 * From an object as an API server gives it to what a recording keeps of it. Everything else is left out by not being
 * named here. What the core reads of the recorded object is what it reads of the whole one.
 */
import { fields, isSet, list, text, texts } from '../kube/objects/from-json.ts';
import type { Fields } from '../kube/objects/from-json.ts';
import { HOLD_CONDITION } from '../reconcile/model.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { recordedAnnotations, recordedMarks } from './annotations.ts';
import type {
  RecordedClaim,
  RecordedClaimRef,
  RecordedCondition,
  RecordedMetadata,
  RecordedNamespace,
  RecordedSelector,
  RecordedStorage,
  RecordedStorageClass,
  RecordedVirtualCluster,
  RecordedVolume,
} from './recorded.ts';

/** k8s.io/api core/v1 types.go, PersistentVolumeSource, without csi. */
const SOURCES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
] as const;

/** `v1.PersistentVolumeClaim` */
export function recordClaim(value: unknown): RecordedClaim {
  const object = fields(value);
  const spec = fields(object['spec']);
  const status = fields(object['status']);
  const conditions = list(status['conditions']).map(recordCondition);
  const requests = recordStorage(fields(spec['resources'])['requests']);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: recordMetadata(object),
    spec: {
      accessModes: filled(texts(spec['accessModes'])),
      resources: requests === undefined ? undefined : { requests },
      selector: isSet(spec['selector']) ? recordSelector(fields(spec['selector'])) : undefined,
      storageClassName: scalar(spec['storageClassName']),
      volumeAttributesClassName: scalar(spec['volumeAttributesClassName']),
      volumeMode: scalar(spec['volumeMode']),
      volumeName: scalar(spec['volumeName']),
    },
    status: {
      accessModes: filled(texts(status['accessModes'])),
      capacity: recordStorage(status['capacity']),
      conditions: filled(conditions),
      phase: scalar(status['phase']),
    },
  };
}

/** `v1.PersistentVolumeClaim` that holds a recorded volume and is nobody's of the recording: that it is there. */
export function recordClaimant(value: unknown): RecordedClaim {
  const { apiVersion, kind, metadata, spec, status } = recordClaim(value);
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    spec: { volumeName: spec.volumeName },
    status: { phase: status.phase },
  };
}

/** `v1.PersistentVolume` */
export function recordVolume(value: unknown): RecordedVolume {
  const object = fields(value);
  const spec = fields(object['spec']);
  const labels = isSet(spec['claimRef']) ? undefined : recordLabels(fields(object['metadata'])['labels']);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { ...recordMetadata(object), labels },
    spec: {
      accessModes: filled(texts(spec['accessModes'])),
      capacity: recordStorage(spec['capacity']),
      claimRef: isSet(spec['claimRef']) ? recordClaimRef(fields(spec['claimRef'])) : undefined,
      csi: isSet(spec['csi']) ? { driver: scalar(fields(spec['csi'])['driver']) } : undefined,
      persistentVolumeReclaimPolicy: scalar(spec['persistentVolumeReclaimPolicy']),
      storageClassName: scalar(spec['storageClassName']),
      volumeAttributesClassName: scalar(spec['volumeAttributesClassName']),
      volumeMode: scalar(spec['volumeMode']),
      ...Object.fromEntries(SOURCES.filter((source) => isSet(spec[source])).map((source) => [source, {}])),
    },
    status: { phase: scalar(fields(object['status'])['phase']) },
  };
}

/** `storage.k8s.io/v1.StorageClass`; never its parameters, which name Secrets. */
export function recordStorageClass(value: unknown): RecordedStorageClass {
  const object = fields(value);
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: recordMetadata(object),
    provisioner: scalar(object['provisioner']),
    reclaimPolicy: scalar(object['reclaimPolicy']),
    volumeBindingMode: scalar(object['volumeBindingMode']),
  };
}

/** `v1.Namespace`: its name and the syncer's marks. */
export function recordNamespace(value: unknown): RecordedNamespace {
  const object = fields(value);
  const { name, uid, deletionTimestamp } = recordMetadata(object);
  const annotations = recordedMarks(fields(object['metadata'])['annotations']);
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { annotations, deletionTimestamp, name, uid } };
}

/** From the model: the object itself may carry a kubeconfig in an annotation. */
export function recordVirtualCluster(virtualCluster: VirtualCluster): RecordedVirtualCluster {
  const { namespace, name, uid, phase, clusterNamespace } = virtualCluster;
  return {
    apiVersion: 'tenancy.x-k8s.io/v1alpha1',
    kind: 'VirtualCluster',
    metadata: { name, namespace, uid },
    status: { clusterNamespace: clusterNamespace || undefined, phase: phase || undefined },
  };
}

function recordMetadata(object: Fields): RecordedMetadata {
  const metadata = fields(object['metadata']);
  return {
    annotations: recordedAnnotations(metadata['annotations']),
    creationTimestamp: timestamp(metadata['creationTimestamp']),
    deletionTimestamp: timestamp(metadata['deletionTimestamp']),
    finalizers: filled(texts(metadata['finalizers'])),
    name: text(metadata['name']),
    namespace: scalar(metadata['namespace']),
    resourceVersion: scalar(metadata['resourceVersion']),
    uid: scalar(metadata['uid']),
  };
}

function recordSelector(selector: Fields): RecordedSelector {
  const expressions = list(selector['matchExpressions']).map(fields);
  return {
    matchExpressions: filled(
      expressions.map(({ key, operator, values }) => ({
        key: text(key),
        operator: text(operator),
        values: filled(texts(values)),
      })),
    ),
    matchLabels: recordLabels(selector['matchLabels']),
  };
}

function recordLabels(labels: unknown): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(fields(labels)).map(([key, value]) => [key, text(value)] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function recordClaimRef(ref: Fields): RecordedClaimRef {
  return {
    apiVersion: scalar(ref['apiVersion']),
    kind: scalar(ref['kind']),
    name: scalar(ref['name']),
    namespace: scalar(ref['namespace']),
    resourceVersion: scalar(ref['resourceVersion']),
    uid: scalar(ref['uid']),
  };
}

/** The message only of our own condition: what others write there is anything, a driver's error with its secrets too. */
function recordCondition(value: unknown): RecordedCondition {
  const condition = fields(value);
  const type = scalar(condition['type']);
  return {
    lastTransitionTime: timestamp(condition['lastTransitionTime']),
    message: type === HOLD_CONDITION ? scalar(condition['message']) : undefined,
    reason: scalar(condition['reason']),
    status: scalar(condition['status']),
    type,
  };
}

function recordStorage(resources: unknown): RecordedStorage | undefined {
  const storage = scalar(fields(resources)['storage']);
  return storage === undefined ? undefined : { storage };
}

/** undefined where there is none; an empty text is not the same: `storageClassName: ""` asks for no class. */
function scalar(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** An unquoted time in YAML is a Date. */
function timestamp(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString() : scalar(value) || undefined;
}

function filled<T>(entries: readonly T[]): readonly T[] | undefined {
  return entries.length === 0 ? undefined : entries;
}
