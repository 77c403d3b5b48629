/** From what a user typed to one claim of one VirtualCluster. */
import { UserError, oneLine } from '../errors.ts';
import { claimFromJson, namespaceFromJson } from '../kube/objects/from-json.ts';
import { nearest } from '../nearest.ts';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Claim, Owner, VirtualCluster } from '../reconcile/model.ts';
import { Deadline } from './deadline.ts';
import type { Fleet, OpenTenant } from './each-tenant.ts';
import { mapConcurrently } from './concurrency.ts';
import { selectVirtualClusters } from './select.ts';

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
    query.virtualCluster === null ? await ownerOfSuperClaim(query, fleet, running, options) : null;
  if (owned !== null) {
    const tenant = await openTenant(owned.virtualCluster, fleet, options);
    return { ...owned, tenant, name: query.name };
  }
  return findInTenants(query, fleet, running, options);
}

interface Owned {
  readonly virtualCluster: VirtualCluster;
  readonly namespace: string;
}

/** @returns null where the super cluster has no such claim, or none that belongs to a tenant */
async function ownerOfSuperClaim(
  { namespace, name }: ClaimQuery,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  { signal }: FindOptions,
): Promise<Owned | null> {
  const found = await fleet.super.object('PersistentVolumeClaim', namespace, name, signal);
  if (found === null) return null;
  const owner = claimFromJson(found).owner ?? (await ownerOfNamespace(namespace, fleet, running, signal));
  if (owner === null) return null;
  const virtualCluster = running.find((one) => clusterKey(one) === owner.clusterKey);
  if (virtualCluster === undefined) {
    throw new UserError(
      `super claim ${namespace}/${name} belongs to a VirtualCluster with the key ${oneLine(owner.clusterKey)}, and no Running one of that key is visible here`,
    );
  }
  return { virtualCluster, namespace: owner.namespace };
}

/** By the marks of the namespace, else by its name. */
async function ownerOfNamespace(
  name: string,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  signal: AbortSignal,
): Promise<Owner | null> {
  const found = await fleet.super.object('Namespace', null, name, signal);
  const marked = found === null ? null : namespaceFromJson(found).owner;
  if (marked !== null) return marked;
  for (const key of running.map(clusterKey)) {
    const namespace = name.slice(key.length + 1);
    if (namespace !== '' && superNamespaceName(key, namespace) === name)
      return { clusterKey: key, namespace };
  }
  return null;
}

async function findInTenants(
  query: ClaimQuery,
  fleet: Fleet,
  running: readonly VirtualCluster[],
  options: FindOptions,
): Promise<FoundClaim> {
  const unsearched: string[] = [];
  const searched = await mapConcurrently(running, options.concurrency, async (virtualCluster) => {
    try {
      return await search(query, virtualCluster, fleet, options);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      unsearched.push(`${label(virtualCluster)}: ${error.message}`);
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
    throw found.length > 1 ? ambiguous(query, found) : await notFound(query, read, unsearched, options);
  } finally {
    await closeAll(read);
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

function ambiguous({ namespace, name }: ClaimQuery, found: readonly Searched[]): UserError {
  const places = found.map(({ virtualCluster }) => `${label(virtualCluster)}/${namespace}/${name}`);
  return new UserError(
    oneLine(
      `claim ${namespace}/${name} is in several VirtualClusters: ${listed(places)}; name it as one of these`,
    ),
  );
}

/** Told with the nearest name there is, and with the tenants that could not be searched. */
async function notFound(
  { virtualCluster, namespace, name }: ClaimQuery,
  read: readonly Searched[],
  unsearched: readonly string[],
  options: FindOptions,
): Promise<UserError> {
  const where =
    virtualCluster === null ? `any of ${read.length} VirtualClusters` : `VirtualCluster ${virtualCluster}`;
  if (read.length === 0 && unsearched.length === 0) {
    return new UserError(
      `claim ${oneLine(`${namespace}/${name}`)} not found: no Running VirtualCluster is visible here`,
    );
  }
  const lists = await mapConcurrently(read, options.concurrency, ({ tenant }) =>
    claimsOrNone(tenant, options),
  );
  const known = [...new Set(lists.flat().map((claim) => `${claim.namespace}/${claim.name}`))];
  const hint = nearest(`${namespace}/${name}`, known) || nearestName(name, namespace, known);
  const blind = unsearched.length === 0 ? '' : ` (not searched: ${unsearched.join('; ')})`;
  return new UserError(oneLine(`claim ${namespace}/${name} not found in ${where}${hint}${blind}`));
}

/** The name may be right and the namespace wrong altogether. */
function nearestName(name: string, namespace: string, known: readonly string[]): string {
  const same = known.filter((place) => place.endsWith(`/${name}`));
  if (same.length > 0) return `; there is ${listed(same)}`;
  const inNamespace = known.filter((place) => place.startsWith(`${namespace}/`));
  return inNamespace.length === 0 ? '' : `; there is ${listed(inNamespace)}`;
}

/** For a hint only: a list that cannot be had is no further error. */
async function claimsOrNone({ reader }: OpenTenant, options: FindOptions): Promise<Claim[]> {
  try {
    return await within(options, (signal) => reader.claims(null, signal));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [];
  }
}

function label({ namespace, name }: Pick<VirtualCluster, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function listed(places: readonly string[]): string {
  return places.length > 8
    ? `${places.slice(0, 8).join(', ')} and ${places.length - 8} more`
    : places.join(', ');
}
