/** What every object has, with other names: its metadata. */
import {
  BETA_STORAGE_CLASS,
  BIND_COMPLETED,
  OWNER_CLUSTER,
  OWNER_NAMESPACE,
  OWNER_UID,
  SELECTED_NODE,
} from '../kube/objects/marks.ts';
import { FINALIZERS } from './closed-words.ts';
import type { RecordedMetadata } from './recorded.ts';
import type { RedactedNames } from './redacted-names.ts';

/** All but name and namespace, which are each kind's own. */
export function redactMetadata(metadata: RecordedMetadata, names: RedactedNames): RecordedMetadata {
  const annotations = Object.entries(metadata.annotations ?? {}).flatMap(([key, value]) => {
    const redacted = redactAnnotation(key, value, names);
    return redacted === null ? [] : [[key, redacted] as const];
  });
  return {
    ...metadata,
    annotations: annotations.length === 0 ? undefined : Object.fromEntries(annotations),
    creationTimestamp: optional(metadata.creationTimestamp, redactTime),
    deletionTimestamp: optional(metadata.deletionTimestamp, redactTime),
    // A foreign finalizer names a product or a company; that one holds the object still has to show.
    finalizers: metadata.finalizers?.map((one) => (FINALIZERS.has(one) ? one : 'redacted')),
    labels: redactLabels(metadata.labels, names),
    resourceVersion: optional(metadata.resourceVersion, (version) => names.resourceVersion(version)),
    uid: optional(metadata.uid, (uid) => names.uid(uid)),
  };
}

/** Keys and values alike. */
export function redactLabels(
  labels: RecordedMetadata['labels'],
  names: RedactedNames,
): Readonly<Record<string, string>> | undefined {
  return (
    labels &&
    Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [names.label(key), names.label(value)] as const),
    )
  );
}

/** What an annotation's value is, for those of which it is known. Keys: the syncer's constants.go, pv_helpers.go. */
const ANNOTATIONS: Readonly<Record<string, (value: string, names: RedactedNames) => string | null>> = {
  [OWNER_CLUSTER]: (value, names) => names.clusterKey(value),
  [OWNER_NAMESPACE]: (value, names) => names.namespace(value),
  [OWNER_UID]: (value, names) => names.uid(value),
  'tenancy.x-k8s.io/vcname': (value, names) => names.virtualClusterName(value),
  'tenancy.x-k8s.io/vcnamespace': (value, names) => names.namespace(value),
  'tenancy.x-k8s.io/vcuid': (value, names) => names.uid(value),
  'tenancy.x-k8s.io/ownerReferences': (value) => (value === 'null' ? value : null),
  'tenancy.x-k8s.io/controlled': onlyWord,
  [BIND_COMPLETED]: () => 'yes',
  'pv.kubernetes.io/bound-by-controller': () => 'yes',
  'pv.kubernetes.io/provisioned-by': (value, names) => names.provisioner(value),
  'pv.kubernetes.io/migrated-to': (value, names) => names.provisioner(value),
  [SELECTED_NODE]: (value, names) => names.node(value),
  'volume.kubernetes.io/storage-provisioner': (value, names) => names.provisioner(value),
  'volume.beta.kubernetes.io/storage-provisioner': (value, names) => names.provisioner(value),
  'volume.kubernetes.io/storage-resizer': (value, names) => names.provisioner(value),
  [BETA_STORAGE_CLASS]: (value, names) => names.storageClass(value),
  'storageclass.kubernetes.io/is-default-class': onlyWord,
};

function redactAnnotation(key: string, value: string, names: RedactedNames): string | null {
  return Object.hasOwn(ANNOTATIONS, key) ? (ANNOTATIONS[key]?.(value, names) ?? null) : null;
}

function onlyWord(value: string): string | null {
  return value === 'true' || value === 'false' ? value : null;
}

/** RFC 3339. That a time is set at all means that an object is being deleted, so one that is none becomes one. */
export function redactTime(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(time)
    ? time
    : '1970-01-01T00:00:00Z';
}

/** A field that is absent stays absent. */
export function optional(value: string | undefined, replace: (value: string) => string): string | undefined {
  return value === undefined ? undefined : replace(value);
}
