/** What sync did, in any of the formats. */
import { oneLine } from '../errors.ts';
import type { SyncItem, SyncReport } from '../reconcile/sync-report.ts';
import { printItems } from './print-items.ts';
import type { PrintOptions } from './print-items.ts';
import { count, nameOf, troubleLines } from './summary.ts';
import type { Column } from './table.ts';

/** The text for stdout; "" where there is nothing to show. @throws UserError for an expression that cannot be read. */
export function printSyncReport(report: SyncReport, options: PrintOptions): string {
  return printItems(report, options, (wide) => [...COLUMNS, ...(wide ? WIDE : []), WHY]);
}

const NONE = '<none>';

const COLUMNS: readonly Column<SyncItem>[] = [
  { header: 'VIRTUALCLUSTER', cell: ({ virtualCluster }) => nameOf(virtualCluster), shorten: 'middle' },
  { header: 'NAMESPACE', cell: ({ tenant }) => tenant.namespace, shorten: 'middle' },
  { header: 'CLAIM', cell: ({ tenant }) => tenant.name, shorten: 'middle' },
  { header: 'WAS', cell: ({ was }) => was },
  { header: 'IS', cell: ({ is }) => is || NONE },
  { header: 'RESULT', cell: ({ outcome }) => outcome, color: ({ outcome }) => OUTCOME_COLORS[outcome] },
];

const WIDE: readonly Column<SyncItem>[] = [
  { header: 'ACTION', cell: ({ action }) => action ?? NONE, leaveOut: 2 },
  { header: 'CAUSE', cell: ({ cause }) => cause?.code ?? NONE, leaveOut: 2 },
  {
    header: 'SUPER CLAIM',
    cell: (item) => (item.super === null ? NONE : `${item.super.namespace}/${item.super.name}`),
    shorten: 'middle',
    leaveOut: 1,
  },
];

const WHY: Column<SyncItem> = { header: 'WHY', cell: ({ message }) => message, shorten: 'end' };

/** How an outcome is painted; null: not at all. */
export const OUTCOME_COLORS = {
  Held: 'green',
  Released: 'green',
  Written: 'yellow',
  Reverted: 'red',
  Refused: 'red',
  Failed: 'red',
  Unchanged: null,
  Planned: null,
  Accepted: null,
} as const;

/** Lines without newlines, for stderr: errors, skipped VirtualClusters and the tenants' policies first, the sum last. */
export function syncSummaryLines(report: SyncReport): string[] {
  const lines = troubleLines(report);
  for (const { virtualCluster, state, message } of report.holds) {
    const told = HOLDS[state];
    if (told !== null) lines.push(oneLine(`${nameOf(virtualCluster)}: ${message || told}`));
  }
  lines.push(sumLine(report));
  return lines;
}

const HOLDS = {
  Effective: null,
  Removed: 'policy vc-pvc-hold removed: no claim needs it',
  Planned: 'policy vc-pvc-hold would be installed, or brought up to date',
  Outdated: '',
  Unsupported: '',
  Foreign: '',
} as const;

/** What whoever reads only the last line should know. */
const WHAT_HELPS: Readonly<Record<string, string>> = {
  reverted: " by the tenants' PV controllers (see --hold)",
};

function sumLine({ summary, skipped, errors, dryRun }: SyncReport): string {
  if (summary.virtualClusters === 0) {
    if (errors.length > 0) return 'No VirtualCluster could be synced.';
    if (skipped.length > 0) return 'No resources found: no VirtualCluster is Running.';
    return 'No resources found: no VirtualCluster is visible here.';
  }
  const parts = [
    ...(['held', 'written', 'reverted', 'released', 'refused', 'failed', 'unchanged'] as const)
      .filter((outcome) => summary[outcome] > 0)
      .map((outcome) => `${summary[outcome]} ${outcome}${WHAT_HELPS[outcome] ?? ''}`),
    ...(summary.planned > 0 ? [`${summary.planned} would be written`] : []),
  ];
  const where = `${count(summary.claims, 'claim')} of ${count(summary.virtualClusters, 'VirtualCluster')}`;
  const done = parts.length === 0 ? 'nothing to do' : parts.join(', ');
  const left = [
    ...(summary.otherMismatches > 0
      ? [`${count(summary.otherMismatches, 'other mismatch', 'other mismatches')} (see check): not for sync`]
      : []),
    ...(summary.settling > 0 ? [`${summary.settling} settling (left to the syncer)`] : []),
    ...(errors.length > 0 ? [count(errors.length, 'error')] : []),
    ...(dryRun === 'none' ? [] : [`dry run (${dryRun}): nothing was written`]),
  ];
  return `${[`${where}: ${done}`, ...left].join('; ')}.`;
}
