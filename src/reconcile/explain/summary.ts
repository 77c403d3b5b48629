/** The answer in a few sentences: what is wrong, whether the data is in danger, whether a command mends it. */
import { isBound } from '../verdict.ts';
import { CAUSES } from './causes.ts';
import type { ChainLink, DataSafety, Remedy } from './explanation.ts';
import type { Scene } from './scene.ts';

/** One paragraph. */
export function summaryOf(
  scene: Scene,
  data: DataSafety,
  remedy: Remedy,
  links: readonly ChainLink[],
): string {
  const { cause, mismatch, verdict } = scene.judgement;
  const untold = cause === null || verdict === 'OwnerMismatch' || verdict === 'SuperOrphan';
  const why = untold ? '' : `: ${CAUSES[cause.code].plain}`;
  const sentences = [`${what(scene, data, links)}${why}.`];
  if (mismatch || cause !== null || data.state === 'danger') sentences.push(DATA[data.state]);
  if (mismatch || cause !== null || remedy.kind === 'protect') sentences.push(WAY_OUT[remedy.kind]);
  if (scene.settling) sentences.push('It is younger than the grace period: ask again in a minute.');
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function what(
  { judgement: { pair, verdict }, tenant, super: superSide }: Scene,
  data: DataSafety,
  links: readonly ChainLink[],
): string {
  const tenantPhase = pair.tenant?.phase ?? '';
  const superPhase = pair.super?.phase ?? '';
  switch (verdict) {
    case 'SuperNotBound':
      return `The tenant reads Bound, but the super claim is ${superPhase}`;
    case 'TenantNotBound':
      return `The super claim is Bound, but the tenant reads ${tenantPhase}`;
    case 'OwnerMismatch':
      return 'The super claim was made for an earlier tenant claim of this name, and the syncer is going to delete it';
    case 'SuperMissing':
      return 'The tenant reads Bound, but there is no super claim';
    case 'NotSynced':
      return `The tenant claim is ${tenantPhase}, and there is no super claim`;
    case 'HoldStale':
      return `The tenant claim is held and reads ${tenantPhase}, but the super claim is ${superPhase}`;
    case 'Held':
      return `The tenant claim is held and reads ${tenantPhase}, as the super claim does`;
    case 'PhaseMismatch':
      return `Neither side is Bound: the tenant reads ${tenantPhase}, the super claim is ${superPhase}`;
    case 'VolumeMismatch':
      return `Both sides read Bound, but to different volumes: the tenant to ${tenant.volumeName}, the super claim to ${superSide.volumeName}`;
    case 'Terminating':
      return `The ${pair.tenant?.terminating === true ? 'tenant' : 'super'} claim is being deleted`;
    case 'SuperOrphan':
      return 'The super claim has no tenant claim, and the syncer is going to delete it';
    default:
      return pair.super !== null && isBound(pair.super)
        ? bothBound(superSide, data, links)
        : `Both sides read ${superPhase}`;
  }
}

/** The phases agree, which is all that the verdict tells: the volume below them need not be well. */
function bothBound(
  { volumeName, volume }: Scene['super'],
  data: DataSafety,
  links: readonly ChainLink[],
): string {
  const problem = links.find(({ state }) => state === 'broken')?.problem;
  if (problem !== undefined) return `Both sides are Bound to volume ${volumeName}, but ${problem}`;
  if (data.state !== 'danger') return `Nothing is wrong: both sides are Bound to volume ${volumeName}`;
  const state = volume?.terminating === true ? 'being deleted' : (volume?.phase ?? '');
  return `Both sides are Bound to volume ${volumeName}, but that is ${state}`;
}

const DATA: Readonly<Record<DataSafety['state'], string>> = {
  safe: 'The disk is safe.',
  danger: 'THE DATA IS IN DANGER.',
  unknown: 'Whether its data still exists cannot be told from here.',
  none: 'There is no disk yet.',
};

const WAY_OUT: Readonly<Record<Remedy['kind'], string>> = {
  mend: 'One command mends it.',
  protect: 'One command keeps the disk; it does not mend the claim.',
  sync: 'The sync command of this tool releases it.',
  wait: 'Nothing has to be run.',
  none: 'There is no safe command for it: see below.',
};
