/** The names of claims as `explain` takes them: pure. */
import type { Candidate } from './candidates.ts';

export interface TenantClaim {
  /** NAMESPACE/NAME. */
  readonly virtualCluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
}

/** Whether what was typed can still become a claim of this VirtualCluster. @param label NAMESPACE/NAME */
export function mayMean(typed: string, label: string): boolean {
  // NAMESPACE/CLAIM may be of any; a third part means that the first two name the VirtualCluster.
  return typed.split('/').length <= 2 || typed.startsWith(`${label}/`);
}

/**
 * NAMESPACE/CLAIM and VIRTUALCLUSTER/NAMESPACE/CLAIM up to the next "/" behind what was typed, as a shell completes
 * paths: all names of a fleet at once are too many.
 */
export function claimCandidates(typed: string, claims: readonly TenantClaim[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { virtualCluster, namespace, name, phase } of claims) {
    for (const [whole, where] of [
      [`${namespace}/${name}`, `${virtualCluster}: `],
      [`${virtualCluster}/${namespace}/${name}`, ''],
    ] as const) {
      if (!whole.startsWith(typed)) continue;
      const slash = whole.indexOf('/', typed.length);
      const value = slash < 0 ? whole : whole.slice(0, slash + 1);
      found.set(value, { value, description: slash < 0 ? `${where}${phase}` : '' });
    }
  }
  return [...found.values()];
}

/** pvc/CLAIM of a namespace that -n names. */
export function claimsByKind(kind: string, namespace: string, claims: readonly TenantClaim[]): Candidate[] {
  return claims
    .filter((claim) => claim.namespace === namespace)
    .map(({ virtualCluster, name, phase }) => ({
      value: `${kind}/${name}`,
      description: `${virtualCluster}: ${phase}`,
    }));
}
