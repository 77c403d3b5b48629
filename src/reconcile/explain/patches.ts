/**
 * JSON patches that are refused unless the object is exactly the one that was looked at: its uid and resourceVersion
 * are tested first. An API server applies a patch to what it holds at that moment, so the tests cannot be outrun
 * (k8s.io/apiserver pkg/endpoints/handlers/patch.go).
 */
import type { ClaimRef, Volume } from '../model.ts';
import type { PatchOperation, Step } from './explanation.ts';
import type { ClaimDetails, ClusterSide, VolumeDetails } from './scene.ts';

/** Writes nothing: only makes the steps after it depend on the claim being unchanged. */
export function checkClaim(claim: ClaimDetails, cluster: ClusterSide): Step {
  return claimStep(claim, cluster, [], 'checks that the claim has not changed');
}

/** Writes nothing, as `checkClaim`. */
export function checkVolume(volume: VolumeDetails, cluster: ClusterSide): Step {
  return volumeStep(volume, cluster, [], 'checks that the volume has not changed');
}

/** Sets spec.volumeName, which the API allows once, while it is empty. */
export function nameVolume(claim: ClaimDetails, volumeName: string, cluster: ClusterSide): Step {
  return claimStep(
    claim,
    cluster,
    [{ op: 'add', path: '/spec/volumeName', value: volumeName }],
    `sets spec.volumeName to ${volumeName}`,
  );
}

/** Makes a volume that names a claim belong to this one of that name. @param keep sets the reclaim policy to Retain too */
export function takeOver(volume: VolumeDetails, uid: string, keep: boolean, cluster: ClusterSide): Step {
  return volumeStep(
    volume,
    cluster,
    [{ op: 'add', path: '/spec/claimRef/uid', value: uid }, ...withoutVersion(volume), ...kept(keep)],
    `sets spec.claimRef.uid to ${uid}`,
  );
}

/** Leaves a volume reserved for a claim that does not exist yet. @param keep as for `takeOver` */
export function release(volume: VolumeDetails, keep: boolean): Step {
  return volumeStep(
    volume,
    'super',
    [{ op: 'remove', path: '/spec/claimRef/uid' }, ...withoutVersion(volume), ...kept(keep)],
    'removes spec.claimRef.uid',
  );
}

/** Keeps the disk, whatever becomes of claim and volume. */
export function retain(volume: Volume, cluster: ClusterSide): Step {
  return volumeStep(volume, cluster, kept(true), 'sets the reclaim policy to Retain');
}

/**
 * Gives a volume its reclaim policy back, once it is Bound.
 * @param uid of the claim that it must be bound to; null where that is not known yet
 */
export function backToPolicy(
  { name, uid: volumeUid, reclaimPolicy, claimRef }: VolumeDetails,
  uid: string | null,
): Step {
  return {
    cluster: 'super',
    kind: 'PersistentVolume',
    namespace: null,
    name,
    patch: [
      { op: 'test', path: '/metadata/uid', value: volumeUid },
      { op: 'test', path: '/status/phase', value: 'Bound' },
      ...claimTests(claimRef),
      ...(uid === null ? [] : [{ op: 'test', path: '/spec/claimRef/uid', value: uid } as const]),
      { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: reclaimPolicy },
    ],
    purpose: `sets the reclaim policy back to ${reclaimPolicy}`,
  };
}

/** Whatever happened in between, the volume must still be that claim's. */
function claimTests(claimRef: ClaimRef | null): PatchOperation[] {
  if (claimRef === null) return [];
  return [
    { op: 'test', path: '/spec/claimRef/namespace', value: claimRef.namespace },
    { op: 'test', path: '/spec/claimRef/name', value: claimRef.name },
  ];
}

/**
 * Whether a step may be printed as a command: recordings and hostile servers can hold anything. Names are RFC 1123
 * subdomains (k8s.io/apimachinery pkg/util/validation); uids and versions have no prescribed form, but no server makes
 * others than these.
 */
export function isPrintable({ namespace, name, patch }: Step): boolean {
  return (
    isName(name) &&
    (namespace === null || isName(namespace)) &&
    patch.every((operation) => operation.op === 'remove' || isPlain(operation.value))
  );
}

/** The field of the object's metadata that a step has to test and that is not there; null where all are. */
export function missingField({ patch }: Step): string | null {
  const empty = patch.find(
    (operation) =>
      operation.op === 'test' && operation.path.startsWith('/metadata/') && operation.value === '',
  );
  return empty === undefined ? null : empty.path.slice('/metadata/'.length);
}

function isName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text);
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9][-A-Za-z0-9._]{0,252}$/.test(text);
}

/** The resourceVersion of an earlier claim would stand in the way of nothing, but it would lie. */
function withoutVersion({ claimRefResourceVersion }: VolumeDetails): PatchOperation[] {
  return claimRefResourceVersion === '' ? [] : [{ op: 'remove', path: '/spec/claimRef/resourceVersion' }];
}

function kept(keep: boolean): PatchOperation[] {
  return keep ? [{ op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' }] : [];
}

function claimStep(
  { namespace, name, uid, resourceVersion }: ClaimDetails,
  cluster: ClusterSide,
  changes: readonly PatchOperation[],
  purpose: string,
): Step {
  const patch = [...unchanged(uid, resourceVersion), ...changes];
  return { cluster, kind: 'PersistentVolumeClaim', namespace, name, patch, purpose };
}

function volumeStep(
  { name, uid, resourceVersion }: Volume,
  cluster: ClusterSide,
  changes: readonly PatchOperation[],
  purpose: string,
): Step {
  const patch = [...unchanged(uid, resourceVersion), ...changes];
  return { cluster, kind: 'PersistentVolume', namespace: null, name, patch, purpose };
}

function unchanged(uid: string, resourceVersion: string): PatchOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}
