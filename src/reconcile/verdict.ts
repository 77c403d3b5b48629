/** How a tenant claim and its super claim stand to each other. The first rule that applies decides. */
import { BOUND } from './model.ts';
import type { Claim, Pair, Verdict } from './model.ts';

const MISMATCHES: ReadonlySet<Verdict> = new Set([
  'OwnerMismatch',
  'SuperMissing',
  'NotSynced',
  'HoldStale',
  'SuperNotBound',
  'TenantNotBound',
  'PhaseMismatch',
  'VolumeMismatch',
]);

/** Whether a verdict means that the tenant and the super cluster disagree. */
export function isMismatch(verdict: Verdict): boolean {
  return MISMATCHES.has(verdict);
}

/** Whether a claim's phase is Bound. A phase that Kubernetes does not define counts as not Bound. */
export function isBound(claim: Claim): boolean {
  return claim.phase === BOUND;
}

/** The one verdict of a pair. Total: every pair has exactly one. */
export function verdictOf(pair: Pair): Verdict {
  const { tenant } = pair;
  if (tenant === null) return 'SuperOrphan';
  if (tenant.terminating || pair.super?.terminating === true) return 'Terminating';
  if (pair.super === null) return isBound(tenant) ? 'SuperMissing' : 'NotSynced';
  if (tenant.uid === '' || pair.super.ownerUid !== tenant.uid) return 'OwnerMismatch';
  if (tenant.held) return holdIsStale(tenant, pair.super) ? 'HoldStale' : 'Held';
  return verdictOfPhases(tenant, pair.super);
}

/**
 * A hold says that the super claim is not Bound, and shows which phase it has instead. It is stale when it says
 * so no longer truly: also when both are Bound, which is how a hold without the admission policy ends up once
 * the tenant's PV controller has written Bound back and the super claim was mended.
 */
function holdIsStale(tenant: Claim, superClaim: Claim): boolean {
  return isBound(superClaim) || superClaim.phase !== tenant.phase;
}

function verdictOfPhases(tenant: Claim, superClaim: Claim): Verdict {
  if (isBound(tenant) && !isBound(superClaim)) return 'SuperNotBound';
  if (!isBound(tenant) && isBound(superClaim)) return 'TenantNotBound';
  if (tenant.phase !== superClaim.phase) return 'PhaseMismatch';
  if (isBound(tenant) && tenant.volumeName !== superClaim.volumeName) return 'VolumeMismatch';
  return 'Consistent';
}
