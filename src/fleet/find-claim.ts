/** From what a user typed to one claim of one VirtualCluster. */
import { UserError } from '../errors.ts';
import { clusterKey } from '../reconcile/mapping.ts';
import type { Claim, VirtualCluster } from '../reconcile/model.ts';
import { Deadline } from './deadline.ts';
import type { Fleet, OpenTenant } from './each-tenant.ts';
import { mapConcurrently } from './concurrency.ts';
import { ambiguous, label, notFound } from './find-claim-errors.ts';
import type { Place } from './find-claim-errors.ts';
import { orphanOf } from './orphan.ts';
import { selectVirtualClusters } from './select.ts';
import { ownerOfSuperClaim } from './super-claim-owner.ts';

/** A claim as it was asked for. */
export interface ClaimQuery {
  /** NAME or NAMESPACE/NAME; null where any may have it. */
  readonly virtualCluster: string | null;
  /** Of the tenant; without a VirtualCluster it may be a super namespace as well. */
  readonly namespace: string;
  readonly name: string;
}

/** The place of a pair, and its tenant, which is open. */
export interface FoundClaim {
  readonly virtualCluster: VirtualCluster;
  readonly tenant: OpenTenant;
  /** Of the tenant. */
  readonly namespace: string;
  readonly name: string;
}

export interface FindOptions {
  readonly concurrency: number;
  /** Milliseconds for one tenant, 0 for no limit. */
  readonly tenantTimeout: number;
  readonly signal: AbortSignal;
  /** Told of each tenant that could not be searched. */
  readonly onUnsearched: (virtualCluster: VirtualCluster, why: string) => void;
}

/**
 * Finds the pair that a query means: by the tenant claim, by the super claim, or (where a VirtualCluster is named) by
 * a super claim that has lost its tenant claim.
 * @param visible the VirtualClusters that can be seen
 * @throws UserError where none or several have such a claim
 */
export async function findClaim(
  query: ClaimQuery,
  fleet: Fleet,
  visible: readonly VirtualCluster[],
  options: FindOptions,
): Promise<FoundClaim> {
  const { running, skipped } = selectVirtualClusters(
    visible,
    query.virtualCluster === null ? [] : [query.virtualCluster],
  );
  const [only] = skipped;
  if (query.virtualCluster !== null && only !== undefined) {
    throw new UserError(
      `VirtualCluster ${label(only.virtualCluster)} has nothing to explain: ${only.reason}`,
    );
  }
  const owned =
    query.virtualCluster === null
      ? await ownerOfSuperClaim(query, fleet.super, running, options.signal)
      : null;
  if (owned === null) return findInTenants(query, fleet, running, options);
  await refuseNamesakes(query, owned, fleet, running, options);
  const tenant = await openTenant(owned.virtualCluster, fleet, options);
  return { ...owned, tenant, name: query.name };
}

/** A tenant may have a namespace that is called as a super namespace is: the same words then mean two claims. */
async function refuseNamesakes(
  query: ClaimQuery,
  owned: Place,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  options: FindOptions,
): Promise<void> {
  const read = await searchAll(query, fleet, running, options);
  await closeAll(read);
  const namesakes = placesOf(query, read);
  if (namesakes.length > 0) throw ambiguous(query, [owned, ...namesakes]);
}

/** Every tenant that could be searched, open. */
async function searchAll(
  query: ClaimQuery,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  options: FindOptions,
): Promise<Searched[]> {
  const searched = await mapConcurrently(running, options.concurrency, async (virtualCluster) => {
    try {
      return await search(query, virtualCluster, fleet, options);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (query.virtualCluster !== null) throw new UserError(`${label(virtualCluster)}: ${error.message}`);
      options.onUnsearched(virtualCluster, error.message);
      return null;
    }
  });
  return searched.filter((one) => one !== null);
}

function placesOf({ namespace }: ClaimQuery, searched: readonly Searched[]): Place[] {
  return searched
    .filter(({ isThere }) => isThere)
    .map(({ virtualCluster }) => ({ virtualCluster, namespace }));
}

async function findInTenants(
  query: ClaimQuery,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  options: FindOptions,
): Promise<FoundClaim> {
  const read = await searchAll(query, fleet, running, options);
  const found = read.filter(({ isThere }) => isThere);
  const [match] = found;
  if (found.length === 1 && match !== undefined) {
    await closeAll(read.filter((one) => one !== match));
    return { ...match, namespace: query.namespace, name: query.name };
  }
  try {
    if (found.length > 1) throw ambiguous(query, placesOf(query, found));
    const lists = await mapConcurrently(read, options.concurrency, (one) => claimsOrNone(one, options));
    throw notFound(query, lists.flat(), { searched: read.length, of: running.length });
  } finally {
    await closeAll(read);
  }
}

/** For a hint only: a list that cannot be had is no further error. */
async function claimsOrNone({ tenant }: Searched, options: FindOptions): Promise<Claim[]> {
  try {
    return await within(options, (signal) => tenant.reader.claims(null, signal));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [];
  }
}

interface Searched {
  readonly virtualCluster: VirtualCluster;
  readonly tenant: OpenTenant;
  readonly isThere: boolean;
}

async function search(
  query: ClaimQuery,
  virtualCluster: VirtualCluster,
  fleet: Fleet,
  options: FindOptions,
): Promise<Searched> {
  const tenant = await openTenant(virtualCluster, fleet, options);
  try {
    const { namespace, name } = query;
    const isThere =
      (await within(options, (signal) => tenant.reader.claim(namespace, name, signal))) !== null ||
      (query.virtualCluster !== null && (await isOrphan(query, virtualCluster, fleet, options)));
    return { virtualCluster, tenant, isThere };
  } catch (error) {
    await tenant.close();
    throw error;
  }
}

/** Whether the super cluster has a claim of this tenant's by that name. */
async function isOrphan(
  { namespace, name }: ClaimQuery,
  virtualCluster: VirtualCluster,
  fleet: Fleet,
  { signal }: FindOptions,
): Promise<boolean> {
  const index = await fleet.superClaims([virtualCluster], signal);
  return orphanOf(clusterKey(virtualCluster), namespace, name, index) !== null;
}

function openTenant(virtualCluster: VirtualCluster, fleet: Fleet, options: FindOptions): Promise<OpenTenant> {
  return within(options, (signal) => fleet.tenant(virtualCluster, signal));
}

/** Within one tenant's time. */
async function within<T>(
  { tenantTimeout, signal }: FindOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(tenantTimeout, signal);
  try {
    return await deadline.bound(work(deadline.signal));
  } finally {
    deadline.clear();
  }
}

async function closeAll(searched: readonly Searched[]): Promise<void> {
  await Promise.all(searched.map(({ tenant }) => tenant.close()));
}
