/**
 * Recorded objects with every name replaced. What cannot be told to be free of names is dropped: messages, unknown
 * annotations, conditions and finalizers. What remains gives the same verdicts and causes.
 */
import {
  ACCESS_MODES,
  BINDING_MODES,
  CONDITION_REASONS,
  CONDITION_STATUSES,
  CONDITION_TYPES,
  OPERATORS,
  PHASES,
  RECLAIM_POLICIES,
  VOLUME_MODES,
} from './closed-words.ts';
import { optional, redactLabels, redactMetadata, redactTime } from './redact-metadata.ts';
import type { RedactedNames } from './redacted-names.ts';
import type {
  RecordedClaim,
  RecordedCondition,
  RecordedNamespace,
  RecordedObject,
  RecordedSelector,
  RecordedStorage,
  RecordedStorageClass,
  RecordedVolume,
} from './recorded.ts';

/** Which cluster an object is of: a namespace's name is made differently in each. */
export type Side = 'tenant' | 'super';

/** An object with its names replaced. VirtualClusters are replaced before they are recorded. */
export function redact<T extends RecordedObject>(object: T, side: Side, names: RedactedNames): T;
export function redact(object: RecordedObject, side: Side, names: RedactedNames): RecordedObject {
  switch (object.kind) {
    case 'PersistentVolumeClaim':
      return redactClaim(object, side, names);
    case 'PersistentVolume':
      return redactVolume(object, side, names);
    case 'StorageClass':
      return redactStorageClass(object, names);
    case 'Namespace':
      return redactNamespace(object, side, names);
    default:
      return object;
  }
}

function redactClaim(claim: RecordedClaim, side: Side, names: RedactedNames): RecordedClaim {
  const { metadata, spec, status } = claim;
  return {
    ...claim,
    metadata: {
      ...redactMetadata(metadata, names),
      name: names.claim(metadata.name),
      namespace: optional(metadata.namespace, (name) => namespaceOn(side, name, names)),
    },
    spec: {
      accessModes: redactModes(spec.accessModes, names),
      resources: spec.resources && { requests: redactStorage(spec.resources.requests, names) },
      selector: spec.selector && redactSelector(spec.selector, names),
      storageClassName: optional(spec.storageClassName, (name) => names.storageClass(name)),
      volumeAttributesClassName: optional(spec.volumeAttributesClassName, (name) => names.storageClass(name)),
      volumeMode: optional(spec.volumeMode, (mode) => names.word(mode, VOLUME_MODES)),
      volumeName: optional(spec.volumeName, (name) => names.volume(name)),
    },
    status: {
      accessModes: redactModes(status.accessModes, names),
      capacity: status.capacity && redactStorage(status.capacity, names),
      conditions: status.conditions?.flatMap(redactCondition),
      phase: optional(status.phase, (phase) => names.word(phase, PHASES)),
    },
  };
}

function redactVolume(volume: RecordedVolume, side: Side, names: RedactedNames): RecordedVolume {
  const { metadata, spec, status } = volume;
  const { claimRef, csi } = spec;
  return {
    ...volume,
    metadata: { ...redactMetadata(metadata, names), name: names.volume(metadata.name) },
    spec: {
      // What is left as it is are the sources: their kind, and nothing in them.
      ...spec,
      accessModes: redactModes(spec.accessModes, names),
      capacity: spec.capacity && redactStorage(spec.capacity, names),
      claimRef: claimRef && {
        apiVersion: optional(claimRef.apiVersion, () => 'v1'),
        kind: optional(claimRef.kind, () => 'PersistentVolumeClaim'),
        resourceVersion: optional(claimRef.resourceVersion, (version) => names.resourceVersion(version)),
        name: optional(claimRef.name, (name) => names.claim(name)),
        namespace: optional(claimRef.namespace, (name) => namespaceOn(side, name, names)),
        uid: optional(claimRef.uid, (uid) => names.uid(uid)),
      },
      csi: csi && { driver: optional(csi.driver, (name) => names.provisioner(name)) },
      persistentVolumeReclaimPolicy: optional(spec.persistentVolumeReclaimPolicy, (policy) =>
        names.word(policy, RECLAIM_POLICIES),
      ),
      storageClassName: optional(spec.storageClassName, (name) => names.storageClass(name)),
      volumeAttributesClassName: optional(spec.volumeAttributesClassName, (name) => names.storageClass(name)),
      volumeMode: optional(spec.volumeMode, (mode) => names.word(mode, VOLUME_MODES)),
    },
    status: { phase: optional(status.phase, (phase) => names.word(phase, PHASES)) },
  };
}

function redactStorageClass(one: RecordedStorageClass, names: RedactedNames): RecordedStorageClass {
  return {
    ...one,
    metadata: { ...redactMetadata(one.metadata, names), name: names.storageClass(one.metadata.name) },
    provisioner: optional(one.provisioner, (name) => names.provisioner(name)),
    reclaimPolicy: optional(one.reclaimPolicy, (policy) => names.word(policy, RECLAIM_POLICIES)),
    volumeBindingMode: optional(one.volumeBindingMode, (mode) => names.word(mode, BINDING_MODES)),
  };
}

function redactNamespace(one: RecordedNamespace, side: Side, names: RedactedNames): RecordedNamespace {
  const name = namespaceOn(side, one.metadata.name, names);
  return { ...one, metadata: { ...redactMetadata(one.metadata, names), name } };
}

function redactSelector(
  { matchExpressions, matchLabels }: RecordedSelector,
  names: RedactedNames,
): RecordedSelector {
  return {
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({
      key: names.label(key),
      operator: OPERATORS.has(operator) ? operator : '',
      values: values?.map((value) => names.label(value)),
    })),
    matchLabels: redactLabels(matchLabels, names),
  };
}

function redactCondition(condition: RecordedCondition): readonly RecordedCondition[] {
  const { type = '', reason = '', lastTransitionTime, status = '' } = condition;
  if (!CONDITION_TYPES.has(type)) return [];
  return [
    {
      lastTransitionTime: optional(lastTransitionTime, redactTime),
      reason: CONDITION_REASONS.has(reason) ? reason : undefined,
      status: CONDITION_STATUSES.has(status) ? status : undefined,
      type,
    },
  ];
}

function redactModes(
  modes: readonly string[] | undefined,
  names: RedactedNames,
): readonly string[] | undefined {
  return modes?.map((mode) => names.word(mode, ACCESS_MODES));
}

function redactStorage({ storage }: RecordedStorage, names: RedactedNames): RecordedStorage {
  return { storage: names.quantity(storage) };
}

function namespaceOn(side: Side, name: string, names: RedactedNames): string {
  return side === 'super' ? names.superNamespace(name) : names.namespace(name);
}
