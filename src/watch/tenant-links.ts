/** The tenants that are watched: each is started, renewed and stopped as its VirtualCluster calls for. */
import { clusterKey } from '../reconcile/mapping.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { TenantHealth, WatchObserver } from './observer.ts';
import { PlaceIndex } from './place-index.ts';
import { TenantLink } from './tenant-link.ts';
import type { LinkOptions } from './tenant-link.ts';
import { TenantState, tenantId } from './tenant-state.ts';

export interface TenantLinksOptions extends Omit<LinkOptions, 'health' | 'ready'> {
  /** The VirtualCluster of this name as it is now; null where it is gone or not to be watched. */
  readonly wanted: (virtualCluster: VirtualCluster) => VirtualCluster | null;
  /** A claim is to be looked at. */
  readonly claim: (id: string, key: string) => void;
  /** All claims of a tenant have become known. */
  readonly ready: (state: TenantState) => void;
  /** A tenant is not watched any more. */
  readonly left: (state: TenantState) => void;
  readonly observer: WatchObserver;
  /** Told of a mistake of ours. */
  readonly failed: (error: unknown) => void;
}

export class TenantLinks {
  readonly places = new PlaceIndex();
  readonly #options: TenantLinksOptions;
  readonly #links = new Map<string, TenantLink>();
  readonly #healths = new Map<string, TenantHealth>();
  /** Tenants whose last connection is still being closed. */
  readonly #stopping = new Set<string>();
  #ended = false;

  constructor(options: TenantLinksOptions) {
    this.#options = options;
  }

  *[Symbol.iterator](): Generator<TenantLink> {
    yield* this.#links.values();
  }

  get(id: string): TenantLink | null {
    return this.#links.get(id) ?? null;
  }

  /** How a tenant that is watched can be reached. */
  health({ state }: TenantLink): TenantHealth {
    return this.#healths.get(state.id) ?? starting(state);
  }

  /** Starts, renews or stops a tenant, as its VirtualCluster now calls for. @param told any version of it */
  update(told: VirtualCluster): void {
    if (this.#ended) return;
    const id = tenantId(told);
    const wanted = this.#options.wanted(told);
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

  /** Ends all of them. @returns once nothing is open any more */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#links.values().map((link) => link.stop()));
  }

  #start(virtualCluster: VirtualCluster): void {
    const { observer, claim, ready, failed } = this.#options;
    const state = new TenantState(virtualCluster, {
      claim,
      row: (event) => observer.row(event),
      place: (id, namespace, superNamespace, present) =>
        this.places.place(id, namespace, superNamespace, present),
    });
    const health = (now: TenantHealth): void => {
      if (this.#links.get(state.id)?.state !== state) return;
      this.#healths.set(state.id, now);
      observer.health(now);
    };
    const link = new TenantLink(state, { ...this.#options, health, ready });
    this.places.add(state.id, state.clusterKey);
    this.#links.set(state.id, link);
    health(starting(state));
    link.start(failed);
  }

  #stop(id: string, link: TenantLink): void {
    const { state } = link;
    this.#links.delete(id);
    this.#healths.delete(id);
    this.places.remove(id, state.clusterKey, state.superNamespaces.values());
    state.book.close();
    this.#options.left(state);
    this.#options.observer.left(state.virtualCluster);
    this.#stopping.add(id);
    void link.stop().then(() => {
      this.#stopping.delete(id);
      this.update(state.virtualCluster);
    });
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
