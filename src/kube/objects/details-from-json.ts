/** What only an explanation needs of claims and volumes. As in from-json.ts, the input may have any shape. */
import type { ClaimDetails, VolumeDetails } from '../../reconcile/explain/scene.ts';
import { claimFromJson, fields, list, text, volumeFromJson } from './from-json.ts';
import { OWNER_UID, PROVISIONED_BY } from './marks.ts';

/** `v1.PersistentVolumeClaim`, any object accepted. */
export function claimDetailsFromJson(value: unknown): ClaimDetails {
  return { ...claimFromJson(value), ...lifecycle(value) };
}

/** `v1.PersistentVolume`, any object accepted. */
export function volumeDetailsFromJson(value: unknown): VolumeDetails {
  const object = fields(value);
  const annotations = fields(fields(object['metadata'])['annotations']);
  const spec = fields(object['spec']);
  return {
    ...volumeFromJson(value),
    ...lifecycle(value),
    claimRefResourceVersion: text(fields(spec['claimRef'])['resourceVersion']),
    provisionedBy: text(annotations[PROVISIONED_BY]),
    copyOf: text(annotations[OWNER_UID]),
    disk: diskOf(spec),
  };
}

function lifecycle(value: unknown): { finalizers: readonly string[]; deletionTimestamp: string } {
  const metadata = fields(fields(value)['metadata']);
  const deleted = metadata['deletionTimestamp'];
  return {
    finalizers: list(metadata['finalizers']).filter((entry) => typeof entry === 'string'),
    // A YAML parser may take it for a date.
    deletionTimestamp: deleted instanceof Date ? deleted.toISOString() : text(deleted),
  };
}

/** The parts of the commonest sources (k8s.io/api core/v1 types.go PersistentVolumeSource) that tell a disk from another. */
const DISK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  csi: ['driver', 'volumeHandle'],
  nfs: ['server', 'path'],
  local: ['path'],
  hostPath: ['path'],
  iscsi: ['targetPortal', 'iqn', 'lun'],
  rbd: ['pool', 'image'],
  awsElasticBlockStore: ['volumeID'],
  gcePersistentDisk: ['pdName'],
  azureDisk: ['diskURI'],
};

function diskOf(spec: Readonly<Record<string, unknown>>): string {
  for (const [source, names] of Object.entries(DISK_FIELDS)) {
    if (!Object.hasOwn(spec, source)) continue;
    const found = fields(spec[source]);
    return [source, ...names.map((name) => text(found[name]))].filter((part) => part !== '').join(' ');
  }
  return '';
}
