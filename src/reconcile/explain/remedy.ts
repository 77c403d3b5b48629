/**
 * What mends each cause, as data: which object, which JSON patch, under which condition, at which risk. Nothing here
 * is ever run by us. The effect of every patch was measured on real PV controllers (test/cluster/remedies.test.ts).
 */
import type { CauseCode } from '../model.ts';
import { misfit } from '../fit.ts';
import { isBeingReclaimed } from './data-safety.ts';
import type { Remedy, Step } from './explanation.ts';
import {
  backToPolicy,
  checkClaim,
  checkVolume,
  isPrintable,
  missingField,
  nameVolume,
  release,
  retain,
  takeOver,
} from './patches.ts';
import { clusterName, isOwnVolume, sideOfCause, whoseVolume } from './scene.ts';
import type { Scene, Side } from './scene.ts';
import { none, wait, withoutRemedy } from './no-remedy.ts';
import { protection, withDiskKept } from './protect.ts';

/** The remedy of a pair. Total: where nothing is safe it says so, and why. */
export function remedyOf(scene: Scene): Remedy {
  const { cause, verdict } = scene.judgement;
  const found = verdict === 'SuperOrphan' ? protection(scene, ORPHAN) : byCause(cause?.code ?? null, scene);
  return printable(withDiskKept(printable(withRelease(found, scene)), scene));
}

/** A remedy with a step that cannot be printed is none. */
function printable(remedy: Remedy): Remedy {
  const bad = [...remedy.steps, ...remedy.afterwards].find((step) => !isPrintable(step));
  if (bad === undefined) return remedy;
  const missing = missingField(bad);
  const why =
    missing === null
      ? 'A name, uid or resourceVersion of these objects is none that Kubernetes makes'
      : `The ${missing} of ${bad.kind === 'PersistentVolume' ? 'volume' : 'claim'} ${bad.name} is missing`;
  return none(`${why}, so no command can be printed that is safe to run.`);
}

/** A held tenant claim is not released by itself. */
function withRelease(remedy: Remedy, { judgement: { pair }, virtualCluster }: Scene): Remedy {
  if (remedy.kind !== 'mend' || pair.tenant?.held !== true) return remedy;
  const sync = `kubectl vc-pvc sync ${virtualCluster.namespace}/${virtualCluster.name}`;
  return { ...remedy, text: `${remedy.text} The tenant claim is held: ${sync} releases it then.` };
}

const ORPHAN = 'No tenant claim wants the super claim, so there is nothing to mend.';

function byCause(code: CauseCode | null, scene: Scene): Remedy {
  const side = sideOfCause(scene);
  switch (code) {
    case 'VolumeNameCleared':
      return nameTheVolume(side, scene);
    case 'ClaimRefStale':
    case 'ClaimRefUIDMissing':
      return takeTheVolumeOver(side, scene);
    case 'SuperClaimDeleted':
      return reserveTheVolume(scene);
    case 'SuperNamespaceMissing':
      return isOwnVolume(scene, scene.super) ? reserveTheVolume(scene) : withoutRemedy(scene);
    case 'TenantClaimRecreated':
      return protection(
        scene,
        'The super claim holds the data of an earlier tenant claim. Whether the tenant claim of now shall have it, only its owner can say, so nothing is handed over. Explain again once the syncer has made the new super claim.',
      );
    default:
      return withoutRemedy(scene);
  }
}

/** A claim that was bound and lost its spec.volumeName, which the API allows to be set while it is empty. */
function nameTheVolume(side: Side, scene: Scene): Remedy {
  const { claim, volume } = side;
  const ambiguous = side.side === 'super' && scene.volumesOfSuperClaim.length > 1;
  if (ambiguous) {
    const names = scene.volumesOfSuperClaim.map(({ name }) => name).join(', ');
    return protection(
      scene,
      `Several volumes say that they belong to this claim: ${names}. Which one has its data, the objects do not tell.`,
    );
  }
  if (claim === null || volume === null) {
    return none(
      `Nothing in the ${clusterName(side.side)} shows which volume the claim was bound to: ${side.volumeName === '' ? 'no volume names it' : `there is no volume ${side.volumeName}`}.`,
    );
  }
  if (volume.claimRef?.uid === claim.uid && !volume.terminating) {
    const other = otherVolume(side, scene);
    if (other !== null) return none(other);
    const keep = isInDanger(side);
    return mend(
      `Puts spec.volumeName back: the claimRef of volume ${volume.name} has the uid of this very claim. Bound within seconds.${keep ? KEEPS : ''}`,
      keep
        ? [checkClaim(claim, side.side), retain(volume, side.side), nameVolume(claim, volume.name, side.side)]
        : [checkVolume(volume, side.side), nameVolume(claim, volume.name, side.side)],
      side,
    );
  }
  return takeTheVolumeOver(side, scene);
}

/** Why a volume must not be bound on this side: the other one has another. null where it may. */
function otherVolume({ side, volume }: Side, { tenant, super: superSide }: Scene): string | null {
  const other = side === 'super' ? tenant : superSide;
  const wanted = other.claim?.volumeName ?? '';
  if (wanted === '' || wanted === volume?.name) return null;
  return `The ${other.side} claim names volume ${wanted}, and this would bind the ${side} claim to ${volume?.name ?? ''}: both sides would be Bound, to different disks. Which of them has the data that counts, only its owner can say.`;
}

/** A volume that still names an earlier claim of this name, or this one without its uid. */
function takeTheVolumeOver(side: Side, scene: Scene): Remedy {
  const { claim, volume } = side;
  if (claim === null || volume === null || !isOwnVolume(scene, side)) return none(unproven(side));
  if (volume.terminating) return doomed(side, scene);
  const other = otherVolume(side, scene);
  if (other !== null) return none(other);
  const steps: Step[] = [];
  if (claim.volumeName === '') {
    const why = misfit(claim, volume);
    if (why !== null) return none(`Volume ${volume.name} does not fit the claim: ${why}.`);
    // Without a name the controller may pick another volume that fits, however the claimRef reads.
    steps.push(checkVolume(volume, side.side), nameVolume(claim, volume.name, side.side));
  } else {
    steps.push(checkClaim(claim, side.side));
  }
  steps.push(takeOver(volume, claim.uid, isInDanger(side), side.side));
  const whose =
    volume.claimRef?.uid === ''
      ? ': both name each other already, only the uid is missing'
      : ', which was last bound to an earlier claim of this name in this namespace, so of the same tenant';
  return mend(
    `Writes the claim's uid into the claimRef of volume ${volume.name}${whose}. Bound within 15 s.${isInDanger(side) ? KEEPS : ''}`,
    steps,
    side,
  );
}

/** The super claim is gone and will come again: its volume waits for it by name, which also keeps it from being reclaimed. */
function reserveTheVolume(scene: Scene): Remedy {
  const side = scene.super;
  const { volume } = side;
  const wanted = scene.tenant.claim?.volumeName ?? '';
  const maker = `The syncer makes that${scene.judgement.cause?.code === 'SuperNamespaceMissing' ? ', and the namespace,' : ''} within 60 s`;
  if (volume === null || !isOwnVolume(scene, side)) return none(unproven(side));
  if (volume.terminating) return doomed(side, scene);
  if (volume.claimRef?.uid === '' && wanted === volume.name) {
    return wait(
      `Volume ${volume.name} waits for a claim of this namespace and name already. ${maker}, and it is Bound at once.`,
    );
  }
  if (wanted !== volume.name) {
    return protection(
      scene,
      `The tenant claim names ${wanted === '' ? 'no volume' : `volume ${wanted}`}, so the new super claim will not be bound to ${volume.name} by itself. Explain again once the syncer has made it.`,
    );
  }
  return mend(
    `Takes the uid of the deleted claim out of the claimRef of volume ${volume.name}, which then waits for a claim of this namespace and name. ${maker}, and it is Bound at once.${isInDanger(side) ? KEEPS : ''}`,
    [release(volume, isInDanger(side))],
    side,
  );
}

/** A deletion cannot be taken back: metadata.deletionTimestamp is immutable. */
function doomed(side: Side, scene: Scene): Remedy {
  const { volume } = side;
  const why = `Volume ${volume?.name ?? ''} is being deleted, which cannot be taken back: bound again, it would go with the claim. The disk itself can be described by a new volume object once this one is gone.`;
  return side.side === 'super' ? protection(scene, why) : none(why);
}

function unproven({ side, volumeName, volume }: Side): string {
  const who = side === 'super' ? 'the super cluster' : 'the tenant';
  if (volume === null) return `There is no volume ${volumeName} in ${who}.`;
  if (volume.claimRef !== null) {
    return `Volume ${volume.name} ${whoseVolume(volume.claimRef)}.`;
  }
  return `Volume ${volume.name} has no claimRef. That it was this claim's, ${side === 'super' ? 'only the tenant says, and a tenant can name any volume: binding it could hand one tenant the data of another' : 'nothing shows'}.`;
}

const KEEPS = ' It also sets the reclaim policy to Retain, which stops the deletion of the disk.';

/** Only the super cluster's controllers can reach the disk. */
function isInDanger({ side, volume }: Side): boolean {
  return side === 'super' && volume !== null && isBeingReclaimed(volume);
}

function mend(text: string, steps: readonly Step[], side: Side): Remedy {
  const { volume, claim } = side;
  const danger = isInDanger(side);
  return {
    kind: 'mend',
    text,
    steps,
    risk: danger
      ? {
          level: 'high',
          text: `Volume ${volume?.name ?? ''} is ${volume?.phase ?? ''} with reclaim policy ${volume?.reclaimPolicy ?? ''}: its disk may be damaged or gone already. Look at it in the storage system before a pod mounts it. The command itself makes nothing worse.`,
        }
      : {
          level: 'low',
          text: 'It deletes nothing and touches no other claim. Pods that wait for the claim may mount the disk then.',
        },
    afterwards: danger && volume !== null ? [backToPolicy(volume, claim?.uid ?? null)] : [],
  };
}
