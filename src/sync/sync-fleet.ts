/** sync for a whole fleet: the comparison of check, each tenant then written to. */
import { compareFleet } from '../fleet/check.ts';
import type { FleetOptions } from '../fleet/check.ts';
import { eachTenant } from '../fleet/each-tenant.ts';
import type { Fleet } from '../fleet/each-tenant.ts';
import type { Selection } from '../fleet/select.ts';
import { buildSyncReport } from '../reconcile/sync-report.ts';
import type { SyncReport, TenantSync } from '../reconcile/sync-report.ts';
import { releaseTenant } from './release-all.ts';
import { syncTenant } from './sync-tenant.ts';
import type { SyncOptions } from './sync-tenant.ts';

/**
 * Compares every selected tenant and performs the plan in each. One that fails becomes an error entry.
 * @throws UserError where the super cluster's claims cannot be read: nothing has been written then.
 */
export async function syncFleet(
  fleet: Fleet,
  selection: Selection,
  options: FleetOptions & SyncOptions,
): Promise<SyncReport> {
  const tenants: TenantSync[] = [];
  const { errors } = await compareFleet(fleet, selection.running, options, async (result, tenant) => {
    const done = await syncTenant(result, tenant, fleet.super, options);
    tenants.push(done);
    return done.errors;
  });
  return buildSyncReport(options.dryRun, tenants, selection.skipped, errors);
}

/** Takes everything of ours out of every selected tenant. One that fails becomes an error entry. */
export async function releaseFleet(
  fleet: Fleet,
  selection: Selection,
  options: FleetOptions & SyncOptions,
): Promise<SyncReport> {
  const tenants: TenantSync[] = [];
  const errors = await eachTenant(
    fleet,
    selection.running,
    options,
    async (virtualCluster, tenant, deadline) => {
      const claims = await deadline.bound(tenant.reader.claims(null, deadline.signal));
      deadline.clear();
      const done = await releaseTenant(virtualCluster, tenant, claims, options);
      tenants.push(done);
      return done.errors;
    },
  );
  return buildSyncReport(options.dryRun, tenants, selection.skipped, errors);
}
