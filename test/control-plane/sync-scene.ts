/** What the tests of sync share: one tenant whose claims are broken, synced, looked at and mended. */
import assert from 'node:assert/strict';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { HOLD_NAME } from '../../src/reconcile/hold-policy.ts';
import { HOLD_CONDITION } from '../../src/reconcile/model.ts';
import type { SyncItem, SyncReport } from '../../src/reconcile/sync-report.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';
import type { Json } from './api.ts';
import { claimRecreated } from './faults.ts';
import { startFleet, writeKubeconfig } from './fleet.ts';
import type { Fleet, FleetOptions, Tenant } from './fleet.ts';
import { createBoundPair, createClass, createNamespace, paths, phaseOf } from './syncer.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
export const POLICY = `${ADMISSION}/validatingadmissionpolicies/${HOLD_NAME}`;
export const BINDING = `${ADMISSION}/validatingadmissionpolicybindings/${HOLD_NAME}`;
/** The tenant namespace in which everything happens. */
export const NAMESPACE = 'shop';

export class SyncScene {
  readonly fleet: Fleet;
  readonly tenant: Tenant;

  private constructor(fleet: Fleet, tenant: Tenant) {
    this.fleet = fleet;
    this.tenant = tenant;
  }

  static async start(options: Omit<FleetOptions, 'tenants'> = {}): Promise<SyncScene> {
    const fleet = await startFleet({ ...options, tenants: ['default/vc-sample-1'] });
    const [tenant] = fleet.tenants;
    assert.ok(tenant !== undefined);
    await createClass(fleet.super);
    await createClass(tenant.plane);
    await createNamespace(fleet, tenant, NAMESPACE);
    return new SyncScene(fleet, tenant);
  }

  stop(): Promise<void> {
    return this.fleet.stop();
  }

  /** Runs sync on the command line, with no grace for young claims. */
  sync(...args: readonly string[]): Promise<Finished> {
    return runCli(['sync', '--grace=0', ...args], { KUBECONFIG: this.fleet.kubeconfig });
  }

  /** The same, its report read. */
  async report(
    ...args: readonly string[]
  ): Promise<{ code: number | null; report: SyncReport; stderr: string }> {
    const { code, stdout, stderr } = await this.sync(...args, '-o', 'json');
    assert.notEqual(stdout, '', stderr);
    return { code, report: JSON.parse(stdout) as SyncReport, stderr };
  }

  /** A connection of the program's own to the tenant, to be closed. */
  async tenantConnection(): Promise<ApiConnection> {
    return this.#connection(
      await writeKubeconfig(this.fleet.storage, 'tenant', this.tenant.plane.adminKubeconfig),
    );
  }

  /** The same to the super cluster. */
  superConnection(): Promise<ApiConnection> {
    return this.#connection(this.fleet.kubeconfig);
  }

  async #connection(kubeconfig: string): Promise<ApiConnection> {
    return new ApiConnection((await connectionFromFlags({ kubeconfig })).settings);
  }

  path(name: string): string {
    return paths(this.tenant, NAMESPACE, name).tenant;
  }

  /** The tenant claim as its API server holds it. */
  claim(name: string): Promise<Json> {
    return this.tenant.plane.api.get(this.path(name));
  }

  /** Events of ours about a claim. */
  async eventsOf(name: string): Promise<Json[]> {
    const { uid } = (await this.claim(name)).metadata;
    const selector = encodeURIComponent(`involvedObject.uid=${uid},reason=SuperClaimNotBound`);
    const path = `/api/v1/namespaces/${NAMESPACE}/events?fieldSelector=${selector}`;
    return (await this.tenant.plane.api.get(path)).items;
  }

  /** A claim that is Bound in the tenant and Pending in the super cluster, its volume being Released. */
  async breakClaim(name: string): Promise<void> {
    await createBoundPair(this.fleet, this.tenant, NAMESPACE, name);
    await claimRecreated(this.fleet, this.tenant, NAMESPACE, name);
  }

  /** Mends the super cluster as an admin would: the volume is given to the claim that now is. */
  async remedy(name: string): Promise<void> {
    const at = paths(this.tenant, NAMESPACE, name);
    const { uid } = (await this.fleet.super.api.get(at.super)).metadata;
    await this.fleet.super.api.patch(`/api/v1/persistentvolumes/pv-${this.tenant.name}-${name}`, {
      spec: { claimRef: { uid, resourceVersion: null } },
    });
    await phaseOf(this.fleet.super, at.super, 'Bound');
  }
}

/** Our condition on a claim, undefined where it has none. */
export function conditionOf(claim: Json): Json {
  return claim.status.conditions?.find((one: Json) => one.type === HOLD_CONDITION);
}

/** The row of a claim in a report. */
export function rowOf({ items }: SyncReport, name: string): SyncItem {
  const row = items.find((item) => item.tenant.name === name);
  assert.ok(row !== undefined, `no row of ${name}`);
  return row;
}
