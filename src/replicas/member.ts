/**
 * One replica among others, as a pure state machine: time and lists are passed in, writes are given out. What it
 * promises, and why that holds, is in docs/replicas.md.
 */
import { longestSince } from './clock.ts';
import type { Instant } from './clock.ts';
import { replicaOf, termOf } from './lease.ts';
import type { LeaseContent, ReplicaLease } from './lease.ts';
import { Observations } from './observations.ts';
import { ownerOf } from './rendezvous.ts';
import type { Timings } from './timings.ts';

/** What a round has to send once its list is taken in. */
export type Step =
  /** Create the lease, or (with the resourceVersion that the list showed) replace it. */
  | { readonly kind: 'write'; readonly lease: LeaseContent; readonly resourceVersion: string | null }
  /** Nothing: another process (else null) holds the lease of this name; or it is not known yet which of the others live. */
  | { readonly kind: 'wait'; readonly holder: string | null };

/** A term of this replica that was announced. */
interface Term {
  readonly transitions: number;
  /** When the round began that renewed the lease last. */
  readonly renewed: Instant;
}

export interface MemberOptions {
  /** Of its Lease. */
  readonly name: string;
  /** Of this process: no other that ever was has the same. */
  readonly holder: string;
  readonly timings: Timings;
}

/**
 * A round, again and again, one at a time: ask for the list of all leases, hand it to `listed`, send what that gives, and
 * say `answered`, or `failed` where either came to
 * nothing.
 */
export class Member {
  readonly #name: string;
  readonly #holder: string;
  readonly #timings: Timings;
  readonly #others: Observations;
  /** Lease names that the tenants are divided among, this one's included; none before the first list. */
  #members: readonly string[] = [];
  /** The owner of each tenant that was asked for, among these members. */
  #owners = new Map<string, string | null>();
  #awaiting: readonly string[] = [];
  #term: Term | null = null;
  /** A list was read that was asked for after this term was announced. */
  #confirmed = false;
  /** Transitions and beginning of a write under way. */
  #sent: Term | null = null;
  #lastTransitions = 0;
  /** When the last list was taken in, monotonic milliseconds. */
  #taken = -Infinity;
  #hasWritten = false;
  #hasFailed = false;
  #left = false;

  constructor({ name, holder, timings }: MemberOptions) {
    this.#name = name;
    this.#holder = holder;
    this.#timings = timings;
    this.#others = new Observations(timings.duration);
  }

  /**
   * Takes in a list.
   * @param began when the round began: before its list was asked for
   * @param now after its answer was read
   */
  listed(leases: readonly ReplicaLease[], began: Instant, now: Instant): Step {
    this.#hasFailed = false;
    this.#taken = now.monotonic;
    const own = leases.find(({ name }) => name === this.#name) ?? null;
    if (this.#term !== null && !this.#continues(this.#term, own, now)) this.#endTerm();
    const displaced = own !== null && own.holder !== '' && own.holder !== this.#holder;
    this.#others.take(
      leases.filter((lease) => lease !== own || displaced),
      began.monotonic,
      now.monotonic,
      !this.#hasWritten,
    );
    this.#confirmed = this.#term !== null;
    const holder = displaced && !this.#others.isOver(this.#name) ? own.holder : null;
    // The others let a newcomer have its share at once, but it writes only when none is left that may be alive and has not
    // said so: before it takes anything, it sees who is.
    const waits = holder !== null || (this.#lastTransitions === 0 && this.#others.areUnproven());
    this.#divide(waits);
    return waits ? { kind: 'wait', holder } : this.#write(own, began, now);
  }

  /** What `listed` gave was sent and answered with success. */
  answered(now: Instant): void {
    const sent = this.#sent;
    this.#sent = null;
    if (sent === null) return;
    // Between two renewals the lease must not have run out: others may have gone by that.
    if (this.#term !== null && !this.#isValid(this.#term, now)) this.#endTerm();
    else this.#term = sent;
  }

  /** The list or the write had no answer, or a refusal: it may or may not have been done. */
  failed(): void {
    this.#sent = null;
    this.#hasFailed = true;
  }

  /** Whether the tenant falls to this replica, as it sees the others. */
  owns(tenant: string): boolean {
    if (this.#left) return false;
    let owner = this.#owners.get(tenant);
    if (owner === undefined) {
      owner = ownerOf(tenant, this.#members);
      this.#owners.set(tenant, owner);
    }
    return owner === this.#name;
  }

  /** Whether this replica, and at this moment no other, may write the tenant. */
  mayWrite(tenant: string, now: Instant): boolean {
    return this.holdsLease(now) && this.#confirmed && this.#awaiting.length === 0 && this.owns(tenant);
  }

  /** Whether its lease is surely valid. */
  holdsLease(now: Instant): boolean {
    return !this.#left && this.#term !== null && this.#isValid(this.#term, now);
  }

  /** Names of the replicas that tenants are divided among, sorted. */
  live(): readonly string[] {
    return this.#members.map(replicaOf);
  }

  /** Names of the replicas that have not yet said that they act upon this one, sorted. */
  awaiting(): readonly string[] {
    return this.#awaiting.map(replicaOf);
  }

  /** Leases of replicas that are long dead: to be deleted as they were seen. */
  removable(now: Instant): readonly ReplicaLease[] {
    if (!this.holdsLease(now)) return [];
    return this.#others.removable(now.monotonic, this.#timings.removal);
  }

  /** Milliseconds until the next round is to begin. @param random from 0 to 1 */
  nextRoundIn(now: Instant, random: number): number {
    const { impatience, settling } = this.#timings;
    const interval = this.#timings.interval * (1 + random / 5);
    if (this.#hasFailed) return interval;
    if (this.#term !== null && !this.#confirmed) return 0;
    const usual = this.#awaiting.length > 0 ? impatience : interval;
    const moment = this.#others.nextMoment(this.#taken, settling) - now.monotonic;
    return Math.max(0, Math.min(usual, moment));
  }

  /** Owns nothing from now on. */
  leave(): void {
    this.#left = true;
  }

  /** Whether the term that was announced is still the one that the lease tells of, and has not run out. */
  #continues(term: Term, own: ReplicaLease | null, now: Instant): boolean {
    if (own === null || termOf(own) !== this.#termName(term.transitions)) return false;
    return this.#isValid(term, now);
  }

  #endTerm(): void {
    this.#term = null;
    this.#others.restart();
  }

  #isValid(term: Term, now: Instant): boolean {
    return longestSince(term.renewed, now) < this.#timings.validity;
  }

  #divide(waits: boolean): void {
    const live = this.#others.live().filter(({ name }) => name !== this.#name);
    const names = live.map(({ name }) => name);
    // Whoever has not announced itself has no share.
    const members = (waits ? names : [this.#name, ...names]).toSorted();
    if (members.join() !== this.#members.join()) this.#owners = new Map();
    this.#members = members;
    const term = this.#term === null ? null : this.#termName(this.#term.transitions);
    this.#awaiting = live
      .filter(({ actsUpon }) => term === null || !actsUpon.has(term))
      .map(({ name }) => name)
      .toSorted();
    if (this.#confirmed && this.#awaiting.length === 0) this.#hasWritten = true;
  }

  #write(own: ReplicaLease | null, began: Instant, now: Instant): Step {
    // A number that was sent and not answered may have been seen: the next try is another term.
    const next = Math.max(this.#lastTransitions, own?.transitions ?? 0) + 1;
    const transitions = this.#term?.transitions ?? next;
    this.#lastTransitions = Math.max(this.#lastTransitions, transitions);
    this.#sent = { transitions, renewed: began };
    const { duration, settling } = this.#timings;
    const actsUpon = this.#others.settled(now.monotonic, settling);
    return {
      kind: 'write',
      lease: { name: this.#name, holder: this.#holder, transitions, duration, actsUpon },
      resourceVersion: own === null ? null : own.resourceVersion,
    };
  }

  #termName(transitions: number): string {
    return termOf({ holder: this.#holder, transitions });
  }
}
