/** Whether a volume may be bound to a claim, as the PV controller sees it. */
import type { Claim, ClaimRef, Volume } from './model.ts';
import { bytesOf } from './quantity.ts';

/**
 * Why the controller would not bind this unclaimed volume to a claim that asks for it by name, in a few words;
 * null where it would. Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go, checkVolumeSatisfyClaim.
 */
export function misfit(claim: Claim, volume: Volume): string | null {
  return misfitOfMatch(claim, volume) ?? misfitOfClass(claim, volume);
}

/**
 * The same for a claim that names no volume and is named by the volume's claimRef: then the class is not asked.
 * k8s.io/component-helpers storage/volume/pv_helpers.go, FindMatchingVolume.
 */
export function misfitOfMatch(claim: Claim, volume: Volume): string | null {
  if (volume.terminating) return 'the volume is being deleted';
  const capacity = bytesOf(volume.capacity);
  const requested = bytesOf(claim.requestedStorage);
  if (capacity !== null && requested !== null && capacity < requested) {
    return `the claim asks for ${claim.requestedStorage} and the volume has ${volume.capacity || '0'}`;
  }
  if (claim.volumeAttributesClass !== volume.volumeAttributesClass) {
    return `the claim's volumeAttributesClassName is "${claim.volumeAttributesClass}", the volume's "${volume.volumeAttributesClass}"`;
  }
  if (claim.volumeMode !== volume.volumeMode) {
    return `the claim's volumeMode is ${claim.volumeMode}, the volume's ${volume.volumeMode}`;
  }
  const lacking = claim.accessModes.filter((mode) => !volume.accessModes.includes(mode));
  return lacking.length === 0 ? null : `the volume lacks the access mode ${lacking.join(', ')}`;
}

function misfitOfClass(claim: Claim, volume: Volume): string | null {
  if (claim.storageClass === volume.storageClass) return null;
  return `the claim's class is "${claim.storageClass}", the volume's "${volume.storageClass}"`;
}

/** Whether a claimRef has the namespace and name of a claim, whatever its uid. */
export function namesClaim(claimRef: ClaimRef, claim: Pick<Claim, 'namespace' | 'name'>): boolean {
  return claimRef.namespace === claim.namespace && claimRef.name === claim.name;
}
