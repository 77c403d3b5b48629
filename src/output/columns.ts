/** The columns of the claim table: what each shows of an item. */
import type { Verdict } from '../reconcile/model.ts';
import type { ReportItem, ReportedClaim } from '../reconcile/report.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import { humanDuration } from './age.ts';
import type { Column } from './table.ts';

/**
 * On a narrow terminal the age goes first, then what only `wide` adds, and far below 80 columns the phases, which the
 * verdict implies; the names, the verdict and the cause are what a reader came for.
 * @param now milliseconds since the epoch, against which ages are told; asked for each row
 */
export function claimColumns(wide: boolean, now: () => number): Column<ReportItem>[] {
  return [...CLAIM_COLUMNS, ageColumn(now), ...(wide ? WIDE_COLUMNS : [])];
}

const NONE = '<none>';

const CLAIM_COLUMNS: readonly Column<ReportItem>[] = [
  {
    header: 'VIRTUALCLUSTER',
    cell: ({ virtualCluster: { namespace, name } }) => `${namespace}/${name}`,
    shorten: 'middle',
  },
  { header: 'NAMESPACE', cell: (item) => claimOf(item)?.namespace ?? NONE, shorten: 'middle' },
  { header: 'CLAIM', cell: (item) => claimOf(item)?.name ?? NONE, shorten: 'middle' },
  { header: 'TENANT', cell: (item) => item.tenant?.phase ?? NONE, leaveOut: 6 },
  { header: 'SUPER', cell: (item) => item.super?.phase ?? NONE, leaveOut: 6 },
  {
    header: 'VERDICT',
    cell: verdictCell,
    color: ({ verdict, settling }) => verdictColor(verdict, settling),
  },
  { header: 'CAUSE', cell: (item) => item.cause?.code ?? NONE, shorten: 'end' },
];

const WIDE_COLUMNS: readonly Column<ReportItem>[] = [
  {
    header: 'TENANT VOLUME',
    cell: ({ tenant }) => tenant?.volumeName ?? NONE,
    shorten: 'middle',
    leaveOut: 5,
  },
  { header: 'PHASE', cell: ({ tenant }) => tenant?.volumePhase ?? NONE, leaveOut: 4 },
  { header: 'SUPER VOLUME', cell: (item) => item.super?.volumeName ?? NONE, shorten: 'middle', leaveOut: 5 },
  { header: 'PHASE', cell: (item) => item.super?.volumePhase ?? NONE, leaveOut: 4 },
  {
    header: 'SUPER NAMESPACE',
    cell: (item) => item.super?.namespace ?? NONE,
    shorten: 'middle',
    leaveOut: 2,
  },
  { header: 'ACTION', cell: (item) => item.action ?? NONE, leaveOut: 3 },
];

function ageColumn(now: () => number): Column<ReportItem> {
  return { header: 'AGE', cell: (item) => age(item, now()), leaveOut: 1 };
}

/** A SuperOrphan has no tenant claim: its super claim is shown in its place. */
function claimOf(item: ReportItem): ReportedClaim | null {
  return item.tenant ?? item.super;
}

function verdictCell({ verdict, settling }: ReportItem): string {
  return settling ? `${verdict} (settling)` : verdict;
}

function verdictColor(verdict: Verdict, settling: boolean): 'red' | 'yellow' | 'green' | null {
  if (isMismatch(verdict)) return settling ? 'yellow' : 'red';
  if (verdict === 'Held' || verdict === 'SuperOrphan') return 'yellow';
  return verdict === 'Consistent' ? 'green' : null;
}

function age(item: ReportItem, now: number): string {
  const created = claimOf(item)?.creationTimestamp ?? null;
  return created === null ? '<unknown>' : humanDuration(now - Date.parse(created));
}
