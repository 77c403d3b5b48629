/** Takes everything of ours out of a tenant: its PV controller decides alone again. The super cluster is not asked. */
import { UserError, oneLine } from '../errors.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import { releaseOf } from '../reconcile/plan.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { DryRun, HoldReport, SyncItem, TenantSync } from '../reconcile/sync-report.ts';
import { removeEventsOf } from './events.ts';
import { untilTrouble } from './until-trouble.ts';
import { ownObjects, readHold, removeHold } from './hold.ts';
import { HOLD_ROLE, SYNC_ROLE, TenantApi, isLackOfPermission, patchOf, withRole } from './tenant-api.ts';

export interface ReleaseOptions {
  readonly dryRun: DryRun;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

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
  const virtualCluster = { namespace, name };
  const api = tenant.api === null ? null : new TenantApi(tenant.api, options.dryRun === 'server');
  const claims = await tenant.reader.claims(null, options.signal);
  const release = async (claim: Claim): Promise<SyncItem> => {
    const planned = api === null || options.dryRun === 'client';
    const end = planned
      ? plannedRelease(claim, options.now())
      : await releaseClaim(claim, api, tenant, options);
    return rowOf(virtualCluster, claim, end);
  };
  const errors: UserError[] = [];
  const held = claims.filter((claim) => claim.held);
  const items = await untilTrouble(held, WRITES_AT_ONCE, release, (error) =>
    errors.push(withRole(error, SYNC_ROLE)),
  );
  const all = items.length === held.length && items.every(({ outcome }) => outcome !== 'Refused');
  const hold =
    all && api !== null && !options.signal.aborted ? await removeRest(api, options.dryRun, errors) : null;
  return {
    items,
    hold: hold === null ? null : { virtualCluster, ...hold },
    errors: [...new Set(errors.map(({ message }) => message))],
    claims: claims.length,
    otherMismatches: 0,
    settling: 0,
  };
}

/** @param errors is added to: what was released is told even where the rest cannot be removed */
async function removeRest(
  api: TenantApi,
  dryRun: DryRun,
  errors: UserError[],
): Promise<Omit<HoldReport, 'virtualCluster'> | null> {
  let objects: readonly object[] = [];
  let role: typeof HOLD_ROLE | typeof SYNC_ROLE = HOLD_ROLE;
  try {
    const hold = await readHold(api);
    objects = ownObjects(hold);
    if (dryRun !== 'client') {
      await removeHold(api, hold);
      role = SYNC_ROLE;
      await removeEventsOf(api);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    errors.push(withRole(error, role));
    return null;
  }
  if (objects.length === 0) return null;
  return dryRun === 'none'
    ? { state: 'Removed', message: 'policy vc-pvc-hold removed', objects: [] }
    : { state: 'Planned', message: 'policy vc-pvc-hold would be removed', objects };
}

function plannedRelease(claim: Claim, now: number): End {
  const plan = releaseOf(claim);
  return { outcome: 'Planned', message: 'would be released', is: plan.phase, patch: patchOf(plan, now) };
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
