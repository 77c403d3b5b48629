/**
 * Why the PV controller leaves a claim unbound, from the claim, its volume and its class in one cluster.
 * Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go: syncUnboundClaim, syncBoundClaim.
 */
import { isBoundTo, misfit, namesClaim } from './fit.ts';
import type { Cause, CauseCode, Claim, ClaimRef, Evidence, Volume } from './model.ts';
import { classCause, matchCause } from './unnamed-cause.ts';

/** What a claim, its candidate volume and its class are to the rules below. */
export interface Situation {
  readonly claim: Claim;
  /** The claim's volumeName, else the other side's; "" where neither has one. */
  readonly candidate: string;
  /** undefined: absent; null: not known, since volumes were not read. */
  readonly volume: Volume | undefined | null;
  readonly evidence: Evidence;
  readonly cluster: string;
}

type Rule = (situation: Situation) => Cause | null;

/**
 * @param claim a claim that is not Bound
 * @param otherVolumeName spec.volumeName of the claim on the other side, "" where none
 * @param cluster what to call the claim's cluster in messages
 */
export function bindingCause(
  claim: Claim,
  otherVolumeName: string,
  evidence: Evidence,
  cluster: string,
): Cause {
  const candidate = claim.volumeName === '' ? otherVolumeName : claim.volumeName;
  const volume = evidence.volumes === null ? null : evidence.volumes.byName.get(candidate);
  const situation: Situation = { claim, candidate, volume, evidence, cluster };
  for (const rule of RULES) {
    const found = rule(situation);
    if (found !== null) return found;
  }
  return undetermined(situation);
}

const RULES: readonly Rule[] = [
  volumeNameCleared,
  volumeAbsent,
  claimedByUid,
  matchCause,
  claimRefOfOther,
  rebinding,
  volumeUnsuitable,
  classCause,
];

function volumeNameCleared({ claim, cluster, candidate }: Situation): Cause | null {
  if (!claim.bindCompleted || claim.volumeName !== '') return null;
  const hint = candidate === '' ? '' : `; the other side names volume ${candidate}`;
  return cause(
    'VolumeNameCleared',
    `claim ${place(claim)} of the ${cluster} was bound before and has no spec.volumeName any more${hint}`,
  );
}

function volumeAbsent({ claim, volume, cluster }: Situation): Cause | null {
  if (claim.volumeName === '' || volume !== undefined) return null;
  return claim.bindCompleted
    ? cause(
        'VolumeDeleted',
        `volume ${claim.volumeName}, to which the claim was bound, is gone from the ${cluster}`,
      )
    : cause(
        'VolumeNotFound',
        `the claim asks for volume ${claim.volumeName}, which the ${cluster} does not have`,
      );
}

/** A bound claim is known to its volume by uid alone: syncBoundClaim compares nothing else. */
function claimedByUid({ claim, volume, cluster }: Situation): Cause | null {
  if (!claim.bindCompleted || !volume?.claimRef || volume.claimRef.uid !== claim.uid) return null;
  return cause('Rebinding', aboutToBind(volume, cluster, `its claimRef has the claim's uid`));
}

function claimRefOfOther({ claim, volume, cluster }: Situation): Cause | null {
  if (!volume?.claimRef) return null;
  const ref = volume.claimRef;
  if (!namesClaim(ref, claim)) {
    if (claim.volumeName === '') return null;
    return cause(
      'VolumeClaimedByOther',
      ref.namespace === '' && ref.name === ''
        ? `the claimRef of volume ${volume.name} of the ${cluster} names no claim`
        : `volume ${volume.name} of the ${cluster} is claimed by ${refText(ref)}`,
    );
  }
  if (ref.uid === '') {
    if (!claim.bindCompleted) return null;
    return cause(
      'ClaimRefUIDMissing',
      `the claimRef of volume ${volume.name} names the claim without its uid`,
    );
  }
  if (ref.uid === claim.uid) return null;
  return cause(
    'ClaimRefStale',
    `the claimRef of volume ${volume.name} (${volume.phase}, reclaim policy ${volume.reclaimPolicy}) has uid ${ref.uid} of an earlier claim of this name; the claim's uid is ${claim.uid}`,
  );
}

/** A volume that a claim names need not fit where either was bound to the other before. */
function rebinding({ claim, volume, cluster }: Situation): Cause | null {
  if (claim.volumeName === '' || !volume) return null;
  if (volume.claimRef === null) {
    if (!claim.bindCompleted && misfit(claim, volume) !== null) return null;
    const why = claim.bindCompleted ? 'the claim was bound to it before' : 'it fits';
    return cause('Rebinding', aboutToBind(volume, cluster, `it has no claimRef, and ${why}`));
  }
  if (!isBoundTo(volume.claimRef, claim)) return null;
  return cause('Rebinding', aboutToBind(volume, cluster, 'its claimRef names the claim'));
}

function volumeUnsuitable({ claim, volume }: Situation): Cause | null {
  if (claim.volumeName === '' || !volume || volume.claimRef !== null) return null;
  const why = misfit(claim, volume);
  return why === null
    ? null
    : cause('VolumeUnsuitable', `the claim cannot have volume ${volume.name}: ${why}`);
}

function undetermined({ claim, candidate, volume, evidence }: Situation): Cause {
  const facts = [
    `phase ${claim.phase}`,
    `volumeName ${claim.volumeName || '<none>'}`,
    `bind-completed ${claim.bindCompleted ? 'set' : 'not set'}`,
    `class ${claim.storageClass || '<none>'}`,
    candidate === '' ? 'no candidate volume' : `candidate volume ${candidate} ${volumeText(volume)}`,
    // Only where a rule would have asked for them: what else was read, live or recorded, is no matter.
    ...(claim.volumeName === '' && claim.storageClass !== '' && evidence.storageClasses === null
      ? ['classes not read']
      : []),
  ];
  return cause('Undetermined', `no rule applies to ${place(claim)}: ${facts.join(', ')}`);
}

function volumeText(volume: Volume | undefined | null): string {
  if (volume === null) return 'not read';
  if (volume === undefined) return 'absent';
  return `${volume.phase} with ${volume.claimRef === null ? 'no claimRef' : `claimRef ${refText(volume.claimRef)}`}`;
}

function aboutToBind(volume: Volume, cluster: string, why: string): string {
  return `the PV controller of the ${cluster} is about to bind volume ${volume.name}: ${why}`;
}

function refText(ref: ClaimRef): string {
  return `${ref.namespace || '<no namespace>'}/${ref.name || '<no name>'}${ref.uid === '' ? '' : ` (uid ${ref.uid})`}`;
}

function place(claim: Claim): string {
  return `${claim.namespace}/${claim.name}`;
}

function cause(code: CauseCode, message: string): Cause {
  return { code, message };
}
