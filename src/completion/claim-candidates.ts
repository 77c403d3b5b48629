/** The names of claims as `explain` takes them, sorted: the tenants that told them answer in any order. Pure. */
import { compareText } from '../reconcile/order.ts';
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
  return distinct(
    claims
      .flatMap(({ virtualCluster, namespace, name, phase }) => [
        { value: `${namespace}/${name}`, description: `${virtualCluster}: ${phase}` },
        { value: `${virtualCluster}/${namespace}/${name}`, description: phase },
      ])
      .filter(({ value }) => value.startsWith(typed))
      .map((whole) => {
        const slash = whole.value.indexOf('/', typed.length);
        return slash < 0 ? whole : { value: whole.value.slice(0, slash + 1), description: '' };
      }),
  );
}

/** pvc/CLAIM of a namespace that -n names. */
export function claimsByKind(kind: string, namespace: string, claims: readonly TenantClaim[]): Candidate[] {
  return distinct(
    claims
      .filter((claim) => claim.namespace === namespace)
      .map(({ virtualCluster, name, phase }) => ({
        value: `${kind}/${name}`,
        description: `${virtualCluster}: ${phase}`,
      })),
  );
}

/** Each value once, sorted. What several VirtualClusters call the same is no claim yet, and says so. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...Map.groupBy(candidates, ({ value }) => value)]
    .map(([value, [first, ...others]]) => ({
      value,
      description:
        others.length > 0 && first?.description !== ''
          ? `${others.length + 1} VirtualClusters have it`
          : (first?.description ?? ''),
    }))
    .toSorted((a, b) => compareText(a.value, b.value));
}
