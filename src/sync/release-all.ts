/** Takes everything of ours out of a tenant: its PV controller decides alone again. The super cluster is not asked. */
import { UserError } from '../errors.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import type { Claim } from '../reconcile/model.ts';
import { releaseOf } from '../reconcile/plan.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { DryRun, HoldReport, SyncItem, TenantSync } from '../reconcile/sync-report.ts';
import { removeEventsOf } from './events.ts';
import { ownObjects, readHold, removeHold } from './hold.ts';
import { releaseClaim, releasedRow } from './release-claim.ts';
import { HOLD_ROLE, TenantApi, patchOf } from './tenant-api.ts';
import { withTimeLimit } from './time-limit.ts';
import { Troubles } from './troubles.ts';
import { NOT_TRIED, untilTrouble } from './until-trouble.ts';

export interface ReleaseOptions {
  readonly dryRun: DryRun;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Another run may go on holding claims while this one releases them. */
const MOST_ROUNDS = 3;

/**
 * Releases every held claim, then removes the policy and our Events. Where a claim could not be released the policy
 * stays, since the claim would go on saying that it is held.
 * @param claims all of the tenant's
 */
export async function releaseTenant(
  { namespace, name }: VirtualClusterName,
  tenant: OpenTenant,
  claims: readonly Claim[],
  options: ReleaseOptions,
): Promise<TenantSync> {
  const virtualCluster = { namespace, name };
  const troubles = new Troubles();
  const api = tenant.api === null ? null : new TenantApi(tenant.api, options.dryRun === 'server');
  const held = claims.filter((claim) => claim.held);
  const work: Work = { virtualCluster, tenant, options, troubles };
  const done =
    api === null || options.dryRun === 'client'
      ? { items: held.map((claim) => plannedRow(claim, work)), complete: true }
      : await releaseAll(held, api, work);
  const hold = done.complete && api !== null ? await removeRest(api, work) : null;
  return {
    items: done.items,
    hold: hold === null ? null : { virtualCluster, ...hold },
    errors: troubles.lines(),
    claims: claims.length,
    otherMismatches: 0,
    settling: 0,
  };
}

interface Work {
  readonly virtualCluster: VirtualClusterName;
  readonly tenant: OpenTenant;
  readonly options: ReleaseOptions;
  readonly troubles: Troubles;
}

function plannedRow(claim: Claim, { virtualCluster, options }: Work): SyncItem {
  const plan = releaseOf(claim);
  const end = { outcome: 'Planned', message: 'would be released', is: plan.phase } as const;
  return releasedRow(virtualCluster, claim, { ...end, patch: patchOf(plan, options.now()) });
}

/** Lists again until nothing is held: what another run has held in between would be left without its policy. */
async function releaseAll(
  first: readonly Claim[],
  api: TenantApi,
  { virtualCluster, tenant, options, troubles }: Work,
): Promise<{ readonly items: SyncItem[]; readonly complete: boolean }> {
  const items = new Map<string, SyncItem>();
  let held = first;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const rows = await untilTrouble(
      held,
      async (claim) =>
        releasedRow(virtualCluster, claim, await releaseClaim(claim, api, tenant.reader, options)),
      (claim, error) => {
        if (error !== null) troubles.add('other', error);
        const message = error?.message ?? NOT_TRIED;
        return releasedRow(virtualCluster, claim, {
          outcome: 'Failed',
          message,
          is: claim.phase,
          patch: null,
        });
      },
    );
    for (const row of rows) items.set(row.tenant.uid, row);
    const failed = rows.some(({ outcome }) => outcome === 'Failed' || outcome === 'Refused');
    if (failed || options.signal.aborted) return { items: [...items.values()], complete: false };
    if (api.dryRun) break;
    const claims = await withTimeLimit((within) => tenant.reader.claims(null, within), options.signal);
    held = claims.filter((claim) => claim.held);
    if (held.length === 0) break;
  }
  const complete = api.dryRun || held.length === 0;
  if (!complete)
    troubles.add('other', new UserError('claims go on being held: another run of sync --hold is at work'));
  return { items: [...items.values()], complete };
}

/** Each part by itself: a right that is missing for one keeps none of the others. */
async function removeRest(
  api: TenantApi,
  { options, troubles }: Work,
): Promise<Omit<HoldReport, 'virtualCluster'> | null> {
  let objects: readonly object[] = [];
  try {
    const hold = await readHold(api);
    if (options.dryRun !== 'client') await removeHold(api, hold);
    objects = ownObjects(hold);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    troubles.add('other', error, HOLD_ROLE);
  }
  try {
    if (options.dryRun !== 'client') await removeEventsOf(api, options.signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    troubles.add('other', error);
  }
  if (objects.length === 0) return null;
  return options.dryRun === 'none'
    ? { state: 'Removed', message: 'policy vc-pvc-hold removed', objects: [] }
    : { state: 'Planned', message: 'policy vc-pvc-hold would be removed', objects };
}
