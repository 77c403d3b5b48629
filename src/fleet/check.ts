/** The comparison of a whole fleet, whatever it is read from. */
import { buildReport } from '../reconcile/build-report.ts';
import type { ReportOptions, TenantResult } from '../reconcile/build-report.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import type { ClaimReport, ReportError } from '../reconcile/report.ts';
import { compareTenant } from './compare.ts';
import type { CompareOptions } from './compare.ts';
import { eachTenant } from './each-tenant.ts';
import type { Fleet, OpenTenant, TenantsOptions } from './each-tenant.ts';
import type { Selection } from './select.ts';
import { unknownNamespaces } from './unknown-namespaces.ts';

export interface FleetOptions extends CompareOptions, TenantsOptions {}

export interface FleetComparison {
  readonly results: readonly TenantResult[];
  readonly errors: readonly ReportError[];
}

/** What is done about a tenant that has been compared, while it is still open. @returns failures to be told */
export type Compared = (result: TenantResult, tenant: OpenTenant) => Promise<readonly string[]>;

/**
 * Compares every selected tenant. One that fails becomes an error entry; the rest is reported.
 * @throws UserError where the super cluster's claims cannot be read: then there is nothing to compare with.
 */
export async function checkFleet(
  fleet: Fleet,
  selection: Selection,
  options: FleetOptions & ReportOptions,
): Promise<ClaimReport> {
  const { results, errors } = await compareFleet(fleet, selection.running, options);
  return buildReport(results, selection.skipped, errors, options);
}

/**
 * @param compared no time limit of ours applies to it
 * @throws UserError as checkFleet.
 */
export async function compareFleet(
  fleet: Fleet,
  virtualClusters: readonly VirtualCluster[],
  options: FleetOptions,
  compared: Compared = () => Promise.resolve([]),
): Promise<FleetComparison> {
  if (virtualClusters.length === 0) return { results: [], errors: [] };
  const results: TenantResult[] = [];
  const withoutClaims = new Set(options.tenantNamespaces);
  const superClaims = fleet.superClaims(virtualClusters, options.signal);
  // Awaited first by the tenants: this keeps an early failure from being called unhandled.
  superClaims.catch(() => {});
  const errors = await eachTenant(
    fleet,
    virtualClusters,
    options,
    async (virtualCluster, tenant, deadline) => {
      const clusters = { tenant: tenant.reader, super: fleet.super };
      // The super cluster's list is shared and may take longer than one tenant is given: the clock stands still.
      const awaitSuper = (): Promise<SuperClaims> => {
        deadline.clear();
        return superClaims.finally(() => deadline.restart());
      };
      const comparison = await deadline.bound(
        compareTenant(virtualCluster, clusters, awaitSuper, options, deadline.signal),
      );
      deadline.clear();
      results.push(comparison.result);
      for (const namespace of comparison.namespaces) withoutClaims.delete(namespace);
      return [...comparison.errors, ...(await compared(comparison.result, tenant))];
    },
  );
  // Not a tenant's failure: told once, for all.
  await superClaims;
  // A tenant that was not read might have them.
  const sought = errors.length === 0 ? [...withoutClaims] : [];
  const unknown = await unknownNamespaces(fleet, virtualClusters, sought, options);
  return {
    results,
    errors: [...errors, ...unknown.map((message) => ({ virtualCluster: null, message }))],
  };
}
