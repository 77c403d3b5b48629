/**
 * Kubernetes objects as JSON or YAML give them, reduced to the core's model. The input is untrusted: any value may
 * have any shape, and one of the wrong type counts as absent.
 */
import { HOLD_CONDITION } from '../../reconcile/model.ts';
import type {
  Claim,
  LabelRequirement,
  Namespace,
  StorageClass,
  VirtualCluster,
  Volume,
} from '../../reconcile/model.ts';
import {
  BETA_STORAGE_CLASS,
  BIND_COMPLETED,
  DEFAULT_BINDING_MODE,
  DEFAULT_PHASE,
  DEFAULT_VOLUME_MODE,
  NO_LABELS,
  OWNER_CLUSTER,
  OWNER_NAMESPACE,
  OWNER_UID,
  SELECTED_NODE,
  ownerOf,
} from './marks.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** `v1.PersistentVolumeClaim`, any object accepted. */
export function claimFromJson(value: unknown): Claim {
  const object = fields(value);
  const metadata = fields(object['metadata']);
  const annotations = fields(metadata['annotations']);
  const spec = fields(object['spec']);
  const status = fields(object['status']);
  return {
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    creationTimestamp: milliseconds(metadata['creationTimestamp']),
    terminating: isSet(metadata['deletionTimestamp']),
    phase: text(status['phase']) || DEFAULT_PHASE,
    volumeName: text(spec['volumeName']),
    bindCompleted: Object.hasOwn(annotations, BIND_COMPLETED),
    nodeSelected: Object.hasOwn(annotations, SELECTED_NODE),
    storageClass: effectiveClass(annotations, spec),
    volumeAttributesClass: text(spec['volumeAttributesClassName']),
    volumeMode: text(spec['volumeMode']) || DEFAULT_VOLUME_MODE,
    accessModes: texts(spec['accessModes']),
    requestedStorage: text(fields(fields(spec['resources'])['requests'])['storage']),
    selector: selectorOf(spec['selector']),
    owner: ownerOf(text(annotations[OWNER_CLUSTER]), text(annotations[OWNER_NAMESPACE])),
    ownerUid: text(annotations[OWNER_UID]),
    held: list(status['conditions']).some(isHold),
  };
}

/** `v1.PersistentVolume`, any object accepted. */
export function volumeFromJson(value: unknown): Volume {
  const object = fields(value);
  const metadata = fields(object['metadata']);
  const spec = fields(object['spec']);
  const claimRef = spec['claimRef'];
  const ref = fields(claimRef);
  return {
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    terminating: isSet(metadata['deletionTimestamp']),
    labels: isSet(claimRef) ? NO_LABELS : labelsOf(metadata['labels']),
    phase: text(fields(object['status'])['phase']) || DEFAULT_PHASE,
    claimRef: isSet(claimRef)
      ? { namespace: text(ref['namespace']), name: text(ref['name']), uid: text(ref['uid']) }
      : null,
    storageClass: effectiveClass(fields(metadata['annotations']), spec),
    volumeAttributesClass: text(spec['volumeAttributesClassName']),
    volumeMode: text(spec['volumeMode']) || DEFAULT_VOLUME_MODE,
    accessModes: texts(spec['accessModes']),
    capacity: text(fields(spec['capacity'])['storage']),
    reclaimPolicy: text(spec['persistentVolumeReclaimPolicy']) || 'Retain',
  };
}

/** `storage.k8s.io/v1.StorageClass`, any object accepted. */
export function storageClassFromJson(value: unknown): StorageClass {
  const object = fields(value);
  return {
    name: text(fields(object['metadata'])['name']),
    provisioner: text(object['provisioner']),
    volumeBindingMode: text(object['volumeBindingMode']) || DEFAULT_BINDING_MODE,
  };
}

/** `v1.Namespace`, any object accepted. */
export function namespaceFromJson(value: unknown): Namespace {
  const metadata = fields(fields(value)['metadata']);
  const annotations = fields(metadata['annotations']);
  return {
    name: text(metadata['name']),
    owner: ownerOf(text(annotations[OWNER_CLUSTER]), text(annotations[OWNER_NAMESPACE])),
  };
}

/** `tenancy.x-k8s.io/v1alpha1.VirtualCluster`, any object accepted. */
export function virtualClusterFromJson(value: unknown): VirtualCluster {
  const object = fields(value);
  const metadata = fields(object['metadata']);
  const annotations = fields(metadata['annotations']);
  const status = fields(object['status']);
  return {
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    phase: text(status['phase']),
    clusterNamespace: text(status['clusterNamespace']),
    adminKubeconfig: text(annotations['tenancy.x-k8s.io/admin-kubeconfig']),
    adminKubeconfigSecret: text(annotations['tenancy.x-k8s.io/secret.admin-kubeconfig']),
  };
}

/** What tells one object from another, and a version of it from the next. */
export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** `metav1.PartialObjectMetadata`, any object accepted. */
export function identityFromJson(value: unknown): ObjectIdentity {
  const metadata = fields(fields(value)['metadata']);
  return {
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
  };
}

/** `metav1.LabelSelector`: a label of matchLabels is one that must be In a list of one. */
function selectorOf(value: unknown): readonly LabelRequirement[] {
  const selector = fields(value);
  const labels = [...labelsOf(selector['matchLabels'])];
  const expressions = list(selector['matchExpressions']).map(fields);
  return [
    ...labels.map(([key, label]) => ({ key, operator: 'In', values: [label] })),
    ...expressions.map(({ key, operator, values }) => ({
      key: text(key),
      operator: text(operator),
      values: texts(values),
    })),
  ];
}

function labelsOf(value: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries(fields(value)).map(([key, label]) => [key, text(label)]));
}

function effectiveClass(annotations: Fields, spec: Fields): string {
  return Object.hasOwn(annotations, BETA_STORAGE_CLASS)
    ? text(annotations[BETA_STORAGE_CLASS])
    : text(spec['storageClassName']);
}

function isHold(condition: unknown): boolean {
  const { type, status } = fields(condition);
  return type === HOLD_CONDITION && status === 'False';
}

/** Whether a field is there: null and "" are what an absent one may be written as. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** An object's fields; none where the value is no object. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A list's entries; none where the value is no list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A YAML number where a string is meant (`storage: 5`) is what its text says; "" for anything that is no text. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** The texts of a list. */
export function texts(value: unknown): readonly string[] {
  return list(value).filter((entry) => typeof entry === 'string');
}

function milliseconds(value: unknown): number {
  const parsed = value instanceof Date ? value.getTime() : Date.parse(text(value));
  return Number.isFinite(parsed) ? parsed : 0;
}
