/**
 * Two lists are never read at the same moment, so a claim that changed in between looks like a mismatch. Before
 * one is reported both claims are read again.
 */
import type { Claim, Pair } from '../reconcile/model.ts';
import { isMismatch, verdictOf } from '../reconcile/verdict.ts';
import type { ClaimReader, ClusterReader } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';

/** In a namespace with more mismatches than this, listing it again costs less than reading claim by claim. */
const MOST_SINGLE_READS = 24;
const READS_AT_ONCE = 8;

export interface Clusters {
  readonly tenant: ClusterReader;
  readonly super: ClusterReader;
}

/** The part of two clusters that confirming reads. */
type ClaimsOfBoth = Readonly<Record<keyof Clusters, ClaimReader>>;

/** The pairs as they are now; a mismatched pair of which nothing is left is dropped. */
export async function confirmMismatches(
  pairs: readonly Pair[],
  clusters: ClaimsOfBoth,
  signal: AbortSignal,
): Promise<Pair[]> {
  const suspects = pairs.filter((pair) => isMismatch(verdictOf(pair)));
  if (suspects.length === 0) return [...pairs];
  const again = new Map<Pair, Pair | null>();
  await mapConcurrently([...Map.groupBy(suspects, placeOf).values()], READS_AT_ONCE, async (group) => {
    const reread = group.length > MOST_SINGLE_READS ? await relistReader(group, clusters, signal) : clusters;
    await mapConcurrently(group, READS_AT_ONCE, async (pair) => {
      again.set(pair, await readAgain(pair, reread, signal));
    });
  });
  return pairs.flatMap((pair) => {
    const fresh = again.get(pair);
    if (fresh === undefined) return [pair];
    return fresh === null ? [] : [fresh];
  });
}

type ClaimReaders = Readonly<Record<keyof Clusters, Pick<ClusterReader, 'claim'>>>;

/** Both claims of a pair as they are now; null where the tenant claim is gone. @throws UserError */
export async function readAgain(
  pair: Pair,
  clusters: ClaimReaders,
  signal: AbortSignal,
): Promise<Pair | null> {
  const name = pair.tenant?.name ?? pair.super?.name ?? '';
  const [tenant, superClaim] = await Promise.all([
    clusters.tenant.claim(pair.owner.namespace, name, signal),
    clusters.super.claim(pair.superNamespace, name, signal),
  ]);
  return tenant === null ? null : { ...pair, tenant, super: superClaim };
}

/** Both namespaces of a group, listed anew and served from memory. */
async function relistReader(
  group: readonly Pair[],
  clusters: ClaimsOfBoth,
  signal: AbortSignal,
): Promise<ClaimReaders> {
  const [first] = group;
  if (first === undefined) return clusters;
  const [tenant, superClaims] = await Promise.all([
    clusters.tenant.claims(first.owner.namespace, signal),
    clusters.super.claims(first.superNamespace, signal),
  ]);
  return { tenant: fromMemory(tenant), super: fromMemory(superClaims) };
}

function fromMemory(claims: readonly Claim[]): Pick<ClusterReader, 'claim'> {
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  return { claim: (_namespace, name) => Promise.resolve(byName.get(name) ?? null) };
}

function placeOf(pair: Pair): string {
  return `${pair.owner.namespace}/${pair.superNamespace}`;
}
