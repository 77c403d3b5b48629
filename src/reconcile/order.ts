/** The order of reports. */
import type { VirtualClusterName } from './report.ts';

/** Byte order, as Kubernetes sorts names: a locale must not change a report. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** By namespace, then name; what belongs to no VirtualCluster first. */
export function compareNames(a: VirtualClusterName | null, b: VirtualClusterName | null): number {
  return compareText(a?.namespace ?? '', b?.namespace ?? '') || compareText(a?.name ?? '', b?.name ?? '');
}
