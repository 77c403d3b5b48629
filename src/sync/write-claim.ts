/** One claim's write: decided, sent, and decided again where the claim was no longer what it was decided on. */
import { UserError } from '../errors.ts';
import { judgeAgain, judgeFresh } from '../fleet/judge-again.ts';
import type { JudgedClusters } from '../fleet/judge-again.ts';
import { isSettling } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import { pause } from '../kube/retry.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { SentPatch } from '../reconcile/sync-report.ts';
import { isPerformed, isUnchanged, sendPlan } from './send-plan.ts';
import type { Attempt } from './send-plan.ts';
import type { TenantApi } from './tenant-api.ts';
import { withTimeLimit } from './time-limit.ts';

/** A claim that somebody else writes faster than we read it is left for the next run after so many tries. */
const MOST_ATTEMPTS = 8;
/** All the waiting that a tenant's API server may ask for before one claim is written. Milliseconds. */
const MOST_WAITING = 30_000;

export interface WriteContext {
  readonly api: TenantApi;
  readonly clusters: JudgedClusters;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds; a claim younger than this is left to the syncer. */
  readonly grace: number;
  /** Ends the command: nothing new is begun, what is under way is finished. */
  readonly signal: AbortSignal;
}

/** How a write ended. */
export type WriteEnd =
  | {
      readonly kind: 'written';
      readonly judgement: Judgement;
      readonly plan: Plan;
      readonly patch: SentPatch;
      /** As the API server answered. */
      readonly claim: Claim;
    }
  | {
      readonly kind: 'refused';
      readonly judgement: Judgement;
      readonly plan: Plan;
      readonly message: string;
      readonly patch: SentPatch;
    }
  /** Nothing is to be written any more; null where the claim is gone. */
  | { readonly kind: 'unneeded'; readonly judgement: Judgement | null; readonly message: string };

/**
 * Writes what a judgement plans, at most once. The super claim is read again just before: what is written must be
 * its phase now, not when it was listed.
 * @throws UserError where a cluster does not answer, the permission is missing or the tenant is another replica's: then no
 * other claim will do better.
 */
export async function writeClaim(first: Judgement, context: WriteContext): Promise<WriteEnd> {
  const { api, signal } = context;
  if (signal.aborted) return { kind: 'unneeded', judgement: first, message: INTERRUPTED };
  let judgement = await withSuperClaimNow(first, context);
  let last: Attempt | null = null;
  let waited = 0;
  for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
    const { plan } = judgement;
    const reason = reasonNotToWrite(judgement, context);
    if (plan === null || reason !== null) return { kind: 'unneeded', judgement, message: reason ?? '' };
    last = await sendPlan(api, plan, context.now(), true);
    if (last.kind === 'done') return { ...last, kind: 'written', judgement };
    if (last.kind === 'refused') return { ...last, judgement };
    const wait = last.kind === 'unanswered' ? waitAfter(last.error, attempts, waited) : 0;
    if (wait !== null && wait > 0) await waitUnlessEnded(wait, signal);
    waited += wait ?? 0;
    const again = await judgedAgain(judgement, last, context);
    if (again === null) return { kind: 'unneeded', judgement: null, message: 'deleted in the meantime' };
    const claim = again.pair.tenant;
    if (claim !== null && isPerformed(plan, claim)) {
      return { kind: 'written', judgement: again, plan, patch: last.patch, claim };
    }
    if (last.kind === 'unanswered' && wait === null) throw last.error;
    if (last.kind === 'changed' && isUnchanged(judgement.pair.tenant, claim)) {
      return { ...last, kind: 'refused', judgement: again };
    }
    judgement = again;
  }
  const message = `changed by somebody else at each of ${MOST_ATTEMPTS} attempts: left for the next run`;
  return last === null
    ? { kind: 'unneeded', judgement, message }
    : { kind: 'refused', judgement, message, plan: last.plan, patch: last.patch };
}

/**
 * After how long a write that was not answered may be tried again, everything having been decided anew: what it said
 * need not be true any more. A connection that was lost is tried again once, as any request is (kube/connection.ts).
 * @param attempts before this one
 * @param waited milliseconds so far
 * @returns milliseconds; null where another attempt would do no better, or there have been enough
 */
function waitAfter(error: UserError, attempts: number, waited: number): number | null {
  if (!(error instanceof StatusError)) return attempts === 0 ? 0 : null;
  if (error.retryAfter === null || attempts + 1 >= MOST_ATTEMPTS) return null;
  const wait = error.retryAfter * 1000;
  return waited + wait > MOST_WAITING ? null : wait;
}

async function waitUnlessEnded(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, signal, () => new UserError(INTERRUPTED)).catch(() => {});
}

/** Where the tenant does not answer a read either, the first failure is the one to be told. */
async function judgedAgain(
  { pair }: Judgement,
  attempt: Attempt,
  { clusters, signal }: WriteContext,
): Promise<Judgement | null> {
  try {
    return await withTimeLimit((within) => judgeAgain(pair, clusters, within), signal);
  } catch (error) {
    throw attempt.kind === 'unanswered' && error instanceof UserError ? attempt.error : error;
  }
}

const INTERRUPTED = 'interrupted before it was written';

/** @returns null where there is something to write */
function reasonNotToWrite({ pair, plan, verdict }: Judgement, context: WriteContext): string | null {
  if (context.signal.aborted) return INTERRUPTED;
  if (plan === null) return `changed in the meantime: now ${verdict}`;
  if (!isSettling(pair, context.now(), context.grace)) return null;
  return 'made anew in the meantime: left to the syncer for now';
}

async function withSuperClaimNow(
  judgement: Judgement,
  { clusters, signal }: WriteContext,
): Promise<Judgement> {
  const { pair } = judgement;
  const name = pair.tenant?.name ?? '';
  const superClaim = await withTimeLimit(
    (within) => clusters.super.claim(pair.superNamespace, name, within),
    signal,
  );
  if (superClaim !== null && superClaim.resourceVersion === pair.super?.resourceVersion) return judgement;
  return withTimeLimit((within) => judgeFresh({ ...pair, super: superClaim }, clusters, within), signal);
}
