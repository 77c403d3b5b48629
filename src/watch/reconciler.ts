/** Looks at one claim at a time: judged by what is known, confirmed, told, written. */
import { UserError } from '../errors.ts';
import { readAgain } from '../fleet/confirm.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import { abortable } from '../kube/abortable.ts';
import { reportItem } from '../reconcile/build-report.ts';
import type { EvidenceOfBoth } from '../reconcile/cause.ts';
import { settlesIn } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Evidence } from '../reconcile/model.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { isMismatch, verdictOf } from '../reconcile/verdict.ts';
import { withTimeLimit } from '../sync/time-limit.ts';
import type { ClaimWriter, Written } from './claim-writer.ts';
import type { WatchObserver, WatchRow } from './observer.ts';
import type { TenantSession } from './tenant-session.ts';
import type { TenantState } from './tenant-state.ts';

/** The super cluster as it is known. */
export interface SuperView {
  readonly claims: SuperClaims;
  readonly evidence: Evidence;
  readonly reader: ClusterReader;
}

export interface ReconcilerOptions {
  readonly tenant: (id: string) => TenantState | null;
  readonly super: SuperView;
  /** null: nothing is written. */
  readonly writer: ClaimWriter | null;
  /** Milliseconds. */
  readonly grace: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nothing is read any more once it is aborted: what was being read is not waited for. */
  readonly signal: AbortSignal;
  readonly observer: WatchObserver;
  /** Has a claim looked at later. @param delay milliseconds */
  readonly later: (id: string, key: string, delay: number) => void;
  /** A claim has no row any more, being released or gone: the policy may be without purpose now. */
  readonly released: (tenant: TenantState) => void;
}

/** A cluster that does not answer. Milliseconds. */
const UNANSWERED = 5_000;

export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /**
   * Looks at a claim. @param seen when it was found to be due, monotonic milliseconds
   * @returns null where nothing had to be awaited
   */
  work(id: string, key: string, seen: number): Promise<void> | null {
    const { tenant: find, observer } = this.#options;
    const tenant = find(id);
    if (tenant === null || !tenant.ready) return null;
    const began = performance.now();
    const told = (): void => observer.reconciled((performance.now() - began) / 1000);
    const working = this.#look(tenant, key, seen);
    if (working === null) told();
    return working === null ? null : working.finally(told);
  }

  #look(tenant: TenantState, key: string, seen: number): Promise<void> | null {
    const { writer, super: superView } = this.#options;
    tenant.open.delete(key);
    tenant.unshown.delete(key);
    const awaited = tenant.isAwaitedFor(key);
    if (awaited > 0) return this.#later(tenant, key, awaited);
    const judgement = tenant.judge(key, superView.claims, this.#evidence(tenant));
    if (judgement?.mismatch !== true) tenant.wasRead(key);
    else if (tenant.unread.has(key)) tenant.cannotRead(key, judgement.verdict);
    if (judgement === null) {
      tenant.contests.delete(key);
      return this.#drop(tenant, key, null);
    }
    const { book, session } = tenant;
    if (!isShown(judgement, book.rows.has(key))) {
      if (judgement.verdict === 'Terminating') tenant.unshown.set(key, judgement.verdict);
      // Of most claims nothing is shown: their row is not made in vain.
      return book.rows.has(key) ? this.#drop(tenant, key, this.#row(tenant, judgement, null)) : null;
    }
    const settles = judgement.mismatch
      ? settlesIn(judgement.pair, this.#options.now(), this.#options.grace)
      : 0;
    if (settles > 0) {
      tenant.unshown.set(key, judgement.verdict);
      book.drop(key, this.#row(tenant, judgement, null, true));
      return this.#later(tenant, key, settles);
    }
    if (session === null) return this.#later(tenant, key, UNANSWERED);
    if (!session.hasEvidence) {
      const { signal } = this.#options;
      const known = abortable(session.needEvidence(), signal, () => new UserError('the watch ends'));
      return known.then(
        () => void this.#later(tenant, key, 0),
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
    }
    const isWritten = writer !== null && judgement.plan !== null;
    if (!isWritten && (!judgement.mismatch || isMismatchRow(book.rows.get(key)))) {
      book.set(key, this.#row(tenant, judgement, null), judgement.pair);
      return null;
    }
    const rests = tenant.restsFor(key);
    if (rests > 0) return this.#later(tenant, key, rests);
    return isWritten
      ? this.#write(tenant, session, key, judgement, seen)
      : this.#confirm(tenant, session, key, judgement);
  }

  #drop(tenant: TenantState, key: string, now: WatchRow | null): null {
    if (!tenant.book.rows.has(key)) return null;
    tenant.book.drop(key, now);
    this.#options.released(tenant);
    return null;
  }

  #later(tenant: TenantState, key: string, delay: number): null {
    tenant.open.add(key);
    this.#options.later(tenant.id, key, delay);
    return null;
  }

  /**
   * Two watches are never equally quick: both claims are read before a mismatch is told. What counts is the verdict: a
   * tenant that writes to its claim all the time must not keep the mismatch from being told.
   */
  async #confirm(
    tenant: TenantState,
    session: TenantSession,
    key: string,
    judgement: Judgement,
  ): Promise<void> {
    const clusters = { tenant: session.reader, super: this.#options.super.reader };
    const ended = AbortSignal.any([session.signal, this.#options.signal]);
    try {
      await tenant.afford(ended);
      tenant.rest(key);
      const fresh = await withTimeLimit((signal) => readAgain(judgement.pair, clusters, signal), ended);
      // The evidence may have changed meanwhile: it counts as it is now.
      const now = tenant.judge(key, this.#options.super.claims, this.#evidence(tenant));
      tenant.wasRead(key);
      const isSo = fresh !== null && verdictOf(fresh) === judgement.verdict;
      if (isSo && now?.verdict === judgement.verdict) {
        tenant.book.set(key, this.#row(tenant, now, null), now.pair);
      } else {
        // News of it is on the way; should there be none, it is looked at again.
        this.#later(tenant, key, tenant.restsFor(key));
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#later(tenant, key, UNANSWERED);
      // A connection that was closed under it tells nothing, and a session that comes has all claims looked at.
      if (ended.aborted || !tenant.cannotRead(key, judgement.verdict)) return;
      this.#options.observer.trouble(tenant.virtualCluster, error.message);
    }
  }

  #write(
    tenant: TenantState,
    session: TenantSession,
    key: string,
    judgement: Judgement,
    seen: number,
  ): Promise<void> | null {
    const { writer } = this.#options;
    const { plan } = judgement;
    if (writer === null || plan === null) return null;
    const waiting = writer.notYet(tenant, key, judgement, plan);
    if (waiting !== null) {
      this.#tell(tenant, key, waiting);
      return null;
    }
    return writer
      .perform(tenant, session, key, judgement, plan, seen)
      .then((written) => this.#tell(tenant, key, written));
  }

  #tell(tenant: TenantState, key: string, written: Written): void {
    const { judgement } = written;
    if (judgement !== null) tenant.book.set(key, this.#row(tenant, judgement, written), judgement.pair);
    if (written.again !== null) this.#later(tenant, key, written.again);
  }

  /** @param written null: what was last done about a claim that is held stays true, of any other nothing is told */
  #row(tenant: TenantState, judgement: Judgement, written: Written | null, settling = false): WatchRow {
    const item = reportItem(tenant.virtualCluster, judgement, this.#evidence(tenant), settling);
    if (written !== null) return { item, outcome: written.outcome, message: written.message };
    const last = tenant.book.rows.get(`${judgement.pair.owner.namespace}/${judgement.pair.tenant?.name}`);
    const keeps = judgement.verdict === 'Held' && last !== undefined && STANDING.has(last.outcome ?? '');
    return keeps
      ? { item, outcome: last.outcome, message: last.message }
      : { item, outcome: null, message: '' };
  }

  #evidence(tenant: TenantState): EvidenceOfBoth {
    return { tenant: tenant.evidence.evidence, super: this.#options.super.evidence };
  }
}

/** What was done, and stays done while the claim is held. */
const STANDING: ReadonlySet<string> = new Set(['Held', 'Written']);

/** A claim on its way out is told only where it was told before: every deletion would make a row else. */
function isShown({ verdict }: Judgement, known: boolean): boolean {
  if (verdict === 'Consistent' || verdict === 'SuperOrphan') return false;
  return verdict !== 'Terminating' || known;
}

function isMismatchRow(row: WatchRow | undefined): boolean {
  return row !== undefined && isMismatch(row.item.verdict);
}
