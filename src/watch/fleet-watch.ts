/** A fleet that is watched: tenants come and go with their VirtualClusters, and every change of a claim is looked at. */
import { UserError } from '../errors.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { clusterKey } from '../reconcile/mapping.ts';
import type { Claim, VirtualCluster } from '../reconcile/model.ts';
import { HOLD_NAME } from '../reconcile/hold-policy.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { Ownership } from '../replicas/ownership.ts';
import { NotOwnerError, isLackOfPermission } from '../sync/tenant-api.ts';
import { ClaimWriter } from './claim-writer.ts';
import { FairQueue } from './fair-queue.ts';
import type { TenantHealth, WatchObserver } from './observer.ts';
import { PlaceIndex } from './place-index.ts';
import { Reconciler } from './reconciler.ts';
import { SuperWatch } from './super-watch.ts';
import type { SuperListener } from './super-watch.ts';
import { TenantLink } from './tenant-link.ts';
import { TenantState, tenantId } from './tenant-state.ts';
import { Turns } from './turns.ts';

export interface FleetWatchOptions {
  readonly superApi: ApiConnection;
  readonly open: (virtualCluster: VirtualCluster, signal: AbortSignal) => Promise<OpenTenant>;
  /** Of the super cluster; null for all. */
  readonly namespace: string | null;
  /** `<namespace>/<name>` of the VirtualClusters that are looked at; null for all. */
  readonly only: ReadonlySet<string> | null;
  readonly tenantNamespaces: readonly string[];
  readonly selector: string | null;
  /** null: nothing is written. */
  readonly sync: { readonly hold: boolean } | null;
  /** Milliseconds. */
  readonly grace: number;
  /** Milliseconds for opening a tenant, 0 for no limit. */
  readonly tenantTimeout: number;
  /** Tenants opened side by side. */
  readonly concurrency: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly ownership: Ownership;
  readonly observer: WatchObserver;
}

/** How long after a release the policy is looked at: others may follow. Milliseconds. */
const BEFORE_DROPPING = 2_000;

export class FleetWatch {
  readonly #options: FleetWatchOptions;
  readonly #super: SuperWatch;
  readonly #queue: FairQueue;
  readonly #reconciler: Reconciler;
  readonly #writer: ClaimWriter | null;
  readonly #places = new PlaceIndex();
  readonly #links = new Map<string, TenantLink>();
  readonly #healths = new Map<string, TenantHealth>();
  /** Tenants whose last connection is still being closed. */
  readonly #stopping = new Set<string>();
  readonly #dropping = new Map<string, NodeJS.Timeout>();
  /** By tenant and claim: when it was found to be due, monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  readonly #turns: Turns;
  /** Ends writing: what is in flight is finished. */
  readonly #finishing = new AbortController();
  readonly #ended = new AbortController();
  #fail: (error: unknown) => void = () => {};

  constructor(options: FleetWatchOptions) {
    const { superApi, namespace, sync, grace, now, observer } = options;
    this.#options = options;
    this.#turns = new Turns(options.concurrency);
    this.#super = new SuperWatch(superApi, namespace, this.#superListener(), this.#ended.signal);
    const { signal } = this.#finishing;
    this.#writer =
      sync === null
        ? null
        : new ClaimWriter({ superCluster: this.#super.reader, grace, now, signal, observer });
    this.#reconciler = new Reconciler({
      tenant: (id) => this.#links.get(id)?.state ?? null,
      super: this.#super,
      writer: this.#writer,
      grace,
      now,
      observer,
      later: (id, key, delay) => this.#queue.addAfter(id, key, delay),
      released: (tenant) => this.#dropIdleHoldSoon(tenant),
    });
    this.#queue = new FairQueue(
      (id, key) => this.#work(id, key),
      (error) => this.#fail(error),
    );
  }

  /**
   * Watches until the signal is aborted; then what is in flight is finished, and everything closed.
   * @throws UserError where the super cluster cannot be read to begin with
   */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.#options.ownership.onChange(() => this.#updateAll());
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const watching = this.#super.run();
    // Verdicts need all super claims, causes all that they rest on; tenants are opened meanwhile.
    void this.#super.known().then(() => this.#queue.start());
    try {
      await Promise.race([watching, failed, aborted]);
    } finally {
      stopListening();
      await this.#finish();
      await watching.catch(() => {});
    }
  }

  /** The tenants that are watched now, with how they can be reached. */
  *tenants(): Generator<{ readonly state: TenantState; readonly health: TenantHealth }> {
    for (const [id, { state }] of this.#links) {
      yield { state, health: this.#healths.get(id) ?? starting(state) };
    }
  }

  /** Milliseconds since the epoch of the super cluster's last word, 0 before the first. */
  get superLastHeard(): number {
    return this.#super.lastHeard;
  }

  /** Milliseconds since the epoch of a tenant's last word, 0 before the first and for one that is not watched. */
  lastHeardOf(virtualCluster: VirtualClusterName): number {
    return this.#links.get(tenantId(virtualCluster))?.lastHeard ?? 0;
  }

  /** How many VirtualClusters in view are Running, whoever watches them. */
  get running(): number {
    let running = 0;
    for (const { phase } of this.#super.virtualClusters) if (phase === 'Running') running += 1;
    return running;
  }

  get superIsUp(): boolean {
    return this.#super.isUp;
  }

  /** Whether every claim of every tenant that can be reached has been looked at. */
  get isSettled(): boolean {
    return (
      this.#super.isUp &&
      this.#links.values().every(({ state }) => {
        if (this.#healths.get(state.id)?.state === 'down') return true;
        return state.ready && this.#queue.isIdle(state.id);
      })
    );
  }

  /** Whether every tenant can be reached and no claim is a mismatch, nor too young to tell. */
  get isConsistent(): boolean {
    return (
      this.isSettled &&
      this.#links.values().every(({ state }) => {
        const mismatched = state.book.rows.values().some(({ item }) => isMismatch(item.verdict));
        return this.#healths.get(state.id)?.state === 'up' && state.open.size === 0 && !mismatched;
      })
    );
  }

  #superListener(): SuperListener {
    return {
      virtualCluster: (before, after) => this.#update(after ?? before),
      claim: (before, after) => this.#superClaimChanged(before, after),
      evidence: (change) => {
        for (const { state } of this.#links.values()) state.evidenceChanged(change, 'super');
      },
      kubeconfig: (rootNamespace) => {
        for (const id of this.#places.withKey(rootNamespace)) this.#links.get(id)?.reopen();
      },
      health: () => {
        const { error, isUp } = this.#super;
        this.#options.observer.superHealth(isUp, error?.message ?? '');
      },
    };
  }

  #work(id: string, key: string): Promise<void> | null {
    const due = `${id} ${key}`;
    const seen = this.#due.get(due) ?? performance.now();
    this.#due.delete(due);
    return this.#reconciler.work(id, key, seen);
  }

  #lookAt(id: string, key: string): void {
    const due = `${id} ${key}`;
    if (!this.#due.has(due)) this.#due.set(due, performance.now());
    this.#queue.add(id, key);
  }

  #superClaimChanged(before: Claim | null, after: Claim | null): void {
    for (const claim of [before, after]) {
      if (claim === null) continue;
      for (const { id, key } of this.#places.of(claim)) {
        if (this.#links.get(id)?.state.has(key) === true) this.#lookAt(id, key);
      }
    }
  }

  #updateAll(): void {
    for (const virtualCluster of this.#super.virtualClusters) this.#update(virtualCluster);
    // Those whose VirtualCluster is gone were stopped when it went.
  }

  /** Starts, renews or stops a tenant, as its VirtualCluster now calls for. */
  #update(told: VirtualCluster | null): void {
    if (told === null || this.#ended.signal.aborted) return;
    const id = tenantId(told);
    const now = this.#super.virtualClusters.get(told.namespace, told.name);
    const wanted = now !== null && this.#isWanted(now) ? now : null;
    const link = this.#links.get(id);
    if (link === undefined) {
      if (wanted !== null && !this.#stopping.has(id)) this.#start(wanted);
      return;
    }
    if (wanted === null || !isSameTenant(link.state.virtualCluster, wanted)) this.#stop(id, link);
    else if (!hasSameKubeconfig(link.state.virtualCluster, wanted)) {
      link.state.virtualCluster = wanted;
      link.reopen();
    }
  }

  #isWanted(virtualCluster: VirtualCluster): boolean {
    const { only, ownership } = this.#options;
    const id = tenantId(virtualCluster);
    return virtualCluster.phase === 'Running' && (only === null || only.has(id)) && ownership.owns(id);
  }

  #start(virtualCluster: VirtualCluster): void {
    const { open, ownership, observer, sync, tenantNamespaces, selector, tenantTimeout } = this.#options;
    const state = new TenantState(virtualCluster, {
      claim: (id, key) => this.#lookAt(id, key),
      row: (_id, event) => observer.row(event),
      place: (id, namespace, superNamespace, present) =>
        this.#places.place(id, namespace, superNamespace, present),
    });
    const link = new TenantLink(state, {
      open,
      tenantNamespaces,
      selector,
      tenantTimeout,
      hold: sync?.hold ?? false,
      mayWrite: (id) => ownership.mayWrite(id),
      turn: () => this.#turns.take(),
      health: (health) => {
        this.#healths.set(state.id, health);
        observer.health(health);
      },
      ready: () => {
        state.lookAtAll();
        this.#dropIdleHoldSoon(state);
      },
    });
    this.#places.add(state.id, state.clusterKey);
    this.#links.set(state.id, link);
    observer.health(starting(state));
    link.start((error) => this.#fail(error));
  }

  #stop(id: string, link: TenantLink): void {
    const { state } = link;
    this.#links.delete(id);
    this.#healths.delete(id);
    this.#queue.forget(id);
    this.#writer?.forget(id);
    clearTimeout(this.#dropping.get(id));
    this.#dropping.delete(id);
    this.#places.remove(id, state.clusterKey, state.superNamespaces.values());
    for (const due of this.#due.keys()) if (due.startsWith(`${id} `)) this.#due.delete(due);
    state.book.dropAll();
    this.#options.observer.left(state.virtualCluster);
    this.#stopping.add(id);
    void link.stop().then(() => {
      this.#stopping.delete(id);
      this.#update(state.virtualCluster);
    });
  }

  /** A policy that no claim needs any more is taken away, as sync does; only where all claims are looked at. */
  #dropIdleHoldSoon(tenant: TenantState): void {
    const { sync, selector, tenantNamespaces } = this.#options;
    if (sync === null || selector !== null || tenantNamespaces.length > 0) return;
    clearTimeout(this.#dropping.get(tenant.id));
    const timer = setTimeout(() => {
      this.#dropping.delete(tenant.id);
      void this.#dropIdleHold(tenant);
    }, BEFORE_DROPPING);
    this.#dropping.set(tenant.id, timer);
  }

  async #dropIdleHold(tenant: TenantState): Promise<void> {
    const { session, id } = tenant;
    const { ownership, observer } = this.#options;
    if (session === null || !ownership.mayWrite(id) || tenant.isHolding) return;
    if (!this.#queue.isIdle(id)) return this.#dropIdleHoldSoon(tenant);
    try {
      await session.keeper.dropIdle();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (isLackOfPermission(error) || error instanceof NotOwnerError) return;
      observer.trouble(tenant.virtualCluster, `policy ${HOLD_NAME} could not be looked at: ${error.message}`);
    }
  }

  async #finish(): Promise<void> {
    this.#finishing.abort(new UserError('the watch ends'));
    for (const timer of this.#dropping.values()) clearTimeout(timer);
    await this.#queue.stop();
    await this.#options.ownership.leave();
    this.#ended.abort(new UserError('the watch has ended'));
    await Promise.all(this.#links.values().map((link) => link.stop()));
  }
}

function starting({ virtualCluster: { namespace, name } }: TenantState): TenantHealth {
  return { virtualCluster: { namespace, name }, state: 'starting', error: '', retryIn: 0, claims: 0 };
}

function isSameTenant(a: VirtualCluster, b: VirtualCluster): boolean {
  return a.uid === b.uid && clusterKey(a) === clusterKey(b);
}

function hasSameKubeconfig(a: VirtualCluster, b: VirtualCluster): boolean {
  return a.adminKubeconfig === b.adminKubeconfig && a.adminKubeconfigSecret === b.adminKubeconfigSecret;
}
