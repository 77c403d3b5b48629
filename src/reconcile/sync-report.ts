/** What `sync` reports: plain data, in the order and with the names that docs/report.md publishes. */
import type { Action, Cause, Verdict } from './model.ts';
import { compareNames, compareText } from './order.ts';
import { REPORT_API_VERSION } from './report.ts';
import type { ReportError, Skipped, VirtualClusterName } from './report.ts';

/**
 * What became of one claim.
 * - Held: the phase of the super claim is shown, and the admission policy keeps it
 * - Written: it was written and not undone while it was watched, but nothing keeps it
 * - Reverted: it was written and undone
 * - Released: Bound again, condition removed
 * - Refused: not written, by our own rule or because the API server would not have it
 * - Failed: it could not be written, or whether it was is not known: an error
 * - Unchanged: nothing was to be done any more when its turn came
 * - Planned: a dry run by the client; Accepted: a dry run by the server, which would have taken it
 */
export type Outcome =
  | 'Held'
  | 'Written'
  | 'Reverted'
  | 'Released'
  | 'Refused'
  | 'Failed'
  | 'Unchanged'
  | 'Planned'
  | 'Accepted';

/** A request to the tenant's API server, as it was or would be sent. */
export interface SentPatch {
  readonly method: 'PATCH';
  readonly path: string;
  readonly contentType: string;
  readonly body: object;
}

/** One claim's row. */
export interface SyncItem {
  readonly virtualCluster: VirtualClusterName;
  readonly tenant: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** null where there is none, and where it was not asked for (release-all). */
  readonly super: { readonly namespace: string; readonly name: string; readonly phase: string } | null;
  /** null where the super cluster was not asked (release-all). */
  readonly verdict: Verdict | null;
  readonly cause: Cause | null;
  readonly action: Action | null;
  /** The tenant claim's phase before and, as last seen, after. */
  readonly was: string;
  readonly is: string;
  readonly outcome: Outcome;
  /** Why, in one sentence. */
  readonly message: string;
  /** null where nothing was to be sent. */
  readonly patch: SentPatch | null;
}

/**
 * The admission policy in one tenant.
 * - Effective: there, ours and in effect
 * - Removed: taken away, since no claim needs it any more
 * - Planned: a dry run would install, renew or remove it
 * - Outdated: ours, but not as this version installs it
 * - Unsupported: the tenant's API server does not serve the API; Foreign: another's object has its name
 */
type HoldState = 'Effective' | 'Removed' | 'Planned' | 'Outdated' | 'Unsupported' | 'Foreign';

export interface HoldReport {
  readonly virtualCluster: VirtualClusterName;
  readonly state: HoldState;
  /** What stands in the way; "" where nothing does. */
  readonly message: string;
  /** The objects that a dry run would create or delete; empty otherwise. */
  readonly objects: readonly object[];
}

/** What one tenant's sync gave. */
export interface TenantSync {
  readonly items: readonly SyncItem[];
  /** null where no policy is there and none was called for. */
  readonly hold: HoldReport | null;
  readonly errors: readonly string[];
  /** Claims that were looked at, mismatches that are not for sync to mend, and those that are too young. */
  readonly claims: number;
  readonly otherMismatches: number;
  readonly settling: number;
}

interface SyncSummary {
  readonly virtualClusters: number;
  readonly claims: number;
  readonly held: number;
  readonly written: number;
  readonly reverted: number;
  readonly released: number;
  readonly refused: number;
  readonly failed: number;
  readonly unchanged: number;
  /** Planned or accepted in a dry run. */
  readonly planned: number;
  readonly otherMismatches: number;
  readonly settling: number;
}

export interface SyncReport {
  readonly apiVersion: typeof REPORT_API_VERSION;
  readonly kind: 'SyncReport';
  readonly dryRun: DryRun;
  readonly items: readonly SyncItem[];
  readonly holds: readonly HoldReport[];
  readonly skipped: readonly Skipped[];
  readonly errors: readonly ReportError[];
  readonly summary: SyncSummary;
}

/** As kubectl's --dry-run. */
export type DryRun = 'none' | 'client' | 'server';

/** Builds the report: items ordered by VirtualCluster, tenant namespace and name. */
export function buildSyncReport(
  dryRun: DryRun,
  tenants: readonly TenantSync[],
  skipped: readonly Skipped[],
  errors: readonly ReportError[],
): SyncReport {
  const items = tenants.flatMap((tenant) => tenant.items).sort(compareItems);
  const count = (...outcomes: readonly Outcome[]): number =>
    items.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const sum = (of: (tenant: TenantSync) => number): number =>
    tenants.reduce((total, tenant) => total + of(tenant), 0);
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'SyncReport',
    dryRun,
    items,
    holds: tenants
      .flatMap(({ hold }) => (hold === null ? [] : [hold]))
      .sort((a, b) => compareNames(a.virtualCluster, b.virtualCluster)),
    skipped: skipped.toSorted((a, b) => compareNames(a.virtualCluster, b.virtualCluster)),
    errors: errors.toSorted((a, b) => compareNames(a.virtualCluster, b.virtualCluster)),
    summary: {
      virtualClusters: tenants.length,
      claims: sum(({ claims }) => claims),
      held: count('Held'),
      written: count('Written'),
      reverted: count('Reverted'),
      released: count('Released'),
      refused: count('Refused'),
      failed: count('Failed'),
      unchanged: count('Unchanged'),
      planned: count('Planned', 'Accepted'),
      otherMismatches: sum(({ otherMismatches }) => otherMismatches),
      settling: sum(({ settling }) => settling),
    },
  };
}

/**
 * 0 all done or nothing to do, 1 something could not be made to stay or was refused, 2 an error.
 * @param holdRequested --hold: then what nothing keeps has not been made to stay either
 */
export function syncExitCode({ errors, summary }: SyncReport, holdRequested: boolean): 0 | 1 | 2 {
  if (errors.length > 0 || summary.failed > 0) return 2;
  const failed = summary.reverted + summary.refused + (holdRequested ? summary.written : 0);
  return failed > 0 ? 1 : 0;
}

function compareItems(a: SyncItem, b: SyncItem): number {
  return (
    compareNames(a.virtualCluster, b.virtualCluster) ||
    compareText(a.tenant.namespace, b.tenant.namespace) ||
    compareText(a.tenant.name, b.tenant.name)
  );
}
