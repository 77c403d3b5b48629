/**
 * What `watch` tells Prometheus; docs/metrics.md has the table. To be imported where an address to serve on was given:
 * the library costs what other runs need not pay. Labels carry names of VirtualClusters, never those of claims.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Action } from '../reconcile/model.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { Outcome } from '../reconcile/sync-report.ts';
import { TenantSeries } from './tenant-series.ts';
import type { ClaimCounts, Lag } from './tenant-series.ts';

/** Which version runs, as `version` prints it. */
export interface Build {
  readonly version: string;
  readonly commit: string;
}

/** What a scrape is answered with. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** What can become of a write that was decided on: dry runs do not count. */
export type WriteResult = Exclude<Outcome, 'Planned' | 'Accepted'>;

const ACTIONS: readonly Action[] = ['SetPhase', 'Release'];
const RESULTS = Object.keys({
  Held: true,
  Written: true,
  Reverted: true,
  Released: true,
  Refused: true,
  Failed: true,
  Unchanged: true,
} satisfies Record<WriteResult, true>) as WriteResult[];

/** Seconds: 1 ms to 10 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class WatchMetrics {
  readonly #registry = new Registry();
  readonly #tenantSeries: TenantSeries;
  #superLag: Lag = () => null;
  readonly #superUp: Gauge;
  readonly #runningTenants: Gauge;
  readonly #ownedTenants: Gauge;
  readonly #leaseHeld: Gauge;
  readonly #writes: Counter<'action' | 'result'>;
  readonly #requests: Counter<'cluster' | 'verb' | 'code'>;
  readonly #reconciles: Histogram;
  readonly #changeToStatus: Histogram;

  constructor({ version, commit }: Build) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'vc_pvc_build_info',
      help: 'Always 1; the labels tell which version runs.',
      labelNames: ['version', 'commit', 'node'],
      registers,
    }).set({ version, commit, node: process.version }, 1);
    this.#tenantSeries = new TenantSeries(this.#registry);
    this.#superUp = new Gauge({
      name: 'vc_pvc_super_cluster_up',
      help: "1 while the super cluster's VirtualClusters and claims are listed and watched, else 0.",
      registers,
    });
    this.#registerSuperLag();
    this.#runningTenants = new Gauge({
      name: 'vc_pvc_tenants',
      help: 'Running VirtualClusters in view, whichever replica owns them.',
      registers,
    });
    this.#ownedTenants = new Gauge({
      name: 'vc_pvc_owned_tenants',
      help: 'Running VirtualClusters that this replica owns; the replicas together own each one once.',
      registers,
    });
    this.#leaseHeld = new Gauge({
      name: 'vc_pvc_lease_held',
      help: '1 while this replica holds its Lease (always, where it runs without one), else 0: it does not write then.',
      registers,
    });
    this.#writes = new Counter({
      name: 'vc_pvc_writes_total',
      help: 'Writes to tenant claims by action and by what became of them, as sync reports it.',
      labelNames: ['action', 'result'],
      registers,
    });
    // From 0 on, so that the first failure is an increase.
    for (const action of ACTIONS) {
      for (const result of RESULTS) this.#writes.inc({ action, result }, 0);
    }
    this.#requests = new Counter({
      name: 'vc_pvc_api_requests_total',
      help: 'Requests to API servers, by kind of cluster, verb and HTTP status; <error> where no answer came.',
      labelNames: ['cluster', 'verb', 'code'],
      registers,
    });
    this.#reconciles = new Histogram({
      name: 'vc_pvc_reconcile_duration_seconds',
      help: 'Time that one claim took: read from both caches, judged and, with --sync, written.',
      buckets: BUCKETS,
      registers,
    });
    this.#changeToStatus = new Histogram({
      name: 'vc_pvc_change_to_status_seconds',
      help: "Time from a super claim's change seen to the tenant claim's status written.",
      buckets: BUCKETS,
      registers,
    });
  }

  /** Begins a tenant's series; what is told of a tenant that was not added is dropped. */
  addTenant(tenant: VirtualClusterName, lag: Lag): void {
    this.#tenantSeries.add(tenant, lag);
  }

  /** Ends all series of a tenant that has gone, or that another replica owns from now on. */
  removeTenant(tenant: VirtualClusterName): void {
    this.#tenantSeries.remove(tenant);
  }

  /** Replaces what was counted before. The maps are read at the next scrape: they may be the caller's living ones. */
  setClaims(tenant: VirtualClusterName, counts: ClaimCounts): void {
    this.#tenantSeries.setClaims(tenant, counts);
  }

  setContested(tenant: VirtualClusterName, claims: number): void {
    this.#tenantSeries.setContested(tenant, claims);
  }

  /** @param up whether all lists of the tenant are complete and its watches run */
  setTenantUp(tenant: VirtualClusterName, up: boolean): void {
    this.#tenantSeries.setUp(tenant, up);
  }

  countRevert(tenant: VirtualClusterName): void {
    this.#tenantSeries.countRevert(tenant);
  }

  setSuperUp(up: boolean): void {
    this.#superUp.set(Number(up));
  }

  setSuperLag(lag: Lag): void {
    this.#superLag = lag;
  }

  /** @param running all Running VirtualClusters in view @param owned those of them that this replica owns */
  setTenants(running: number, owned: number): void {
    this.#runningTenants.set(running);
    this.#ownedTenants.set(owned);
  }

  setLeaseHeld(held: boolean): void {
    this.#leaseHeld.set(Number(held));
  }

  countWrite(action: Action, result: WriteResult): void {
    this.#writes.inc({ action, result });
  }

  /**
   * @param verb as Kubernetes names it: get, list, watch, create, update, patch, delete
   * @param code HTTP status; null where no answer came (k8s.io/client-go tools/metrics calls that <error>)
   */
  countRequest(cluster: 'super' | 'tenant', verb: string, code: number | null): void {
    this.#requests.inc({ cluster, verb, code: code === null ? '<error>' : String(code) });
  }

  observeReconcile(seconds: number): void {
    this.#reconciles.observe(seconds);
  }

  observeChangeToStatus(seconds: number): void {
    this.#changeToStatus.observe(seconds);
  }

  /** All series as they are now, in Prometheus' text format 0.0.4. */
  async exposition(): Promise<Exposition> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #registerSuperLag(): void {
    const gauge: Gauge = new Gauge({
      name: 'vc_pvc_super_cluster_lag_seconds',
      help: "Time since the super cluster's API server was last heard; no series before the first time.",
      registers: [this.#registry],
      collect: () => {
        const lag = this.#superLag();
        if (lag === null) gauge.remove();
        else gauge.set(lag);
      },
    });
    // The library begins a gauge without labels at 0.
    gauge.remove();
  }
}
