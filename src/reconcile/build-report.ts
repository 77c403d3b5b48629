/** From judgements to the report, in its published order. */
import type { Claim, Evidence } from './model.ts';
import type { EvidenceOfBoth } from './cause.ts';
import { isSettling } from './judge.ts';
import type { Judgement } from './judge.ts';
import { compareNames, compareText } from './order.ts';
import { REPORT_API_VERSION } from './report.ts';
import type {
  ClaimReport,
  ReportError,
  ReportItem,
  ReportedClaim,
  Skipped,
  Summary,
  VirtualClusterName,
} from './report.ts';

/** What became of one VirtualCluster that could be read. */
export interface TenantResult {
  readonly virtualCluster: VirtualClusterName;
  /** All tenant claims that were compared, those left out of `judgements` included. */
  readonly claims: number;
  /** Consistent ones may be left out: `claims` counts them. */
  readonly judgements: readonly Judgement[];
  /** The volumes that the judged claims name. */
  readonly evidence: EvidenceOfBoth;
}

export interface ReportOptions {
  /** Consistent items too. */
  readonly all: boolean;
  /** Milliseconds since the epoch and milliseconds; null for a snapshot, which knows no settling. */
  readonly settling: { readonly now: number; readonly grace: number } | null;
}

/** Builds the report: items ordered by VirtualCluster, tenant namespace and name. */
export function buildReport(
  tenants: readonly TenantResult[],
  skipped: readonly Skipped[],
  errors: readonly ReportError[],
  options: ReportOptions,
): ClaimReport {
  const counts = { consistent: 0, mismatched: 0, held: 0, terminating: 0, settling: 0 };
  const items: ReportItem[] = [];
  for (const tenant of tenants) {
    let compared = 0;
    for (const judgement of tenant.judgements) {
      const settling =
        judgement.mismatch &&
        options.settling !== null &&
        isSettling(judgement.pair, options.settling.now, options.settling.grace);
      if (judgement.pair.tenant !== null) {
        compared += 1;
        counts[countedAs(judgement, settling)] += 1;
      }
      if (options.all || judgement.verdict !== 'Consistent') {
        items.push(reportItem(tenant.virtualCluster, judgement, tenant.evidence, settling));
      }
    }
    counts.consistent += tenant.claims - compared;
  }
  const summary: Summary = {
    virtualClusters: tenants.length,
    claims: tenants.reduce((sum, tenant) => sum + tenant.claims, 0),
    ...counts,
  };
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'ClaimReport',
    items: items.sort(compareItems),
    skipped: skipped.toSorted((a, b) => compareNames(a.virtualCluster, b.virtualCluster)),
    errors: errors.toSorted((a, b) => compareNames(a.virtualCluster, b.virtualCluster)),
    summary,
  };
}

function countedAs(
  judgement: Judgement,
  settling: boolean,
): 'consistent' | 'mismatched' | 'held' | 'terminating' | 'settling' {
  if (judgement.mismatch) return settling ? 'settling' : 'mismatched';
  if (judgement.verdict === 'Held') return 'held';
  return judgement.verdict === 'Terminating' ? 'terminating' : 'consistent';
}

/** One judged pair as it is reported. @param settling too young to count: then no action is announced */
export function reportItem(
  virtualCluster: VirtualClusterName,
  { pair, verdict, cause, plan }: Judgement,
  evidence: EvidenceOfBoth,
  settling: boolean,
): ReportItem {
  return {
    virtualCluster: { namespace: virtualCluster.namespace, name: virtualCluster.name },
    tenant:
      pair.tenant === null ? null : reportedClaim(pair.tenant, volumePhase(pair.tenant, evidence.tenant)),
    super: pair.super === null ? null : reportedClaim(pair.super, volumePhase(pair.super, evidence.super)),
    verdict,
    cause,
    // A settling claim is not written to, so nothing is announced for it.
    action: settling ? null : (plan?.action ?? null),
    settling,
  };
}

function volumePhase(claim: Claim, evidence: Evidence): string | null {
  return evidence.volumes?.byName.get(claim.volumeName)?.phase ?? null;
}

/** One side as it is reported. @param volumePhase of the volume that it names, null where that is not known */
export function reportedClaim(claim: Claim, volumePhase: string | null): ReportedClaim {
  return {
    namespace: claim.namespace,
    name: claim.name,
    uid: claim.uid,
    phase: claim.phase,
    volumeName: claim.volumeName === '' ? null : claim.volumeName,
    volumePhase,
    creationTimestamp: claim.creationTimestamp === 0 ? null : rfc3339(claim.creationTimestamp),
  };
}

function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** The published order: by VirtualCluster, tenant namespace and name. */
export function compareItems(a: ReportItem, b: ReportItem): number {
  return (
    compareNames(a.virtualCluster, b.virtualCluster) ||
    compareText(
      a.tenant?.namespace ?? a.super?.namespace ?? '',
      b.tenant?.namespace ?? b.super?.namespace ?? '',
    ) ||
    compareText(a.tenant?.name ?? a.super?.name ?? '', b.tenant?.name ?? b.super?.name ?? '')
  );
}
