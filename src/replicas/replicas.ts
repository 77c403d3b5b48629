/** Tenants divided among live replicas, each with a Lease of its own in the super cluster. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError, oneLine } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { StatusError } from '../kube/status-error.ts';
import { instantNow } from './clock.ts';
import { LEASE_SELECTOR, leaseName } from './lease.ts';
import type { ReplicaLease } from './lease.ts';
import { LeaseApi } from './lease-api.ts';
import { Member } from './member.ts';
import type { Step } from './member.ts';
import type { Ownership, OwnershipState } from './ownership.ts';
import { LEASE_DURATION, timingsOf } from './timings.ts';
import type { Timings } from './timings.ts';

export interface ReplicasOptions {
  /** To the super cluster; stays the caller's. */
  readonly connection: ApiConnection;
  /** Of the leases. All replicas in it are one group, so two deployments need two namespaces. */
  readonly namespace: string;
  /** This replica's name, for example its pod's: no other live one may have it. */
  readonly identity: string;
  /** Ends the renewing; the lease then runs out. To give it back, `leave`. */
  readonly signal: AbortSignal;
  /** Told one line when something goes wrong, once for as long as it is the same. */
  readonly onTrouble: (line: string) => void;
  /** Milliseconds; 15 s where absent. */
  readonly leaseDuration?: number;
}

/** A lease that is to be given back is tried so often: a renewal on its way may come between. */
const MOST_RELEASES = 3;
/** k8s.io/apimachinery pkg/util/validation: a DNS-1123 subdomain, together with the prefix of the lease's name. */
const IDENTITY = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_IDENTITY = 240;

export class Replicas implements Ownership {
  readonly #identity: string;
  readonly #holder: string;
  readonly #timings: Timings;
  readonly #api: LeaseApi;
  readonly #member: Member;
  readonly #onTrouble: (line: string) => void;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #running: Promise<void> = Promise.resolve();
  /** The term that was announced last; milliseconds since the epoch. */
  #acquired: { readonly transitions: number; readonly time: number } | null = null;
  #trouble: string | null = null;
  #shown = '';
  /** Leases in a row that could not be created, since one was there that the list does not show. */
  #hidden = 0;

  private constructor({
    connection,
    namespace,
    identity,
    signal,
    onTrouble,
    leaseDuration,
  }: ReplicasOptions) {
    this.#identity = identity;
    // As kube-controller-manager's (cmd/kube-controller-manager/app/controllermanager.go): a name may come again, a
    // process does not.
    this.#holder = `${identity}_${randomUUID()}`;
    this.#timings = timingsOf(leaseDuration ?? LEASE_DURATION);
    this.#api = new LeaseApi({ connection, namespace, limit: this.#timings.validity / 2 });
    this.#member = new Member({ name: leaseName(identity), holder: this.#holder, timings: this.#timings });
    this.#onTrouble = onTrouble;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /**
   * Announces this replica and goes on renewing its lease. It may not yet own anything then: `onChange` tells.
   * @throws UserError where the leases cannot be read or written, or the identity can be no name
   */
  static async join(options: ReplicasOptions): Promise<Replicas> {
    const { identity } = options;
    if (!IDENTITY.test(identity) || identity.length > LONGEST_IDENTITY) {
      throw new UserError(
        `cannot name a Lease after replica "${oneLine(identity)}": set POD_NAME to a name of lower case letters, digits, "-" and ".", as a pod's`,
      );
    }
    const replicas = new Replicas(options);
    await replicas.#round();
    replicas.#running = replicas.#run();
    return replicas;
  }

  owns(tenant: string): boolean {
    return this.#member.owns(tenant);
  }

  mayWrite(tenant: string): boolean {
    return this.#member.mayWrite(tenant, instantNow());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  state(): OwnershipState {
    return {
      replica: this.#identity,
      live: this.#member.live(),
      holdsLease: this.#member.holdsLease(instantNow()),
      awaiting: this.#member.awaiting(),
    };
  }

  async leave(): Promise<void> {
    this.#member.leave();
    this.#tellChange();
    this.#stop.abort();
    await this.#running;
    try {
      await this.#release();
    } catch (error) {
      this.#tellTrouble(error);
    }
  }

  async #run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        const wait = this.#member.nextRoundIn(instantNow(), Math.random());
        // A timer counts whole milliseconds: rounded down it would come just before the moment that is waited for.
        await delay(Math.ceil(wait), undefined, { signal: this.#signal });
        await this.#round();
        await this.#removeDead();
      } catch (error) {
        if (!this.#signal.aborted) this.#tellTrouble(error);
      }
    }
  }

  /** @throws UserError where it failed: nothing is lost by that but time. */
  async #round(): Promise<void> {
    try {
      const began = instantNow();
      const leases = await this.#api.list(this.#signal);
      const step = this.#member.listed(leases, began, instantNow());
      this.#tellChange();
      if (step.kind === 'write') await this.#send(step);
      else if (step.holder !== null) this.#tell(this.#displaced(step.holder));
    } catch (error) {
      this.#member.failed();
      // Somebody was first, perhaps an earlier try of ours: the next list shows it.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
    }
  }

  async #send({ lease, resourceVersion }: Extract<Step, { kind: 'write' }>): Promise<void> {
    const renewed = Date.now();
    const before = this.#acquired;
    const acquired =
      before?.transitions === lease.transitions ? before : { transitions: lease.transitions, time: renewed };
    if (before !== null && acquired !== before) this.#tell(this.#lapsed());
    try {
      await this.#api.write(lease, resourceVersion, { acquired: acquired.time, renewed }, this.#signal);
    } catch (error) {
      this.#noteHidden(error, resourceVersion);
      throw error;
    }
    this.#hidden = 0;
    this.#acquired = acquired;
    this.#member.answered(instantNow());
    this.#trouble = null;
  }

  /** One that was created since the list was asked for is in the next; one that is in none is not a replica's. */
  #noteHidden(error: unknown, resourceVersion: string | null): void {
    const isHidden = error instanceof StatusError && error.code === 409 && resourceVersion === null;
    this.#hidden = isHidden ? this.#hidden + 1 : 0;
    if (this.#hidden < 2) return;
    this.#tell(
      `replica ${this.#identity} acts on nothing: Lease ${leaseName(this.#identity)} has not the labels of a replica's (${LEASE_SELECTOR}) and is left as it is; delete it, or give the replica another name (POD_NAME)`,
    );
  }

  async #removeDead(): Promise<void> {
    for (const lease of this.#member.removable(instantNow())) await this.#api.remove(lease, this.#signal);
  }

  /** Says that nobody holds the lease any more; the last replica to go leaves none behind. @throws UserError */
  async #release(): Promise<void> {
    const name = leaseName(this.#identity);
    for (let tries = 1; tries <= MOST_RELEASES; tries += 1) {
      const leases = await this.#api.list();
      const own = leases.find((lease) => lease.name === name);
      if (own === undefined || own.holder !== this.#holder) return;
      const others = leases.filter((lease) => lease !== own);
      const isLast = others.every(({ holder }) => holder === '');
      if (isLast ? await this.#api.remove(own) : await this.#handBack(own)) {
        for (const other of isLast ? others : []) await this.#api.remove(other);
        return;
      }
    }
  }

  /** @returns false where the lease has changed since. @throws UserError */
  async #handBack({ name, transitions, resourceVersion }: ReplicaLease): Promise<boolean> {
    const { duration } = this.#timings;
    const now = Date.now();
    const nobodys = { name, holder: '', transitions, duration, actsUpon: [] };
    try {
      await this.#api.write(nobodys, resourceVersion, { acquired: now, renewed: now });
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      throw error;
    }
  }

  #lapsed(): string {
    return `replica ${this.#identity}: its lease ran out or was lost (it was stopped, or cut off from the API server); it writes nothing until it has announced itself again`;
  }

  #displaced(holder: string): string {
    return `replica ${this.#identity} acts on nothing: its Lease ${leaseName(this.#identity)} is held by another process (${oneLine(holder)}); give each replica a name of its own (POD_NAME), or wait until that one is dead`;
  }

  #tellChange(): void {
    const { live, awaiting, holdsLease } = this.state();
    const shown = JSON.stringify([live, awaiting, holdsLease]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }

  #tellTrouble(error: unknown): void {
    if (!(error instanceof UserError)) throw error;
    this.#tell(error.message);
  }

  #tell(line: string): void {
    if (line === this.#trouble) return;
    this.#trouble = line;
    this.#onTrouble(line);
  }
}
