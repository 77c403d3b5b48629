/** Whether a volume may be bound to a claim, as the PV controller sees it. */
import type { Claim, ClaimRef, Volume } from './model.ts';
import { bytesOf, nanosOf } from './quantity.ts';
import { selects } from './selector.ts';

/**
 * Why the controller would not bind this unclaimed volume to a claim that asks for it by name, in a few words;
 * null where it would. Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go, checkVolumeSatisfyClaim.
 */
export function misfit(claim: Claim, volume: Volume): string | null {
  return misfitOfSpec(claim, volume, bytesOf) ?? misfitOfClass(claim, volume);
}

/**
 * Whether the controller would bind the volume to a claim that names none. Sizes are compared exactly here, and not
 * rounded to bytes; a volume whose claimRef names the claim is asked neither for its class nor for its labels.
 * The volume's phase does not matter: the controller makes every unclaimed one Available before.
 * k8s.io/component-helpers storage/volume/pv_helpers.go, FindMatchingVolume.
 * @param delayed whether the class binds on first consumer, which leaves unclaimed volumes to the scheduler
 */
export function matches(claim: Claim, volume: Volume, delayed: boolean): boolean {
  if (misfitOfSpec(claim, volume, nanosOf) !== null) return false;
  if (volume.claimRef !== null) return isBoundTo(volume.claimRef, claim);
  return !delayed && misfitOfClass(claim, volume) === null && selects(claim.selector, volume.labels);
}

/** A key for what a claim that names no volume asks for: an unclaimed volume `matches` all claims of a key, or none. */
export function demandOf(claim: Claim): string {
  const { storageClass, requestedStorage, volumeAttributesClass, volumeMode, accessModes, selector } = claim;
  return JSON.stringify([
    storageClass,
    requestedStorage,
    volumeAttributesClass,
    volumeMode,
    accessModes,
    selector,
  ]);
}

function misfitOfSpec(
  claim: Claim,
  volume: Volume,
  sizeOf: (quantity: string) => bigint | null,
): string | null {
  if (volume.terminating) return 'the volume is being deleted';
  const capacity = sizeOf(volume.capacity);
  const requested = sizeOf(claim.requestedStorage);
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

/**
 * Whether a claimRef means this claim and no earlier one of its name: the uid is equal, or not yet filled in.
 * k8s.io/component-helpers storage/volume/pv_helpers.go, IsVolumeBoundToClaim.
 */
export function isBoundTo(claimRef: ClaimRef, claim: Claim): boolean {
  return namesClaim(claimRef, claim) && (claimRef.uid === '' || claimRef.uid === claim.uid);
}

/** Whether a claimRef has the namespace and name of a claim, whatever its uid. */
export function namesClaim(claimRef: ClaimRef, claim: Pick<Claim, 'namespace' | 'name'>): boolean {
  return claimRef.namespace === claim.namespace && claimRef.name === claim.name;
}
