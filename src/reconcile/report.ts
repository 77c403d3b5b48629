/**
 * The report that every output format prints: plain data, in the order and with the names that
 * docs/report.md publishes. A field that has no value is null, never absent.
 */
import type { Action, Cause, Verdict } from './model.ts';

export const REPORT_API_VERSION = 'vc-pvc.tenancy.x-k8s.io/v1alpha1';

export interface VirtualClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** One side of a pair as it is reported. */
export interface ReportedClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly phase: string;
  /** spec.volumeName, null where none. */
  readonly volumeName: string | null;
  /** status.phase of that volume; null where there is no such volume, or it was not read. */
  readonly volumePhase: string | null;
  /** RFC 3339 UTC; null where the object carries none. */
  readonly creationTimestamp: string | null;
}

export interface ReportItem {
  readonly virtualCluster: VirtualClusterName;
  /** null only for a SuperOrphan. */
  readonly tenant: ReportedClaim | null;
  readonly super: ReportedClaim | null;
  readonly verdict: Verdict;
  readonly cause: Cause | null;
  readonly action: Action | null;
  readonly settling: boolean;
}

export interface Skipped {
  readonly virtualCluster: VirtualClusterName;
  readonly reason: string;
}

export interface ReportError {
  /** null for a failure that belongs to no one VirtualCluster. */
  readonly virtualCluster: VirtualClusterName | null;
  readonly message: string;
}

export interface Summary {
  readonly virtualClusters: number;
  readonly claims: number;
  readonly consistent: number;
  /** Mismatches that count in the exit code: not the settling ones. */
  readonly mismatched: number;
  readonly held: number;
  readonly terminating: number;
  readonly settling: number;
}

export interface ClaimReport {
  readonly apiVersion: typeof REPORT_API_VERSION;
  readonly kind: 'ClaimReport';
  readonly items: readonly ReportItem[];
  readonly skipped: readonly Skipped[];
  readonly errors: readonly ReportError[];
  readonly summary: Summary;
}
