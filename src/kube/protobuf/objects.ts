/**
 * Kubernetes objects in protobuf, reduced to the core's model; all other fields are stepped over. Field numbers:
 * k8s.io/api core/v1/generated.proto and storage/v1/generated.proto. A decoder keeps buffers of its own between
 * objects, so each list makes one.
 */
import type {
  Claim,
  ClaimRef,
  LabelRequirement,
  Namespace,
  StorageClass,
  Volume,
} from '../../reconcile/model.ts';
import { DEFAULT_BINDING_MODE, DEFAULT_PHASE, DEFAULT_VOLUME_MODE, NO_LABELS } from '../objects/marks.ts';
import { MetadataReader } from './metadata.ts';
import { labelsOf, selectorOf } from './labels.ts';
import { AccessModesReader, claimRefOf, isHold, requestedStorageOf, storageQuantity } from './parts.ts';
import { FieldReader, RepeatedText } from './wire.ts';

/** Decodes the object in bytes [start, end). @throws ProtobufError */
export type Decode<T> = (bytes: Buffer, start: number, end: number) => T;

const METADATA = 1;
const SPEC = 2;
const STATUS = 3;

const NO_SELECTOR: readonly LabelRequirement[] = [];

/** v1.PersistentVolumeClaim */
export function claimDecoder(): Decode<Claim> {
  const metadata = new MetadataReader();
  const message = new FieldReader();
  const part = new FieldReader();
  const phases = new RepeatedText();
  const classes = new RepeatedText();
  const sizes = new RepeatedText();
  const modes = new RepeatedText();
  const accessModes = new AccessModesReader();

  return (bytes, start, end) => {
    metadata.reset();
    accessModes.reset();
    let phase = '';
    let volumeName = '';
    let storageClass = '';
    let volumeAttributesClass = '';
    let volumeMode = '';
    let requestedStorage = '';
    let selector = NO_SELECTOR;
    let held = false;
    message.open(bytes, start, end);
    while (message.next()) {
      if (message.field === METADATA) metadata.read(bytes, message.start, message.finish);
      else if (message.field === SPEC) {
        part.open(bytes, message.start, message.finish);
        while (part.next()) {
          if (part.field === 1) accessModes.add(part);
          else if (part.field === 2) requestedStorage = requestedStorageOf(part, sizes);
          else if (part.field === 3) volumeName = part.text();
          else if (part.field === 4) selector = selectorOf(part);
          else if (part.field === 5) storageClass = classes.read(part);
          else if (part.field === 6) volumeMode = modes.read(part);
          else if (part.field === 9) volumeAttributesClass = part.text();
        }
      } else if (message.field === STATUS) {
        part.open(bytes, message.start, message.finish);
        while (part.next()) {
          if (part.field === 1) phase = phases.read(part);
          else if (part.field === 4) held ||= isHold(part);
        }
      }
    }
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: metadata.creationTimestamp,
      terminating: metadata.terminating,
      phase: phase || DEFAULT_PHASE,
      volumeName,
      bindCompleted: metadata.bindCompleted,
      nodeSelected: metadata.nodeSelected,
      storageClass: metadata.betaStorageClass ?? storageClass,
      volumeAttributesClass,
      volumeMode: volumeMode || DEFAULT_VOLUME_MODE,
      accessModes: accessModes.shared(),
      requestedStorage,
      selector,
      owner: metadata.owner,
      ownerUid: metadata.ownerUid,
      held,
    };
  };
}

/** v1.PersistentVolume */
export function volumeDecoder(): Decode<Volume> {
  const metadata = new MetadataReader();
  const message = new FieldReader();
  const part = new FieldReader();
  const phases = new RepeatedText();
  const classes = new RepeatedText();
  const sizes = new RepeatedText();
  const modes = new RepeatedText();
  const policies = new RepeatedText();
  const claimNamespaces = new RepeatedText();
  const accessModes = new AccessModesReader();

  return (bytes, start, end) => {
    metadata.reset();
    accessModes.reset();
    let phase = '';
    let claimRef: ClaimRef | null = null;
    let storageClass = '';
    let volumeAttributesClass = '';
    let volumeMode = '';
    let capacity = '';
    let reclaimPolicy = '';
    let metadataStart = 0;
    let metadataEnd = 0;
    message.open(bytes, start, end);
    while (message.next()) {
      if (message.field === METADATA) {
        metadata.read(bytes, message.start, message.finish);
        metadataStart = message.start;
        metadataEnd = message.finish;
      } else if (message.field === SPEC) {
        part.open(bytes, message.start, message.finish);
        while (part.next()) {
          if (part.field === 1) capacity = storageQuantity(part, sizes) ?? capacity;
          else if (part.field === 3) accessModes.add(part);
          else if (part.field === 4) claimRef = claimRefOf(part, claimNamespaces);
          else if (part.field === 5) reclaimPolicy = policies.read(part);
          else if (part.field === 6) storageClass = classes.read(part);
          else if (part.field === 8) volumeMode = modes.read(part);
          else if (part.field === 10) volumeAttributesClass = part.text();
        }
      } else if (message.field === STATUS) {
        part.open(bytes, message.start, message.finish);
        while (part.next()) if (part.field === 1) phase = phases.read(part);
      }
    }
    return {
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      terminating: metadata.terminating,
      labels: claimRef === null ? labelsOf(bytes, metadataStart, metadataEnd) : NO_LABELS,
      phase: phase || DEFAULT_PHASE,
      claimRef,
      storageClass: metadata.betaStorageClass ?? storageClass,
      volumeAttributesClass,
      volumeMode: volumeMode || DEFAULT_VOLUME_MODE,
      accessModes: accessModes.shared(),
      capacity,
      reclaimPolicy: reclaimPolicy || 'Retain',
    };
  };
}

/** storage.k8s.io/v1.StorageClass */
export function storageClassDecoder(): Decode<StorageClass> {
  const metadata = new MetadataReader();
  const message = new FieldReader();
  return (bytes, start, end) => {
    metadata.reset();
    let provisioner = '';
    let volumeBindingMode = '';
    message.open(bytes, start, end);
    while (message.next()) {
      if (message.field === METADATA) metadata.read(bytes, message.start, message.finish);
      else if (message.field === 2) provisioner = message.text();
      else if (message.field === 7) volumeBindingMode = message.text();
    }
    return { name: metadata.name, provisioner, volumeBindingMode: volumeBindingMode || DEFAULT_BINDING_MODE };
  };
}

/** v1.Namespace */
export function namespaceDecoder(): Decode<Namespace> {
  const metadata = new MetadataReader();
  const message = new FieldReader();
  return (bytes, start, end) => {
    metadata.reset();
    message.open(bytes, start, end);
    while (message.next())
      if (message.field === METADATA) metadata.read(bytes, message.start, message.finish);
    return { name: metadata.name, owner: metadata.owner };
  };
}
