/**
 * What the VirtualCluster syncer will do next: pkg/syncer/resources/persistentvolumeclaim/checker.go and dws.go,
 * persistentvolume/checker.go and uws.go. Its patrol takes 60 s.
 */
import type { Scene } from './scene.ts';

const NOTHING =
  'Nothing: it never mends a super claim. (With its gate SyncTenantPVCStatusPhase the tenant shows the super phase once a minute, for some milliseconds.)';

/** A sentence or two. */
export function syncerNext(scene: Scene): string {
  const { verdict, cause } = scene.judgement;
  switch (verdict) {
    case 'OwnerMismatch':
      return `Within 60 s it deletes the super claim${usedNote(scene)}, since that carries the uid of another tenant claim, and then creates a new one for the tenant claim that is there now.`;
    case 'SuperOrphan':
      return `Within 60 s it deletes the super claim${usedNote(scene)}, since no tenant claim belongs to it.`;
    case 'SuperMissing':
    case 'NotSynced':
      return creation(scene);
    case 'TenantNotBound':
      return cause?.code === 'TenantVolumeMissing'
        ? "It creates the tenant's copy of the volume; its patrol tries again every 60 s. The tenant's PV controller then binds."
        : "Nothing: a tenant claim's phase is left to the tenant's own PV controller.";
    case 'Terminating':
      return termination(scene);
    case 'Consistent':
      return 'Nothing.';
    case 'VolumeMismatch':
      return 'Nothing: it does not compare the volumes of bound claims.';
    default:
      return cause?.code === 'VolumeDeleted'
        ? "Its patrol deletes the tenant's copy of the volume, which then stays Terminating while the tenant claim is bound to it. It does not mend the super claim."
        : NOTHING;
  }
}

function creation({ judgement: { cause } }: Scene): string {
  switch (cause?.code) {
    case 'SuperNamespaceMissing':
      return 'It creates the namespace and then the super claim, normally within 60 s. Where that does not happen it is not running, cannot reach the tenant, or (before March 2023) fails on names longer than 63 characters: its log says which.';
    case 'SuperClaimDeleted':
      return 'Its patrol creates the super claim again within 60 s. That has a new uid, which the volume does not know: left alone, it stays Pending.';
    default:
      return 'Its patrol creates the super claim within 60 s. Where that does not happen it is not running or cannot reach the tenant: its log says which.';
  }
}

function termination({ tenant, super: superSide }: Scene): string {
  if (tenant.claim?.terminating === true) {
    return superSide.claim === null
      ? 'Nothing: there is no super claim.'
      : 'It deletes the super claim once the tenant claim is gone.';
  }
  return 'It creates the super claim again once that is gone, with a new uid: the volume then does not know it any more.';
}

function usedNote({ super: { claim } }: Scene): string {
  return claim?.finalizers.includes('kubernetes.io/pvc-protection') === true
    ? ' (it stays Terminating while a pod uses it)'
    : '';
}
