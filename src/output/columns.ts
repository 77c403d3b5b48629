/** The columns of the claim table: what each shows of an item. */
import type { Verdict } from '../reconcile/model.ts';
import type { ReportItem } from '../reconcile/report.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import { humanDuration } from './age.ts';
import type { Column } from './table.ts';

/** @param now milliseconds since the epoch, against which ages are told */
export function claimColumns(wide: boolean, now: number): Column<ReportItem>[] {
  const columns: Column<ReportItem>[] = [
    {
      header: 'VIRTUALCLUSTER',
      cell: ({ virtualCluster: { namespace, name } }) => `${namespace}/${name}`,
      shrink: true,
    },
    { header: 'NAMESPACE', cell: (item) => (item.tenant ?? item.super)?.namespace ?? '', shrink: true },
    { header: 'CLAIM', cell: (item) => (item.tenant ?? item.super)?.name ?? '', shrink: true },
    { header: 'TENANT', cell: (item) => item.tenant?.phase ?? NONE },
    { header: 'SUPER', cell: (item) => item.super?.phase ?? NONE },
    {
      header: 'VERDICT',
      cell: verdictCell,
      color: ({ verdict, settling }) => verdictColor(verdict, settling),
    },
    { header: 'CAUSE', cell: (item) => item.cause?.code ?? NONE },
  ];
  if (wide) {
    columns.push(
      { header: 'ACTION', cell: (item) => item.action ?? NONE },
      { header: 'TENANT VOLUME', cell: (item) => item.tenant?.volumeName ?? NONE, shrink: true },
      { header: 'PHASE', cell: (item) => item.tenant?.volumePhase ?? NONE },
      { header: 'SUPER VOLUME', cell: (item) => item.super?.volumeName ?? NONE, shrink: true },
      { header: 'PHASE', cell: (item) => item.super?.volumePhase ?? NONE },
      { header: 'SUPER NAMESPACE', cell: (item) => item.super?.namespace ?? NONE, shrink: true },
    );
  }
  return [...columns, { header: 'AGE', cell: (item) => age(item, now) }];
}

const NONE = '<none>';

function verdictCell({ verdict, settling }: ReportItem): string {
  return settling ? `${verdict} (settling)` : verdict;
}

function verdictColor(verdict: Verdict, settling: boolean): 'red' | 'yellow' | 'green' | null {
  if (isMismatch(verdict)) return settling ? 'yellow' : 'red';
  if (verdict === 'Held' || verdict === 'SuperOrphan') return 'yellow';
  return verdict === 'Consistent' ? 'green' : null;
}

function age(item: ReportItem, now: number): string {
  const created = (item.tenant ?? item.super)?.creationTimestamp ?? null;
  return created === null ? '<unknown>' : humanDuration(now - Date.parse(created));
}
