/**
 * What the state of a pair means for the data, as far as API objects tell: the disk itself is never looked at.
 * Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go syncVolume, reclaimVolume; external provisioners
 * (sigs.k8s.io/sig-storage-lib-external-provisioner controller.go shouldDelete) go by phase Released and the policy.
 */
import type { Volume } from '../model.ts';
import type { DataSafety } from './explanation.ts';
import { isOwnVolume, whoseVolume } from './scene.ts';
import type { Scene, VolumeDetails } from './scene.ts';

const RETAIN = 'Retain';
const GIVEN_UP: ReadonlySet<string> = new Set(['Released', 'Failed']);

/** Whether whoever reclaims volumes is at work on this one, or may be at any moment. */
export function isBeingReclaimed(volume: Volume): boolean {
  return GIVEN_UP.has(volume.phase) && volume.reclaimPolicy !== RETAIN;
}

/** The disk is the super cluster's: a tenant's controllers cannot reach it. */
export function dataSafety(scene: Scene): DataSafety {
  const { volume } = scene.super;
  if (volume === null) return withoutVolume(scene);
  if (isForeign(scene, volume)) return foreign(volume);
  const safety = ownVolume(scene, volume);
  return { ...safety, text: `${safety.text}${earlierData(scene, volume)}` };
}

/** A claim that asks for no volume may have had one under the same name before. */
function earlierData({ super: { claim } }: Scene, { claimRef }: VolumeDetails): string {
  if (claim === null || claim.volumeName !== '' || !claimRef || claimRef.uid === '') return '';
  return claimRef.uid === claim.uid ? '' : ' It holds the data of an earlier claim of this name.';
}

function withoutVolume({ tenant, super: { volumeName } }: Scene): DataSafety {
  if (volumeName === '') {
    return {
      state: 'none',
      text: 'No volume is named anywhere: there is no disk yet, so nothing can be lost.',
      destroyedBy: [],
    };
  }
  const hint = tenant.volume?.disk ?? '';
  const copy =
    hint === '' ? '' : ` The tenant's copy of the volume, which the tenant can change, says: ${hint}.`;
  return {
    state: 'unknown',
    text: `The super cluster has no volume ${volumeName}. A disk outlives its volume object where the reclaim policy was Retain, and is usually gone where it was Delete: look for it in the storage system.${copy}`,
    destroyedBy: ['deleting or reusing the disk in the storage system'],
  };
}

/** Whether what it holds is somebody else's. A bound claim whose volume lost its claimRef will have it again. */
export function isForeign(scene: Scene, volume: VolumeDetails): boolean {
  const { claim } = scene.super;
  if (volume.claimRef === null) return claim?.volumeName !== volume.name || !claim.bindCompleted;
  return !isOwnVolume(scene, scene.super);
}

function foreign({ name, claimRef }: VolumeDetails): DataSafety {
  const whose =
    claimRef === null
      ? "has no claimRef: nothing in the super cluster shows that it ever was this claim's"
      : whoseVolume(claimRef);
  return {
    state: 'unknown',
    text: `Volume ${name} ${whose}. Where this claim's own data is, if there ever was any, the objects do not tell.`,
    destroyedBy: claimRef === null ? ['any claim that fits may be bound to it and overwrite it'] : [],
  };
}

function ownVolume(scene: Scene, volume: VolumeDetails): DataSafety {
  const policy = `reclaim policy ${volume.reclaimPolicy}`;
  const where = volume.disk === '' ? '' : ` (${volume.disk})`;
  const disk = `Volume ${volume.name}${where} is ${volume.phase}, ${policy}`;
  const destroyedBy = destroyers(volume);
  if (isBeingReclaimed(volume)) {
    return { state: 'danger', text: `${disk}: ${reclaimText(volume)}`, destroyedBy };
  }
  if (volume.terminating) {
    const doomed = volume.reclaimPolicy !== RETAIN;
    const held = volume.finalizers.length === 0 ? '' : `, held only by ${volume.finalizers.join(', ')}`;
    return {
      state: doomed ? 'danger' : 'safe',
      text: `${disk}, and is being deleted${held}. ${doomed ? 'The disk goes with it.' : 'The disk stays in the storage system, without an object that names it.'}`,
      destroyedBy,
    };
  }
  if (volume.reclaimPolicy !== RETAIN && claimWillGo(scene)) {
    return {
      state: 'danger',
      text:
        scene.super.claim === null
          ? `${disk}: its super claim is gone, and the disk is destroyed as soon as the PV controller sees it.`
          : `${disk}: the disk is destroyed as soon as the super claim is gone, and it is going to be deleted.`,
      destroyedBy,
    };
  }
  if (volume.claimRef === null) {
    return {
      state: 'safe',
      text: `${disk}, and has no claimRef at the moment. Until the claim is bound to it again, another claim that fits could be, and overwrite it.`,
      destroyedBy,
    };
  }
  return { state: 'safe', text: `${disk}: nothing is about to destroy the disk.`, destroyedBy };
}

function reclaimText({ phase, reclaimPolicy }: VolumeDetails): string {
  if (reclaimPolicy === 'Recycle') return 'its content is being wiped, or already is.';
  return phase === 'Failed'
    ? 'deleting the disk was tried and failed; it is tried again and again.'
    : 'the disk is being deleted, or is about to be.';
}

/** Whether the super claim is gone, so that its volume is given up next, or will be. */
function claimWillGo({ judgement: { verdict }, super: superSide }: Scene): boolean {
  if (superSide.claim === null) return superSide.volume?.claimRef?.uid !== '';
  return verdict === 'OwnerMismatch' || verdict === 'SuperOrphan' || verdict === 'Terminating';
}

function destroyers({ name, reclaimPolicy }: VolumeDetails): string[] {
  if (reclaimPolicy === RETAIN) {
    return [
      'deleting the disk by hand',
      'removing the claimRef of the volume (any claim may then take and overwrite it)',
    ];
  }
  const what = reclaimPolicy === 'Recycle' ? 'wiped' : 'deleted';
  return [
    `deleting the super claim, or the tenant claim, after which the syncer does so (the disk is then ${what})`,
    `deleting volume ${name}`,
  ];
}
