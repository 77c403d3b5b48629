/** The answer in a few sentences: what is wrong, whether the data is in danger, whether a command mends it. */
import { isBound } from '../verdict.ts';
import { CAUSES } from './causes.ts';
import type { DataSafety, Remedy } from './explanation.ts';
import type { Scene } from './scene.ts';

/** One paragraph. */
export function summaryOf(scene: Scene, data: DataSafety, remedy: Remedy): string {
  const { cause, mismatch, verdict } = scene.judgement;
  const why = cause === null || verdict === 'OwnerMismatch' ? '' : `: ${CAUSES[cause.code].plain}`;
  const sentences = [`${what(scene)}${why}.`];
  if (mismatch || cause !== null || data.state === 'danger') sentences.push(DATA[data.state]);
  if (mismatch || cause !== null) sentences.push(wayOut(remedy));
  if (scene.settling) sentences.push('It is younger than the grace period: ask again in a minute.');
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function what({ judgement: { pair, verdict }, tenant, super: superSide }: Scene): string {
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
    case 'Consistent':
      return pair.super !== null && isBound(pair.super)
        ? `Nothing is wrong: both sides are Bound to volume ${superSide.volumeName}`
        : `Both sides read ${superPhase}`;
  }
}

const DATA: Readonly<Record<DataSafety['state'], string>> = {
  safe: 'The disk is safe.',
  danger: 'THE DATA IS IN DANGER.',
  unknown: 'Whether its data still exists cannot be told from here.',
  none: 'There is no disk yet.',
};

function wayOut({ kind }: Remedy): string {
  switch (kind) {
    case 'mend':
      return 'One command mends it.';
    case 'protect':
      return 'One command keeps the disk; it does not mend the claim.';
    case 'wait':
      return 'Nothing has to be run.';
    case 'none':
      return 'There is no safe command for it: see below.';
    case 'sync':
      return 'The sync command of this tool releases it.';
  }
}
