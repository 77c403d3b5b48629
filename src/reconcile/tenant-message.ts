/**
 * What a tenant's users are told of their claim, in its condition and its Event. An admin's message may name whatever
 * it rests on; this one may not, since a super volume can be claimed by another tenant, whose names are not theirs.
 */
import type { CauseCode, Claim } from './model.ts';

/** One sentence, naming the tenant's own super claim and its phase. */
export function tenantMessage(superClaim: Claim, code: CauseCode): string {
  return `claim ${superClaim.namespace}/${superClaim.name} of the super cluster, which stands behind this one, is ${superClaim.phase}: ${REASONS[code]}`;
}

const REASONS: Readonly<Record<CauseCode, string>> = {
  TenantClaimRecreated: 'it was made for an earlier claim of this name',
  SuperNamespaceMissing: 'its namespace is absent',
  SuperClaimDeleted: 'it was deleted',
  NeverSynced: 'it was never made',
  VolumeNameCleared: 'it was bound to a volume whose name it has lost',
  TenantVolumeMissing: 'its volume has not been copied to this cluster yet',
  VolumeDeleted: 'the volume it was bound to is gone',
  VolumeNotFound: 'the volume it asks for does not exist',
  ClaimRefStale: 'its volume is still reserved for an earlier claim of this name',
  ClaimRefUIDMissing: 'its volume is reserved for a claim of this name without saying which',
  VolumeClaimedByOther: 'its volume is reserved for another claim',
  Rebinding: 'its volume is about to be bound to it again',
  VolumeUnsuitable: 'the volume it asks for does not fit',
  StorageClassMissing: 'its storage class does not exist there',
  WaitForFirstConsumer: 'it waits for a pod that uses it to be scheduled',
  Provisioning: 'it waits for its volume to be provisioned',
  NoMatchingVolume: 'no volume there fits',
  Undetermined: 'why could not be determined',
};
