/** What goes to stderr beside a report. */
import { oneLine } from '../errors.ts';
import type { ClaimReport, VirtualClusterName } from '../reconcile/report.ts';

/** Lines without newlines: errors and skipped VirtualClusters first, the sum last. */
export function summaryLines(report: ClaimReport): string[] {
  return [...troubleLines(report), sumLine(report)];
}

/** What could not be read or written, and what was left out. */
export function troubleLines({ errors, skipped }: Pick<ClaimReport, 'errors' | 'skipped'>): string[] {
  return [
    ...errors.map(({ virtualCluster, message }) =>
      oneLine(virtualCluster === null ? `error: ${message}` : `error: ${nameOf(virtualCluster)}: ${message}`),
    ),
    ...skipped.map(({ virtualCluster, reason }) => oneLine(`skipped ${nameOf(virtualCluster)}: ${reason}`)),
  ];
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

/** A number with its noun. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** NAMESPACE/NAME. */
export function nameOf(virtualCluster: VirtualClusterName): string {
  return `${virtualCluster.namespace}/${virtualCluster.name}`;
}
