/** Takes everything of ours out of a tenant: its PV controller decides alone again. The super cluster is not asked. */
import { UserError, oneLine } from '../errors.ts';
import { mapConcurrently } from '../fleet/concurrency.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import { releaseOf } from '../reconcile/plan.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { DryRun, SyncItem, TenantSync } from '../reconcile/sync-report.ts';
import { removeEventsOf } from './events.ts';
import { HOLD_ROLE, ownObjects, readHold, removeHold } from './hold.ts';
import { TenantApi, isLackOfPermission, patchOf, withRole } from './tenant-api.ts';

export interface ReleaseOptions {
  readonly dryRun: DryRun;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const SYNC_ROLE = 'vc-pvc-tenant-sync';
const WRITES_AT_ONCE = 8;
const MOST_ATTEMPTS = 8;

/** What a row says besides the claim. */
type End = Pick<SyncItem, 'outcome' | 'message' | 'is' | 'patch'>;

/**
 * Releases every held claim, then removes the policy and our Events. Where a claim could not be released the policy
 * stays, since the claim would go on saying that it is held.
 * @throws UserError where the tenant cannot be read or written to.
 */
export async function releaseTenant(
  { namespace, name }: VirtualClusterName,
  tenant: OpenTenant,
  options: ReleaseOptions,
): Promise<TenantSync> {
  if (tenant.api === null) throw new UserError('a recording cannot be released');
  const virtualCluster = { namespace, name };
  const api = new TenantApi(tenant.api, options.dryRun === 'server');
  const claims = await tenant.reader.claims(null, options.signal);
  const release = async (claim: Claim): Promise<SyncItem> => {
    const end =
      options.dryRun === 'client'
        ? planned(claim, options.now())
        : await releaseClaim(claim, api, tenant, options);
    return rowOf(virtualCluster, claim, end);
  };
  try {
    const held = claims.filter((claim) => claim.held);
    const items = await mapConcurrently(held, WRITES_AT_ONCE, release);
    const done = items.every(({ outcome }) => outcome !== 'Refused') && !options.signal.aborted;
    const hold = done ? await removeRest(api, options.dryRun) : null;
    return {
      items,
      hold: hold === null ? null : { virtualCluster, ...hold },
      errors: [],
      claims: claims.length,
      otherMismatches: 0,
      settling: 0,
    };
  } catch (error) {
    throw error instanceof UserError ? withRole(error, SYNC_ROLE) : error;
  }
}

async function removeRest(
  api: TenantApi,
  dryRun: DryRun,
): Promise<Omit<NonNullable<TenantSync['hold']>, 'virtualCluster'> | null> {
  try {
    const hold = await readHold(api);
    const objects = ownObjects(hold);
    if (dryRun !== 'client') {
      await removeHold(api, hold);
      await removeEventsOf(api);
    }
    if (objects.length === 0) return null;
    return dryRun === 'none'
      ? { state: 'Removed', message: '', objects: [] }
      : { state: 'Planned', message: 'would be removed', objects };
  } catch (error) {
    throw error instanceof UserError ? withRole(error, HOLD_ROLE) : error;
  }
}

function planned(claim: Claim, now: number): End {
  const patch = patchOf(releaseOf(claim), now);
  return {
    outcome: 'Planned',
    message: 'would be released',
    is: patch === null ? claim.phase : 'Bound',
    patch,
  };
}

async function releaseClaim(
  first: Claim,
  api: TenantApi,
  tenant: OpenTenant,
  { now, signal }: ReleaseOptions,
): Promise<End> {
  let claim = first;
  for (let attempt = 1; ; attempt += 1) {
    const patch = patchOf(releaseOf(claim), now());
    if (signal.aborted)
      return {
        outcome: 'Unchanged',
        message: 'interrupted before it was released',
        is: claim.phase,
        patch: null,
      };
    try {
      const { phase } = await api.patch(patch);
      return {
        outcome: api.dryRun ? 'Accepted' : 'Released',
        message: "given back to the tenant's PV controller",
        is: phase,
        patch,
      };
    } catch (error) {
      if (!(error instanceof StatusError) || isLackOfPermission(error)) throw error;
      const changed = error.code === 409 || error.code === 404;
      if (!changed || attempt >= MOST_ATTEMPTS) {
        return {
          outcome: 'Refused',
          message: oneLine(`refused by the tenant's API server: ${error.statusMessage}`),
          is: claim.phase,
          patch,
        };
      }
    }
    const again = await tenant.reader.claim(claim.namespace, claim.name, signal);
    if (again === null || !again.held) {
      return {
        outcome: 'Unchanged',
        message: 'deleted or released in the meantime',
        is: again?.phase ?? claim.phase,
        patch: null,
      };
    }
    claim = again;
  }
}

function rowOf(
  virtualCluster: VirtualClusterName,
  { namespace, name, uid, phase }: Claim,
  end: End,
): SyncItem {
  return {
    virtualCluster,
    tenant: { namespace, name, uid },
    super: null,
    verdict: null,
    cause: null,
    action: 'Release',
    was: phase,
    ...end,
  };
}
