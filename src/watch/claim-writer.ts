/** Performs one claim's plan in a fleet that is watched: what becomes of it, the watch itself will show. */
import { UserError } from '../errors.ts';
import {
  afterRefusal,
  afterWrite,
  isContested,
  isRepetition,
  pauseBefore,
  waitBefore,
} from '../reconcile/contest.ts';
import type { Contest } from '../reconcile/contest.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import type { JudgedClusters } from '../fleet/judge-again.ts';
import { recordEvent, removeEvent } from '../sync/events.ts';
import type { Kept } from '../sync/keep.ts';
import { HOLD_ROLE, NotOwnerError, SYNC_ROLE, withRole } from '../sync/tenant-api.ts';
import { writeClaim } from '../sync/write-claim.ts';
import type { WriteEnd } from '../sync/write-claim.ts';
import type { WatchObserver, WatchOutcome } from './observer.ts';
import type { TenantSession } from './tenant-session.ts';
import type { TenantState } from './tenant-state.ts';
import { Turns } from './turns.ts';

export interface WriterOptions {
  readonly superCluster: ClusterReader;
  /** Milliseconds. */
  readonly grace: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nothing new is written once it is aborted. */
  readonly signal: AbortSignal;
  readonly observer: WatchObserver;
  /** Told of a mistake of ours. */
  readonly failed: (error: unknown) => void;
}

/** What is to be told of a claim after an attempt, and when it is to be looked at again. */
export interface Written {
  /** The judgement that the row is to show; null: nothing is to be told now. */
  readonly judgement: Judgement | null;
  readonly outcome: WatchOutcome | null;
  readonly message: string;
  /** Milliseconds; null: when something changes. */
  readonly again: number | null;
}

/** A tenant that refuses or does not answer is left alone for a while, until it is reached anew. Milliseconds. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;
/** A replica that may not write is told when it may; at the latest it looks after this. Milliseconds. */
const UNTIL_OWNER = 30_000;
/** A super cluster that could not be read. Milliseconds. */
const UNTIL_READ = 5_000;
/** The connection was closed under the write: that tells nothing of the tenant. Milliseconds. */
const UNTIL_SESSION = 1_000;

/** Events that are written side by side, in all tenants. */
const EVENTS_AT_ONCE = 8;

const NOTHING: Written = { judgement: null, outcome: null, message: '', again: null };

export class ClaimWriter {
  readonly #options: WriterOptions;
  readonly #turns = new Turns(EVENTS_AT_ONCE);
  /** By tenant and claim: the Events that are being written. */
  readonly #telling = new Map<string, Promise<void>>();
  /** Until when nothing is written in a session (monotonic clock), and how long the last pause was. */
  readonly #pauses = new WeakMap<TenantSession, { readonly until: number; readonly length: number }>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Resolves when all Events are written that are to be. */
  async ended(): Promise<void> {
    await Promise.all(this.#telling.values());
  }

  /**
   * What is to be waited for before a claim's plan is performed; null: it is due.
   * Reverts are told here: that the same is due again shows that the last one was undone.
   */
  notYet(tenant: TenantState, key: string, judgement: Judgement, plan: Plan): Written | null {
    const now = performance.now();
    const contest = tenant.contests.get(key) ?? null;
    if (isRepetition(contest, plan, now)) {
      if (!contest.undone) {
        tenant.contests.set(key, { ...contest, undone: true });
        tenant.session?.keeper.doubt();
        this.#options.observer.reverted(tenant.virtualCluster);
      }
      const again = waitBefore(contest, plan, now);
      if (again > 0)
        return isContested(contest) ? contested(judgement, contest, again) : { ...NOTHING, again };
    }
    const pause = tenant.session === null ? undefined : this.#pauses.get(tenant.session);
    if (pause === undefined || pause.until <= now) return null;
    return { ...NOTHING, again: pause.until - now };
  }

  /** Performs it. Never rejects for what a cluster can cause. @param seen when its reason was seen, monotonic milliseconds */
  async perform(
    tenant: TenantState,
    session: TenantSession,
    key: string,
    judgement: Judgement,
    plan: Plan,
    seen: number,
  ): Promise<Written> {
    try {
      const kept = plan.action === 'SetPhase' ? await this.#kept(session, judgement) : null;
      const end = await writeClaim(judgement, this.#context(tenant, session));
      tenant.wasRead(key);
      const written = this.#ended(tenant, key, end, kept);
      if (end.kind !== 'unneeded') {
        const seconds = (performance.now() - seen) / 1000;
        const outcome = written.outcome ?? 'Written';
        this.#options.observer.wrote(tenant.virtualCluster, outcome, end.plan.action, seconds);
      }
      this.#pauses.delete(session);
      if (end.kind === 'written') this.#tellSoon(tenant, session, key, end.plan);
      return written;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error instanceof NotOwnerError) return { ...NOTHING, again: UNTIL_OWNER };
      if (error instanceof SuperUnread) {
        // What was being read when the watch ends tells nothing of the super cluster.
        if (!this.#options.signal.aborted && tenant.cannotRead(key, judgement.verdict))
          this.#options.observer.trouble(tenant.virtualCluster, error.message);
        return { ...NOTHING, again: UNTIL_READ };
      }
      if (session.signal.aborted) return { ...NOTHING, again: UNTIL_SESSION };
      return this.#failed(tenant, session, judgement, plan, withRole(error, SYNC_ROLE));
    }
  }

  /** With --hold the policy comes before the write. */
  async #kept(session: TenantSession, judgement: Judgement): Promise<Kept> {
    try {
      return await session.keeper.seeTo(judgement);
    } catch (error) {
      throw error instanceof UserError ? withRole(error, HOLD_ROLE) : error;
    }
  }

  #context(tenant: TenantState, { api, reader }: TenantSession): Parameters<typeof writeClaim>[1] {
    const { superCluster, now, grace, signal } = this.#options;
    return { api, clusters: { tenant: reader, super: asSuper(superCluster, tenant) }, now, grace, signal };
  }

  #ended(tenant: TenantState, key: string, end: WriteEnd, kept: Kept | null): Written {
    if (end.kind === 'unneeded') {
      tenant.rest(key);
      return NOTHING;
    }
    const before = tenant.contests.get(key) ?? null;
    if (end.kind === 'refused') {
      const contest = afterRefusal(before, end.plan, performance.now());
      tenant.contests.set(key, contest);
      const again = pauseBefore(contest);
      return { judgement: end.judgement, outcome: 'Refused', message: end.message, again };
    }
    tenant.contests.set(key, afterWrite(before, end.plan, performance.now()));
    tenant.await(key, end.claim);
    if (end.plan.action === 'Release') {
      return {
        judgement: end.judgement,
        outcome: 'Released',
        message: "given back to the tenant's PV controller",
        again: null,
      };
    }
    const keeping = kept?.keeping;
    const shown = `${end.plan.condition?.reason ?? ''}: shows the super claim's phase`;
    return keeping === undefined || keeping.kind === 'policy'
      ? { judgement: end.judgement, outcome: 'Held', message: shown, again: null }
      : { judgement: end.judgement, outcome: 'Written', message: `${shown}; ${keeping.advice}`, again: null };
  }

  /** A claim's status must not wait for the Event of another. */
  #tellSoon(tenant: TenantState, session: TenantSession, key: string, plan: Plan): void {
    const claim = `${tenant.id} ${key}`;
    // One after the other: of an Event and its removal the later one has to win.
    const telling = (this.#telling.get(claim) ?? Promise.resolve())
      .then(() => this.#turns.take())
      .then((done) => this.#tellTenant(tenant, session, key, plan).finally(done))
      .catch(this.#options.failed)
      .finally(() => {
        if (this.#telling.get(claim) === telling) this.#telling.delete(claim);
      });
    this.#telling.set(claim, telling);
  }

  /** The Event is for people: that it cannot be written is told, and keeps nothing from being done. */
  async #tellTenant(tenant: TenantState, session: TenantSession, key: string, plan: Plan): Promise<void> {
    const contested = isContested(tenant.contests.get(key) ?? null);
    try {
      if (plan.action === 'Release' && !contested) await removeEvent(session.api, plan);
      else await recordEvent(session.api, plan, this.#options.now(), contested);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error instanceof NotOwnerError || session.signal.aborted) return;
      const { message } = withRole(error, SYNC_ROLE);
      this.#options.observer.trouble(tenant.virtualCluster, `an Event could not be written: ${message}`);
    }
  }

  #failed(
    { virtualCluster }: TenantState,
    session: TenantSession,
    judgement: Judgement,
    plan: Plan,
    error: UserError,
  ): Written {
    this.#options.observer.wrote(virtualCluster, 'Failed', plan.action, 0);
    this.#options.observer.trouble(virtualCluster, error.message);
    return { judgement, outcome: 'Failed', message: error.message, again: this.#pause(session) };
  }

  /** @returns milliseconds until the session's claims may be tried again */
  #pause(session: TenantSession): number {
    const now = performance.now();
    const last = this.#pauses.get(session);
    // What was under way side by side with the write that failed first is no failure more.
    if (last !== undefined && last.until > now) return last.until - now;
    const length = Math.min(2 * (last?.length ?? FIRST_PAUSE / 2), LONGEST_PAUSE);
    this.#pauses.set(session, { until: now + length, length });
    return length;
  }
}

/** The super cluster could not be read: nothing that the tenant could do better, or is to be left alone for. */
class SuperUnread extends UserError {}

/** The super cluster, of which each claim is read at a tenant's expense: one write may take several tries. */
function asSuper(reader: ClusterReader, tenant: TenantState): JudgedClusters['super'] {
  return {
    evidence: (needs, signal) => reader.evidence(needs, signal),
    claim: async (namespace, name, signal) => {
      try {
        await tenant.afford(signal);
        return await reader.claim(namespace, name, signal);
      } catch (error) {
        throw error instanceof UserError ? new SuperUnread(error.message, { cause: error }) : error;
      }
    },
  };
}

function contested(judgement: Judgement, contest: Contest, again: number): Written {
  const pause = Math.round(pauseBefore(contest) / 1000);
  const message = `set back ${contest.repeats + 1} times after it was written; the next attempt comes ${pause}s after the last`;
  return { judgement, outcome: 'Contested', message, again };
}
