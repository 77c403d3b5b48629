/** What is known of one tenant that is watched. */
import { UserError } from '../errors.ts';
import { pause } from '../kube/retry.ts';
import type { EvidenceOfBoth } from '../reconcile/cause.ts';
import type { Contest } from '../reconcile/contest.ts';
import { judge } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Claim, Verdict, VirtualCluster } from '../reconcile/model.ts';
import { pairClaim } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { Budget } from './budget.ts';
import { EvidenceStores } from './evidence-stores.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import { ObjectStore } from './object-store.ts';
import type { RowEvent } from './observer.ts';
import { RowBook } from './row-book.ts';
import type { TenantSession } from './tenant-session.ts';

/** What a tenant's state tells the watch. */
export interface TenantListener {
  /** A claim is to be looked at. @param key `<namespace>/<name>` */
  claim(id: string, key: string): void;
  row(event: RowEvent): void;
  /** A tenant namespace got its first claim, or lost its last: super claims at that place concern it, or no more. */
  place(id: string, namespace: string, superNamespace: string, present: boolean): void;
}

/** A write of ours that the tenant's watch has not told yet: until then what it tells is older. */
interface Awaited {
  readonly resourceVersion: string;
  /** On the monotonic clock, milliseconds: a watch that starts anew may leave it out. */
  readonly until: number;
}

/** Milliseconds. */
const AWAITED_FOR = 2_000;
/** Between two readings of a claim that write nothing, milliseconds: its tenant may change it as fast as it likes. */
const REST = 1_000;

export class TenantState {
  /** As it is now; what makes it another tenant never changes. */
  virtualCluster: VirtualCluster;
  /** `<namespace>/<name>` of the VirtualCluster. */
  readonly id: string;
  readonly clusterKey: string;
  readonly claims: ObjectStore<Claim>;
  readonly evidence: EvidenceStores;
  readonly book: RowBook;
  /** By claim key. */
  readonly contests = new Map<string, Contest>();
  /** Keys of claims that are to be looked at again before anything final can be said of them. */
  readonly open = new Set<string>();
  /** Verdicts of claims that have no row although they are not Consistent: too young, not confirmed, on their way out. */
  readonly unshown = new Map<string, Verdict>();
  /** Keys of mismatches that cannot be told from a difference in time: a cluster does not let the claims be read again. */
  readonly unread = new Set<string>();
  /** Its claims have been listed. */
  ready = false;
  /** null while there is no connection. */
  session: TenantSession | null = null;
  readonly #budget = new Budget();
  readonly #listener: TenantListener;
  readonly #superNamespaces = new Map<string, string>();
  readonly #awaited = new Map<string, Awaited>();
  /** By claim key, on the monotonic clock, milliseconds. */
  readonly #rests = new Map<string, number>();

  constructor(virtualCluster: VirtualCluster, listener: TenantListener) {
    this.virtualCluster = virtualCluster;
    this.id = tenantId(virtualCluster);
    this.clusterKey = clusterKey(virtualCluster);
    this.#listener = listener;
    this.book = new RowBook((event) => listener.row(event));
    this.claims = new ObjectStore<Claim>((before, after) => this.#claimChanged(before, after));
    this.evidence = new EvidenceStores(false, (change) =>
      this.evidenceChanged(change, 'tenant', change.claims),
    );
  }

  /**
   * A mismatch could not be read again.
   * @returns whether that is to be told: of many claims it is the same trouble, until all can be read
   */
  cannotRead(key: string, verdict: Verdict): boolean {
    const isFirst = this.unread.size === 0;
    this.unread.add(key);
    if (!this.book.rows.has(key)) this.unshown.set(key, verdict);
    return isFirst;
  }

  /** A claim that could not be read again, if it was one, has been read, or need not be any more. */
  wasRead(key: string): void {
    if (this.unread.delete(key)) this.unshown.delete(key);
  }

  /** Judges a claim by what is known. @returns null where there is no such claim */
  judge(key: string, superClaims: SuperClaims, evidence: EvidenceOfBoth): Judgement | null {
    const [namespace = '', name = ''] = key.split('/');
    const claim = this.claims.get(namespace, name);
    if (claim === null) return null;
    const owner = { clusterKey: this.clusterKey, namespace };
    return judge(pairClaim(owner, claim, this.#superNamespace(namespace), superClaims), evidence);
  }

  has(key: string): boolean {
    const [namespace = '', name = ''] = key.split('/');
    return this.claims.get(namespace, name) !== null;
  }

  /** Whether any claim carries our condition. */
  get isHolding(): boolean {
    for (const claim of this.claims) if (claim.held) return true;
    return false;
  }

  /** Has every claim looked at. */
  lookAtAll(): void {
    for (const claim of this.claims) this.#listener.claim(this.id, claimKey(claim));
  }

  /**
   * Has the claims looked at again whose cause may have changed.
   * @param side the cluster that has changed
   * @param claims keys of this tenant's claims that a changed volume names, or whose super claim it names; or that it named
   */
  evidenceChanged(change: EvidenceChange, side: 'tenant' | 'super', claims: Iterable<string>): void {
    for (const key of claims) if (this.book.rows.has(key)) this.#listener.claim(this.id, key);
    for (const key of this.book.concernedBy(change, side)) this.#listener.claim(this.id, key);
  }

  /** A write was answered with this version. */
  await(key: string, { namespace, name, resourceVersion }: Claim): void {
    if (this.claims.get(namespace, name)?.resourceVersion === resourceVersion) return;
    this.#awaited.set(key, { resourceVersion, until: performance.now() + AWAITED_FOR });
  }

  /** Milliseconds for which what is known of a claim is older than our last write. */
  isAwaitedFor(key: string): number {
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) return 0;
    const left = awaited.until - performance.now();
    if (left <= 0) this.#awaited.delete(key);
    return Math.max(0, left);
  }

  /** A claim is read, and nothing written: from now on it is left alone for a moment. */
  rest(key: string): void {
    this.#rests.set(key, performance.now() + REST);
  }

  /** Milliseconds until a claim may be read again; 0: now. */
  restsFor(key: string): number {
    const left = (this.#rests.get(key) ?? 0) - performance.now();
    if (left <= 0) this.#rests.delete(key);
    return Math.max(0, left);
  }

  /** Waits until the tenant's budget has what reading one super claim costs. @throws UserError once it is aborted */
  async afford(signal: AbortSignal): Promise<void> {
    const wait = this.#budget.take(this.claims.size, performance.now());
    if (wait > 0) await pause(wait, signal, () => new UserError('interrupted'));
  }

  #superNamespace(namespace: string): string {
    return this.#superNamespaces.get(namespace) ?? superNamespaceName(this.clusterKey, namespace);
  }

  #claimChanged(before: Claim | null, after: Claim | null): void {
    const claim = after ?? before;
    if (claim === null) return;
    const { namespace } = claim;
    this.#notePlace(namespace);
    const key = claimKey(claim);
    const awaited = this.#awaited.get(key);
    if (after === null || awaited?.resourceVersion === after.resourceVersion) this.#awaited.delete(key);
    if (after === null) this.#rests.delete(key);
    if (before !== null && after !== null && before.uid !== after.uid) this.contests.delete(key);
    // Before, nothing is said of any claim; then all of them are looked at.
    if (this.ready) this.#listener.claim(this.id, key);
  }

  #notePlace(namespace: string): void {
    const present = this.claims.byPlace.has(namespace);
    if (present === this.#superNamespaces.has(namespace)) return;
    const superNamespace = this.#superNamespace(namespace);
    if (present) this.#superNamespaces.set(namespace, superNamespace);
    else this.#superNamespaces.delete(namespace);
    this.#listener.place(this.id, namespace, superNamespace, present);
  }

  /** The places that were told. */
  get superNamespaces(): ReadonlyMap<string, string> {
    return this.#superNamespaces;
  }
}

/** The name under which a tenant is queued, owned and told. */
export function tenantId({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** A claim's key within its tenant. */
export function claimKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
