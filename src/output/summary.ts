/** What goes to stderr beside a report. */
import { oneLine } from '../errors.ts';
import type { ClaimReport, VirtualClusterName } from '../reconcile/report.ts';

/** Lines without newlines: errors and skipped VirtualClusters first, the sum last. */
export function summaryLines(report: ClaimReport): string[] {
  return [...troubleLines(report), sumLine(report)];
}

/** What could not be read, and what was left out. */
export function troubleLines(report: Pick<ClaimReport, 'errors' | 'skipped'>): string[] {
  const lines = report.errors.map(({ virtualCluster, message }) =>
    oneLine(virtualCluster === null ? `error: ${message}` : `error: ${name(virtualCluster)}: ${message}`),
  );
  for (const { virtualCluster, reason } of report.skipped) {
    lines.push(oneLine(`skipped ${name(virtualCluster)}: ${reason}`));
  }
  return lines;
}

function sumLine({ summary, items, skipped, errors }: ClaimReport): string {
  if (summary.virtualClusters === 0) {
    if (errors.length > 0) return 'No VirtualCluster could be compared.';
    if (skipped.length > 0) return 'No resources found: no VirtualCluster is Running.';
    return 'No resources found: no VirtualCluster is visible here.';
  }
  const where = `${count(summary.claims, 'claim')} of ${count(summary.virtualClusters, 'VirtualCluster')}`;
  if (summary.claims === 0 && items.length === 0) return `No resources found: ${where}.`;
  const parts = [
    count(summary.mismatched, 'mismatch', 'mismatches'),
    `${summary.consistent} consistent`,
    ...(summary.held > 0 ? [`${summary.held} held`] : []),
    ...(summary.terminating > 0 ? [`${summary.terminating} terminating`] : []),
    ...(summary.settling > 0 ? [`${summary.settling} settling (not counted)`] : []),
    ...(errors.length > 0 ? [count(errors.length, 'error')] : []),
  ];
  return `${where}: ${parts.join(', ')}.`;
}

/** "1 claim", "2 claims". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function name(virtualCluster: VirtualClusterName): string {
  return `${virtualCluster.namespace}/${virtualCluster.name}`;
}
