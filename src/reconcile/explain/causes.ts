/** What each cause means in plain words, and where it is described. */
import type { CauseCode } from '../model.ts';

interface CauseText {
  /** Goes after "the claim" or a colon. */
  readonly plain: string;
}

export const CAUSES: Readonly<Record<CauseCode, CauseText>> = {
  TenantClaimRecreated: { plain: 'it was made for an earlier tenant claim' },
  SuperNamespaceMissing: { plain: 'its namespace is absent from the super cluster' },
  SuperClaimDeleted: { plain: 'it was deleted, and its volume still names it' },
  NeverSynced: { plain: 'the syncer has not created it' },
  VolumeNameCleared: { plain: 'it was bound before, and its spec.volumeName is empty now' },
  TenantVolumeMissing: { plain: 'the syncer has not brought its volume into the tenant yet' },
  VolumeDeleted: { plain: 'the volume it was bound to is gone' },
  VolumeNotFound: { plain: 'it asks for a volume that does not exist' },
  ClaimRefStale: { plain: 'its volume still belongs to an earlier claim of this name' },
  ClaimRefUIDMissing: { plain: 'its volume names it without its uid' },
  VolumeClaimedByOther: { plain: 'its volume belongs to another claim' },
  Rebinding: { plain: 'the PV controller is about to bind it' },
  VolumeUnsuitable: { plain: 'the volume it asks for does not fit' },
  StorageClassMissing: { plain: 'its storage class does not exist' },
  WaitForFirstConsumer: { plain: 'it waits for a pod that uses it' },
  Provisioning: { plain: 'it waits for its provisioner' },
  NoMatchingVolume: { plain: 'nothing provisions a volume for it, and none fits' },
  Undetermined: { plain: 'no known rule tells why' },
};

/** The section of the documentation, as a web page would anchor it. */
export function causeReference(code: CauseCode): string {
  return `docs/causes.md#${code.toLowerCase()}`;
}
