/** Why the claim of a pair that is not Bound is not Bound. */
import { bindingCause } from './binding-cause.ts';
import type { Cause, CauseCode, Evidence, Pair, Verdict } from './model.ts';
import { ownerKey } from './pair.ts';
import { isBound } from './verdict.ts';

/** Evidence from a cluster of which nothing but claims was read. */
export const NO_EVIDENCE: Evidence = { volumes: null, storageClasses: null, namespaces: null };

/** Evidence from both clusters of a pair. */
export interface EvidenceOfBoth {
  readonly tenant: Evidence;
  readonly super: Evidence;
}

/** In which cluster the cause of a verdict is to be looked for; null where a verdict of this pair has no cause. */
export function causeSide(pair: Pair, verdict: Verdict): 'tenant' | 'super' | null {
  if (verdict === 'Terminating' || pair.super?.terminating === true) return null;
  if (verdict === 'TenantNotBound') return 'tenant';
  if (verdict === 'OwnerMismatch' || pair.super === null || !isBound(pair.super)) return 'super';
  return null;
}

/** The cause of a pair's verdict, null where none is due. Total: never throws, "Undetermined" is its last word. */
export function causeOf(pair: Pair, verdict: Verdict, evidence: EvidenceOfBoth): Cause | null {
  const side = causeSide(pair, verdict);
  if (side === null) return null;
  if (verdict === 'OwnerMismatch') return ownerMismatchCause(pair);
  if (side === 'tenant') return tenantCause(pair, evidence.tenant);
  if (pair.super === null) return absenceCause(pair, evidence.super);
  return bindingCause(pair.super, pair.tenant?.volumeName ?? '', evidence.super, 'super cluster');
}

function ownerMismatchCause(pair: Pair): Cause {
  const place = `${pair.super?.namespace}/${pair.super?.name}`;
  const made =
    pair.super?.ownerUid === ''
      ? 'carries no uid of a tenant claim'
      : `was made for another tenant claim of this name (uid ${pair.super?.ownerUid})`;
  return cause(
    'TenantClaimRecreated',
    `super claim ${place} ${made}; the tenant claim's uid is ${pair.tenant?.uid}: the syncer will delete the super claim`,
  );
}

function absenceCause(pair: Pair, evidence: Evidence): Cause {
  const { namespaces, volumes } = evidence;
  const place = `${pair.superNamespace}/${pair.tenant?.name}`;
  if (
    namespaces !== null &&
    !namespaces.names.has(pair.superNamespace) &&
    !namespaces.owners.has(ownerKey(pair.owner))
  ) {
    return cause(
      'SuperNamespaceMissing',
      `namespace ${pair.superNamespace} is absent from the super cluster`,
    );
  }
  const byClaim = volumes?.byClaim ?? null;
  if (byClaim === null) {
    return cause('Undetermined', `super claim ${place} is absent; the super cluster's volumes were not read`);
  }
  const [volume] = byClaim.get(place) ?? [];
  if (volume !== undefined) {
    return cause(
      'SuperClaimDeleted',
      `super claim ${place} is gone; volume ${volume.name} (${volume.phase}, reclaim policy ${volume.reclaimPolicy}) still names it`,
    );
  }
  return cause('NeverSynced', `super claim ${place} is absent and no super volume names it`);
}

function tenantCause(pair: Pair, evidence: Evidence): Cause | null {
  if (pair.tenant === null || pair.super === null) return null;
  const { tenant } = pair;
  const wanted = pair.super.volumeName;
  const own = bindingCause(tenant, wanted, evidence, 'tenant');
  const missing = evidence.volumes !== null && !evidence.volumes.byName.has(wanted);
  // A claim that lost its volumeName is Lost, and one that another volume fits is bound to that: both do not wait.
  if (tenant.volumeName !== '' || wanted === '' || !missing || DO_NOT_WAIT.has(own.code)) return own;
  return cause(
    'TenantVolumeMissing',
    `the tenant has no volume ${wanted} yet: the syncer has not populated it`,
  );
}

const DO_NOT_WAIT: ReadonlySet<CauseCode> = new Set(['VolumeNameCleared', 'Rebinding']);

function cause(code: CauseCode, message: string): Cause {
  return { code, message };
}
