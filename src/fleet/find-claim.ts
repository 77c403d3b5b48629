/** From what a user typed to one claim of one VirtualCluster. */
import { UserError } from '../errors.ts';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Claim, VirtualCluster } from '../reconcile/model.ts';
import { Deadline } from './deadline.ts';
import type { Fleet, OpenTenant } from './each-tenant.ts';
import { mapConcurrently } from './concurrency.ts';
import { ambiguous, label, notFound } from './find-claim-errors.ts';
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
  if (owned !== null) {
    const tenant = await openTenant(owned.virtualCluster, fleet, options);
    return { ...owned, tenant, name: query.name };
  }
  return findInTenants(query, fleet, running, options);
}

async function findInTenants(
  query: ClaimQuery,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  options: FindOptions,
): Promise<FoundClaim> {
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
  const read = searched.filter((one) => one !== null);
  const found = read.filter(({ isThere }) => isThere);
  const [match] = found;
  if (found.length === 1 && match !== undefined) {
    await closeAll(read.filter((one) => one !== match));
    return { ...match, namespace: query.namespace, name: query.name };
  }
  try {
    if (found.length > 1) {
      throw ambiguous(
        query,
        found.map(({ virtualCluster }) => virtualCluster),
      );
    }
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

/** Whether the super cluster has the claim that belongs there. */
async function isOrphan(
  { namespace, name }: ClaimQuery,
  virtualCluster: VirtualCluster,
  fleet: Fleet,
  { signal }: FindOptions,
): Promise<boolean> {
  const place = superNamespaceName(clusterKey(virtualCluster), namespace);
  return (await fleet.super.object('PersistentVolumeClaim', place, name, signal)) !== null;
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
