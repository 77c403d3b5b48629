/** The series that each tenant has: what is known is kept, and written into the gauges when somebody scrapes. */
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { CauseCode, Verdict } from '../reconcile/model.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';

/** A tenant's claims, counted. */
export interface ClaimCounts {
  /** How many claims have each verdict; an absent one counts as 0. */
  readonly verdicts: ReadonlyMap<Verdict, number>;
  /**
   * How many claims that are mismatched or held have each cause; null: those that have none (VolumeMismatch). Held ones
   * count, since a disk is no safer for the tenant's knowing.
   */
  readonly causes: ReadonlyMap<CauseCode | null, number>;
}

/** Seconds since the last byte from an API server; null where it was never heard. Asked at each scrape. */
export type Lag = () => number | null;

interface Tenant {
  readonly labels: TenantLabels;
  readonly lag: Lag;
  up: boolean;
  /** null until the tenant's claims were judged for the first time: not known is not 0. */
  counts: ClaimCounts | null;
  contested: number;
}

const TENANT_LABELS = ['virtualcluster_namespace', 'virtualcluster'] as const;
type TenantLabel = (typeof TENANT_LABELS)[number];
type TenantLabels = Record<TenantLabel, string>;

/**
 * A tenant that is removed takes its series with it; what is told of a tenant that is not there (the last answer of one
 * that has just gone) makes none.
 */
export class TenantSeries {
  readonly #tenants = new Map<string, Tenant>();
  readonly #claims: Gauge<TenantLabel | 'verdict'>;
  readonly #broken: Gauge<TenantLabel | 'cause'>;
  readonly #contested: Gauge<TenantLabel>;
  readonly #up: Gauge<TenantLabel>;
  readonly #lag: Gauge<TenantLabel>;
  readonly #reverts: Counter<TenantLabel>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#claims = new Gauge({
      name: 'vc_pvc_claims',
      help: 'Claims of the tenant by verdict, as docs/verdicts.md defines them.',
      labelNames: [...TENANT_LABELS, 'verdict'],
      registers,
      collect: () => this.#collectClaims(),
    });
    this.#broken = new Gauge({
      name: 'vc_pvc_broken_claims',
      help: 'Mismatched or held claims of the tenant by cause (None where the verdict has none); only causes that occur.',
      labelNames: [...TENANT_LABELS, 'cause'],
      registers,
      collect: () => this.#collectBroken(),
    });
    this.#contested = new Gauge({
      name: 'vc_pvc_contested_claims',
      help: 'Claims of the tenant whose status somebody keeps writing back, so that writing was backed off.',
      labelNames: TENANT_LABELS,
      registers,
      collect: () => this.#collect(this.#contested, ({ contested }) => contested),
    });
    this.#up = new Gauge({
      name: 'vc_pvc_tenant_up',
      help: "1 while the tenant's claims and volumes are listed and watched, else 0.",
      labelNames: TENANT_LABELS,
      registers,
      collect: () => this.#collect(this.#up, ({ up }) => Number(up)),
    });
    this.#lag = new Gauge({
      name: 'vc_pvc_tenant_lag_seconds',
      help: "Time since the tenant's API server was last heard; no series before the first time.",
      labelNames: TENANT_LABELS,
      registers,
      collect: () => this.#collect(this.#lag, ({ lag }) => lag()),
    });
    this.#reverts = new Counter({
      name: 'vc_pvc_reverts_total',
      help: 'Writes to claims of the tenant that somebody (as a rule its PV controller) undid.',
      labelNames: TENANT_LABELS,
      registers,
    });
  }

  add(tenant: VirtualClusterName, lag: Lag): void {
    const labels = { virtualcluster_namespace: tenant.namespace, virtualcluster: tenant.name };
    this.#tenants.set(keyOf(tenant), { labels, lag, up: false, counts: null, contested: 0 });
    // From 0 on, so that the first revert is an increase.
    this.#reverts.inc(labels, 0);
  }

  remove(tenant: VirtualClusterName): void {
    const known = this.#tenants.get(keyOf(tenant));
    if (known === undefined) return;
    this.#tenants.delete(keyOf(tenant));
    this.#reverts.remove(known.labels);
  }

  setClaims(tenant: VirtualClusterName, counts: ClaimCounts): void {
    const known = this.#tenants.get(keyOf(tenant));
    if (known !== undefined) known.counts = counts;
  }

  setContested(tenant: VirtualClusterName, claims: number): void {
    const known = this.#tenants.get(keyOf(tenant));
    if (known !== undefined) known.contested = claims;
  }

  setUp(tenant: VirtualClusterName, up: boolean): void {
    const known = this.#tenants.get(keyOf(tenant));
    if (known !== undefined) known.up = up;
  }

  countRevert(tenant: VirtualClusterName): void {
    const known = this.#tenants.get(keyOf(tenant));
    if (known !== undefined) this.#reverts.inc(known.labels);
  }

  /** A gauge with one series a tenant; none where the value is not known. */
  #collect(gauge: Gauge<TenantLabel>, value: (tenant: Tenant) => number | null): void {
    gauge.reset();
    for (const tenant of this.#tenants.values()) {
      const known = value(tenant);
      if (known !== null) gauge.set(tenant.labels, known);
    }
  }

  #collectClaims(): void {
    this.#claims.reset();
    for (const { labels, counts } of this.#tenants.values()) {
      if (counts === null) continue;
      for (const verdict of VERDICTS) {
        this.#claims.set({ ...labels, verdict }, counts.verdicts.get(verdict) ?? 0);
      }
    }
  }

  #collectBroken(): void {
    this.#broken.reset();
    for (const { labels, counts } of this.#tenants.values()) {
      for (const [cause, claims] of counts?.causes ?? []) {
        if (claims > 0) this.#broken.set({ ...labels, cause: cause ?? 'None' }, claims);
      }
    }
  }
}

/** Neither part of a VirtualCluster's name holds a slash. */
function keyOf({ namespace, name }: VirtualClusterName): string {
  return `${namespace}/${name}`;
}

/** Every verdict that a tenant claim can have: a series of 0 tells more than one that is absent. */
const VERDICTS = Object.keys({
  Terminating: true,
  OwnerMismatch: true,
  SuperMissing: true,
  NotSynced: true,
  HoldStale: true,
  Held: true,
  SuperNotBound: true,
  TenantNotBound: true,
  PhaseMismatch: true,
  VolumeMismatch: true,
  Consistent: true,
} satisfies Record<Exclude<Verdict, 'SuperOrphan'>, true>) as Exclude<Verdict, 'SuperOrphan'>[];
