/** Several replicas of `watch --sync --hold` as processes, over tenants that share one audited API server. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { seriesOf } from '../support/exposition.ts';
import { RunningCli } from '../support/running-cli.ts';
import type { Json } from './api.ts';
import { AUDITED, Audit } from './write-audit.ts';
import type { AuditedWrite } from './write-audit.ts';
import { createPair } from './bulk.ts';
import { eventually } from './eventually.ts';
import { startFleet, writeKubeconfig } from './fleet.ts';
import type { Fleet, Tenant } from './fleet.ts';
import { freePort } from './processes.ts';
import { createClass, createNamespace, paths } from './syncer.ts';

/** Where the replicas' Leases are. */
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/vc-pvc/leases';
const STATUS = 'persistentvolumeclaims/status';
/** What every replica is called with. */
const WATCH = 'watch --sync --hold --grace=0 -o json --replicas-lease-namespace=vc-pvc'.split(' ');
/** Between two changes of a churn. Milliseconds. */
const PACE = 40;

/** Which tenants each replica is to watch. */
export type Division = Readonly<Record<string, readonly string[]>>;

export class ReplicatedWatch {
  readonly fleet: Fleet;
  readonly audit: Audit;
  readonly #replicas = new Map<string, Replica>();

  private constructor(fleet: Fleet, audit: Audit) {
    this.fleet = fleet;
    this.audit = audit;
  }

  /**
   * Without controllers. Each tenant has the claims NAME-a and NAME-b, Bound on both sides, and NAME-broken, which is held
   * all the time, so that the tenant keeps its admission policy.
   * @param names of the VirtualClusters
   */
  static async start(names: readonly string[]): Promise<ReplicatedWatch> {
    const audit = await Audit.create();
    try {
      const fleet = await startFleet({
        tenants: names.map((name) => `team/${name}`),
        controllerManagers: false,
        tenantPlanes: 1,
        tenantApiserverArgs: audit.args,
      });
      const scene = new ReplicatedWatch(fleet, audit);
      await scene.#furnish();
      return scene;
    } catch (error) {
      await audit.remove();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const { cli } of this.#replicas.values()) cli.signal('SIGKILL');
    await this.fleet.stop();
    await this.audit.remove();
  }

  tenant(name: string): Tenant {
    const found = this.fleet.tenants.find((tenant) => tenant.name === name);
    if (found === undefined) throw new Error(`no tenant ${name}`);
    return found;
  }

  /** Starts a replica; its name is also the user as which the tenants' API server knows it. */
  async replica(name: string): Promise<Replica> {
    const { plane } = this.tenant(this.fleet.tenants[0]?.name ?? '');
    const [superFile, tenantFile, port] = await Promise.all([
      writeKubeconfig(this.fleet.storage, `super-${name}`, this.fleet.super.adminKubeconfig),
      writeKubeconfig(
        this.fleet.storage,
        `tenant-${name}`,
        await plane.kubeconfigFor(name, ['system:masters', AUDITED]),
      ),
      freePort(),
    ]);
    const args = [
      ...WATCH,
      `--metrics-bind-address=127.0.0.1:${port}`,
      ...this.fleet.tenants.map((tenant) => `--tenant-kubeconfig=${tenant.name}=${tenantFile}`),
    ];
    const cli = new RunningCli(args, { KUBECONFIG: superFile, POD_NAME: name });
    const replica = new Replica(name, cli, `http://127.0.0.1:${port}/metrics`);
    this.#replicas.set(name, replica);
    return replica;
  }

  /** Waits until replicas that hold their Leases and see the super cluster watch exactly these tenants. */
  async divided(division: Division): Promise<void> {
    await eventually(`the tenants to be divided so: ${JSON.stringify(division)}`, async () => {
      const seen: Record<string, readonly string[]> = {};
      for (const name of Object.keys(division)) {
        const series = await this.#replicas.get(name)?.series();
        if (series?.get('vc_pvc_lease_held') !== 1 || series.get('vc_pvc_super_cluster_up') !== 1)
          return false;
        const up = /^vc_pvc_tenant_up\{virtualcluster="([^"]+)"/;
        seen[name] = [...series].flatMap(([key, value]) => (value === 1 ? (up.exec(key)?.[1] ?? []) : []));
        if (series.get('vc_pvc_owned_tenants') !== seen[name].length) return false;
      }
      assert.deepEqual(sorted(seen), sorted(division));
      return true;
    });
  }

  /** Gives a super claim a phase. @param claim begins with the tenant's name */
  async superPhase(tenant: string, claim: string, phase: string): Promise<void> {
    await this.fleet.super.api.patch(`${this.#paths(tenant, claim).super}/status`, { status: { phase } });
  }

  async claim(tenant: string, claim: string): Promise<Json> {
    return this.tenant(tenant).plane.api.get(this.#paths(tenant, claim).tenant);
  }

  /** Waits until a tenant claim has a phase. @returns seconds that it took */
  async shown(tenant: string, claim: string, phase: string): Promise<number> {
    const began = performance.now();
    await eventually(`${claim} to be ${phase} in its tenant`, async () => {
      return (await this.claim(tenant, claim)).status.phase === phase;
    });
    return (performance.now() - began) / 1000;
  }

  /** The tenant's own admin makes a held claim Bound again. */
  async undo(tenant: string, claim: string): Promise<void> {
    const path = `${this.#paths(tenant, claim).tenant}/status`;
    const status = { phase: 'Bound', conditions: null };
    await this.tenant(tenant).plane.api.patch(path, { status });
  }

  /** Waits until a replica is the last that has written each of these tenants. */
  async lastWrittenBy(replica: string, tenants: readonly string[]): Promise<void> {
    await eventually(`${replica} to write ${tenants.join(', ')}`, async () => {
      const writers = writersOf(await this.writes());
      return tenants.every((tenant) => writers[tenant]?.at(-1) === replica);
    });
  }

  /** Changes super claims NAME-a without end, in turn; call what it returns to end it and to wait until all is shown. */
  churn(tenants: readonly string[]): () => Promise<void> {
    const phases = new Map(tenants.map((name) => [name, 'Bound']));
    const ending = new AbortController();
    const working = (async (): Promise<void> => {
      for (let turn = 0; !ending.signal.aborted; turn += 1) {
        const tenant = tenants[turn % tenants.length] ?? '';
        const phase = phases.get(tenant) === 'Bound' ? 'Lost' : 'Bound';
        await this.superPhase(tenant, `${tenant}-a`, phase);
        phases.set(tenant, phase);
        await delay(PACE);
      }
    })();
    return async () => {
      ending.abort();
      await working;
      await Promise.all(phases.entries().map(([name, phase]) => this.shown(name, `${name}-a`, phase)));
    };
  }

  /** What replicas have written to claims and Events in tenants' namespaces so far. */
  async writes(): Promise<TenantWrite[]> {
    const all = await this.audit.writes();
    return all.flatMap((write) => {
      const tenant = /^shop-(.+)$/.exec(write.namespace)?.[1];
      return tenant === undefined ? [] : [{ ...write, tenant }];
    });
  }

  #paths(tenant: string, claim: string): ReturnType<typeof paths> {
    return paths(this.tenant(tenant), namespaceOf(tenant), claim);
  }

  async #furnish(): Promise<void> {
    const { fleet } = this;
    await fleet.super.api.create('/api/v1/namespaces', { metadata: { name: 'vc-pvc' } });
    for (const plane of new Set([fleet.super, ...fleet.tenants.map((tenant) => tenant.plane)])) {
      await createClass(plane);
    }
    for (const tenant of fleet.tenants) {
      const namespace = namespaceOf(tenant.name);
      await createNamespace(fleet, tenant, namespace);
      for (const suffix of ['a', 'b', 'broken']) {
        await createPair(fleet, tenant, namespace, `${tenant.name}-${suffix}`, suffix === 'broken');
      }
    }
  }
}

export interface TenantWrite extends AuditedWrite {
  /** The VirtualCluster's name. */
  readonly tenant: string;
}

export class Replica {
  readonly name: string;
  readonly cli: RunningCli;
  readonly #metrics: string;

  constructor(name: string, cli: RunningCli, metrics: string) {
    this.name = name;
    this.cli = cli;
    this.#metrics = metrics;
  }

  /** What it tells Prometheus now. */
  async series(): Promise<Map<string, number>> {
    return seriesOf(await (await fetch(this.#metrics)).text());
  }

  /** Claims of which it has printed so far that it has written this outcome. */
  told(outcome: string): Set<string> {
    const rows = this.cli.lines().map((line): Json => JSON.parse(line));
    return new Set(rows.filter((row) => row.outcome === outcome).map((row) => row.tenant.name));
  }
}

/** Who wrote each tenant, one after the other; whoever wrote many times in a row is there once. */
export function writersOf(writes: readonly TenantWrite[]): Record<string, string[]> {
  const writers: Record<string, string[]> = {};
  for (const { tenant, user } of writes) {
    const before = (writers[tenant] ??= []);
    if (before.at(-1) !== user) before.push(user);
  }
  return writers;
}

/** Fails where two replicas had a write to one tenant under way at the same time, or one wrote again what was there. */
export function assertNeverTwo(writes: readonly TenantWrite[]): void {
  const last = new Map<string, TenantWrite>();
  const phases = new Map<string, string>();
  for (const write of writes) {
    const { tenant, user, received, resource, name, code, phase } = write;
    const before = last.get(tenant);
    if (before !== undefined && before.user !== user) {
      assert.ok(before.answered <= received, `${before.user} and ${user} wrote to ${tenant} at a time`);
    }
    last.set(tenant, write);
    if (resource !== STATUS || code !== 200) continue;
    assert.notEqual(phases.get(name), phase, `${name} was made ${phase} twice, the second time by ${user}`);
    phases.set(name, phase);
  }
}

function namespaceOf(tenant: string): string {
  return `shop-${tenant}`;
}

function sorted(division: Division): Division {
  return Object.fromEntries(Object.entries(division).map(([name, tenants]) => [name, tenants.toSorted()]));
}
