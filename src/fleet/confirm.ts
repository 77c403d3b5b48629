/**
 * Two lists are never read at the same moment, so a claim that changed in between looks like a mismatch. Before
 * one is reported both claims are read again.
 */
import type { Claim, Pair } from '../reconcile/model.ts';
import { isMismatch, verdictOf } from '../reconcile/verdict.ts';
import type { ClaimReader, ClusterReader } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';

/** So few mismatches of a namespace are read claim by claim in any case: that is over within a few round trips. */
const MOST_SINGLE_READS = 24;
/**
 * Reading one claim costs an API server and us as much as so many claims of a list do (half a millisecond against some
 * twenty microseconds): a namespace with more than every so-many-th claim mismatched is listed again instead.
 */
const CLAIMS_PER_READ = 25;
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
  const sizes = sizesOf(pairs);
  const again = new Map<Pair, Pair | null>();
  await mapConcurrently([...Map.groupBy(suspects, placeOf).values()], READS_AT_ONCE, async (group) => {
    const reread = isListedAgain(group, sizes) ? await relistReader(group, clusters, signal) : clusters;
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

/** Claims of each tenant namespace. */
function sizesOf(pairs: readonly Pair[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { owner } of pairs) sizes.set(owner.namespace, (sizes.get(owner.namespace) ?? 0) + 1);
  return sizes;
}

/** Whether to list a group's namespace costs less than to read its claims one by one. */
function isListedAgain(group: readonly Pair[], sizes: ReadonlyMap<string, number>): boolean {
  const claims = sizes.get(group[0]?.owner.namespace ?? '') ?? 0;
  return group.length > MOST_SINGLE_READS && group.length * CLAIMS_PER_READ > claims;
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
