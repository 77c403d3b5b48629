/** Where there is no command to run: because time mends it, or because none would be safe. */
import type { CauseCode } from '../model.ts';
import type { Remedy } from './explanation.ts';
import { claimRefName, clusterName, sideOfCause } from './scene.ts';
import type { Scene, Side } from './scene.ts';

/** No command is safe. @param text why */
export function none(text: string): Remedy {
  return { kind: 'none', text, steps: [], risk: null, afterwards: [] };
}

/** No command is needed. @param text what will happen by itself, and where to look if it does not */
export function wait(text: string): Remedy {
  return { kind: 'wait', text, steps: [], risk: null, afterwards: [] };
}

/** For every cause without a remedy, and for pairs without a cause. */
export function withoutRemedy(scene: Scene): Remedy {
  const { cause } = scene.judgement;
  if (cause === null) return withoutCause(scene);
  const side = sideOfCause(scene);
  return TEXTS[cause.code]?.(side, scene) ?? none('The evidence below fits no known cause.');
}

function withoutCause({ judgement: { verdict }, virtualCluster: { namespace, name } }: Scene): Remedy {
  switch (verdict) {
    case 'VolumeMismatch':
      return none(
        'Both claims are Bound and spec.volumeName cannot be changed. Which of the two disks has the data that counts, only its owner can say. Pods run in the super cluster, so they use the super volume. To change it, the tenant has to delete its claim and create it again with the right spec.volumeName, after the reclaim policy of both super volumes was set to Retain.',
      );
    case 'Terminating':
      return wait(
        'A deletion cannot be taken back. It ends when the finalizers are gone: pvc-protection goes when no pod uses the claim any more.',
      );
    case 'HoldStale':
      return {
        ...wait(
          `The super claim is Bound again, so the tenant may be told: kubectl vc-pvc sync ${namespace}/${name} does that.`,
        ),
        kind: 'sync',
      };
    default:
      return wait('There is nothing to mend between the two sides.');
  }
}

const TEXTS: Partial<Readonly<Record<CauseCode, (side: Side, scene: Scene) => Remedy>>> = {
  SuperNamespaceMissing: () =>
    wait(
      'The syncer creates namespace and claim. Created by hand, they would lack its marks. If nothing happens within some minutes, look at the syncer.',
    ),
  NeverSynced: () =>
    wait('The syncer creates the super claim. If it does not within some minutes, look at the syncer.'),
  TenantVolumeMissing: () =>
    wait(
      "The syncer brings the volume into the tenant. If it does not within some minutes, look at the syncer's log for the volume's name.",
    ),
  VolumeDeleted: volumeGone,
  VolumeNotFound: volumeGone,
  VolumeClaimedByOther: claimedByOther,
  Rebinding: ({ side }) =>
    wait(
      `The PV controller of the ${clusterName(side)} binds it at its next sync, 15 s at most. If it does not, look at that cluster's kube-controller-manager.`,
    ),
  VolumeUnsuitable: ({ volumeName }) =>
    none(
      `A claim's spec cannot be changed, and what volume ${volumeName} says of itself has to be true of its disk: written to fit, it would bind a claim to a disk that cannot keep what it promises. The tenant has to create the claim again so that it fits, or with another volume.`,
    ),
  StorageClassMissing: ({ claim }, { storageClasses }) =>
    none(
      `What class ${claim?.storageClass ?? ''} has to be, only its administrator knows. Once it exists the claim goes on by itself. ${storageClasses.length === 0 ? 'There are no classes here at all.' : `Here there ${storageClasses.length === 1 ? 'is' : 'are'}: ${shortList(storageClasses)}.`}`,
    ),
  WaitForFirstConsumer: () =>
    wait(
      'It is bound when a pod that uses it is scheduled. If there is such a pod, see why that one is Pending.',
    ),
  Provisioning: ({ storageClass }) =>
    wait(
      `Provisioner ${storageClass?.provisioner ?? ''} makes the volume. If it does not, look at its pods and at the events of the super claim.`,
    ),
  NoMatchingVolume: ({ claim }) =>
    none(
      `It needs a volume that fits and that nobody claims (${request(claim)}). Which disk may be given away, only its administrator knows. Once there is one the claim is bound by itself.`,
    ),
};

function volumeGone({ side, volumeName }: Side): Remedy {
  if (side === 'tenant') {
    return wait(
      `The tenant needs volume ${volumeName}: the syncer brings it where the super cluster has it. Once it is there the claim is bound by itself.`,
    );
  }
  return none(
    `A volume object can only be made again by somebody who knows the disk: the tenant's copy of it can be changed by the tenant, so a volume made from it could open any disk. Find the disk in the storage system; a new volume ${volumeName} that describes it, with a claimRef of this claim (namespace, name, uid), is bound by itself.`,
  );
}

function claimedByOther({ volume, side }: Side, { claimant }: Scene): Remedy {
  const other = volume?.claimRef ? claimRefName(volume.claimRef) : null;
  if (other === null) {
    return none(
      `The claimRef of volume ${volume?.name ?? ''} names no claim. Whose data is on its disk, the objects do not tell: given to this claim, it could be another tenant's.`,
    );
  }
  const holder =
    side === 'super' && claimant === null
      ? `${other} is gone, but its data may be on the disk: given to this claim, it could be another tenant's`
      : `${other} has it: two claims on one disk destroy the data of both`;
  return none(
    `Volume ${volume?.name ?? ''} belongs to another claim. ${holder}. spec.volumeName cannot be changed, so the tenant has to create its claim again with the right volume.`,
  );
}

function request(claim: Side['claim']): string {
  if (claim === null) return '';
  return [
    `class ${claim.storageClass || '<none>'}`,
    `at least ${claim.requestedStorage || '0'}`,
    claim.accessModes.join('+') || 'no access mode',
    claim.volumeMode,
  ].join(', ');
}

function shortList(names: readonly string[]): string {
  return names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');
}
