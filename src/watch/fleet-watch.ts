/** A fleet that is watched: tenants come and go with their VirtualClusters, and every change of a claim is looked at. */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { Claim, VirtualCluster } from '../reconcile/model.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { Ownership } from '../replicas/ownership.ts';
import { ClaimWriter } from './claim-writer.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import { FairQueue } from './fair-queue.ts';
import { IdleHolds } from './idle-holds.ts';
import type { TenantHealth, WatchObserver } from './observer.ts';
import { Reconciler } from './reconciler.ts';
import { SuperWatch } from './super-watch.ts';
import type { SuperListener } from './super-watch.ts';
import type { LinkOptions } from './tenant-link.ts';
import { TenantLinks } from './tenant-links.ts';
import { tenantId } from './tenant-state.ts';
import type { TenantState } from './tenant-state.ts';
import { Turns } from './turns.ts';

export interface FleetWatchOptions extends Pick<
  LinkOptions,
  'open' | 'tenantNamespaces' | 'selector' | 'tenantTimeout'
> {
  readonly superApi: ApiConnection;
  /** Of the super cluster; null for all. */
  readonly namespace: string | null;
  /** `<namespace>/<name>` of the VirtualClusters that are looked at; null for all. */
  readonly only: ReadonlySet<string> | null;
  /** null: nothing is written. */
  readonly sync: { readonly hold: boolean } | null;
  /** Milliseconds. */
  readonly grace: number;
  /** Tenants opened side by side. */
  readonly concurrency: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly ownership: Ownership;
  readonly observer: WatchObserver;
}

/** A tenant that is watched, and how it can be reached. */
export interface WatchedTenant {
  readonly state: TenantState;
  readonly health: TenantHealth;
}

/**
 * A tenant that does not answer must not keep the lease from being given back before the pod is killed: its grace period is
 * 30 s (plugin/deploy/deployment.yaml). Milliseconds.
 */
const LONGEST_FINISH = 20_000;

export class FleetWatch {
  readonly #options: FleetWatchOptions;
  readonly #super: SuperWatch;
  readonly #queue: FairQueue;
  readonly #reconciler: Reconciler;
  readonly #writer: ClaimWriter | null;
  readonly #tenants: TenantLinks;
  readonly #idleHolds: IdleHolds;
  /** By tenant, then claim: when it was found to be due, monotonic milliseconds. */
  readonly #due = new Map<string, Map<string, number>>();
  /** Ends writing: what is in flight is finished. */
  readonly #finishing = new AbortController();
  readonly #ended = new AbortController();
  #fail: (error: unknown) => void = () => {};

  constructor(options: FleetWatchOptions) {
    const { superApi, namespace, sync, grace, now, observer, ownership } = options;
    this.#options = options;
    const failed = (error: unknown): void => this.#fail(error);
    this.#super = new SuperWatch(superApi, namespace, this.#superListener(), this.#ended.signal);
    this.#queue = new FairQueue((id, key) => this.#work(id, key), failed);
    this.#tenants = new TenantLinks(this.#linksOptions(failed));
    this.#idleHolds = new IdleHolds({
      isIdle: (id) => this.#queue.isIdle(id),
      mayWrite: (id) => ownership.mayWrite(id),
      observer,
    });
    const { reader } = this.#super;
    const { signal } = this.#finishing;
    this.#writer =
      sync === null ? null : new ClaimWriter({ superCluster: reader, grace, now, signal, observer, failed });
    this.#reconciler = new Reconciler({
      tenant: (id) => this.#tenants.get(id)?.state ?? null,
      super: this.#super,
      writer: this.#writer,
      grace,
      now,
      signal,
      observer,
      later: (id, key, delay) => {
        if (this.#tenants.get(id) !== null) this.#queue.addAfter(id, key, delay);
      },
      released: (tenant) => this.#dropIdleHold(tenant),
    });
  }

  /**
   * Watches until the signal is aborted; then what is in flight is finished, and everything closed.
   * @throws UserError where the super cluster cannot be read to begin with
   */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.#options.ownership.onChange(() => this.#ownershipChanged());
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

  /** The tenants that are watched now. */
  *tenants(): Generator<WatchedTenant> {
    for (const link of this.#tenants) yield { state: link.state, health: this.#tenants.health(link) };
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

  /** Milliseconds since the epoch of the super cluster's last word, 0 before the first. */
  get superLastHeard(): number {
    return this.#super.lastHeard;
  }

  /** Milliseconds since the epoch of a tenant's last word, 0 before the first and for one that is not watched. */
  lastHeardOf(virtualCluster: VirtualClusterName): number {
    return this.#tenants.get(tenantId(virtualCluster))?.lastHeard ?? 0;
  }

  /** Whether every claim of every tenant that can be reached has been looked at. */
  get isSettled(): boolean {
    if (!this.#super.isUp) return false;
    return this.tenants().every(
      ({ state, health }) => health.state === 'down' || (state.ready && this.#queue.isIdle(state.id)),
    );
  }

  /** Whether every tenant that was named is there and can be reached, and no claim is a mismatch, nor too young to tell. */
  get isConsistent(): boolean {
    // A name that was mistyped must not pass for a fleet in which all is well.
    if (!this.isSettled || this.tenants().next().done === true) return false;
    for (const id of this.#options.only ?? []) if (this.#tenants.get(id) === null) return false;
    return this.tenants().every(
      ({ state, health }) => health.state === 'up' && state.open.size === 0 && state.book.mismatches === 0,
    );
  }

  #superListener(): SuperListener {
    return {
      virtualCluster: (before, after) => {
        const told = after ?? before;
        if (told !== null) this.#tenants.update(told);
      },
      claim: (before, after) => this.#superClaimChanged(before, after),
      evidence: (change) => this.#superEvidenceChanged(change),
      kubeconfig: (rootNamespace) => {
        for (const id of this.#tenants.places.withKey(rootNamespace)) this.#tenants.get(id)?.reopen();
      },
      health: () => {
        const { error, isUp } = this.#super;
        this.#options.observer.superHealth(isUp, error?.message ?? '');
      },
    };
  }

  #linksOptions(failed: (error: unknown) => void): ConstructorParameters<typeof TenantLinks>[0] {
    const { sync, ownership, concurrency } = this.#options;
    const [first, later] = [new Turns(concurrency), new Turns(concurrency)];
    return {
      ...this.#options,
      hold: sync?.hold ?? false,
      mayWrite: (id) => ownership.mayWrite(id),
      turn: (again) => (again ? later : first).take(),
      wanted: (virtualCluster) => this.#wanted(virtualCluster),
      claim: (id, key) => this.#lookAt(id, key),
      ready: (state) => {
        state.lookAtAll();
        this.#dropIdleHold(state);
      },
      left: ({ id }) => {
        this.#queue.forget(id);
        this.#due.delete(id);
        this.#idleHolds.forget(id);
      },
      failed,
    };
  }

  /** A VirtualCluster as it is now; null where it is not to be watched by this replica. */
  #wanted({ namespace, name }: VirtualCluster): VirtualCluster | null {
    const { only, ownership } = this.#options;
    const now = this.#super.virtualClusters.get(namespace, name);
    if (now === null || now.phase !== 'Running') return null;
    const id = tenantId(now);
    return (only === null || only.has(id)) && ownership.owns(id) ? now : null;
  }

  #work(id: string, key: string): Promise<void> | null {
    const due = this.#due.get(id);
    const seen = due?.get(key) ?? performance.now();
    due?.delete(key);
    return this.#reconciler.work(id, key, seen);
  }

  #lookAt(id: string, key: string): void {
    if (this.#tenants.get(id) === null) return;
    let due = this.#due.get(id);
    if (due === undefined) this.#due.set(id, (due = new Map<string, number>()));
    if (!due.has(key)) due.set(key, performance.now());
    this.#queue.add(id, key);
  }

  #superClaimChanged(before: Claim | null, after: Claim | null): void {
    for (const claim of [before, after]) {
      if (claim === null) continue;
      for (const { id, key } of this.#tenants.places.of(claim)) {
        if (this.#tenants.get(id)?.state.has(key) === true) this.#lookAt(id, key);
      }
    }
  }

  #superEvidenceChanged(change: EvidenceChange): void {
    const concerned = new Map<string, string[]>();
    for (const place of change.claims) {
      const [namespace = '', name = ''] = place.split('/');
      const owner = this.#super.claims.byPlace.get(namespace)?.get(name)?.owner ?? null;
      for (const { id, key } of this.#tenants.places.of({ owner, namespace, name })) {
        const keys = concerned.get(id);
        if (keys === undefined) concerned.set(id, [key]);
        else keys.push(key);
      }
    }
    for (const { state } of this.#tenants) {
      state.evidenceChanged(change, 'super', concerned.get(state.id) ?? []);
    }
  }

  /**
   * Other replicas came or went, or let us write. Those whose VirtualCluster has gone were stopped when it went. What could
   * not be written until now is looked at again.
   */
  #ownershipChanged(): void {
    for (const virtualCluster of this.#super.virtualClusters) this.#tenants.update(virtualCluster);
    for (const { state } of this.#tenants) {
      if (!this.#options.ownership.mayWrite(state.id)) continue;
      for (const key of state.open) this.#lookAt(state.id, key);
    }
  }

  /** Only where all claims are looked at can a policy be seen to be without purpose. */
  #dropIdleHold(tenant: TenantState): void {
    const { sync, selector, tenantNamespaces } = this.#options;
    if (sync !== null && selector === null && tenantNamespaces.length === 0) this.#idleHolds.soon(tenant);
  }

  async #finish(): Promise<void> {
    this.#finishing.abort(new UserError('the watch ends'));
    this.#idleHolds.stop();
    await Promise.race([this.#idle(), delay(LONGEST_FINISH, undefined, { ref: false })]);
    // Whoever takes over must find nothing of ours under way.
    await this.#tenants.end();
    await this.#options.ownership.leave();
    this.#ended.abort(new UserError('the watch has ended'));
  }

  async #idle(): Promise<void> {
    await this.#queue.stop();
    await this.#writer?.ended();
  }
}
