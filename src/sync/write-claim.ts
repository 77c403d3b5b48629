/** One claim's write: decided, sent, and decided again where the claim was no longer what it was decided on. */
import { oneLine } from '../errors.ts';
import type { UserError } from '../errors.ts';
import type { Clusters } from '../fleet/confirm.ts';
import { judgeAgain, judgeFresh } from '../fleet/judge-again.ts';
import { StatusError } from '../kube/status-error.ts';
import { isSettling } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Claim } from '../reconcile/model.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { SentPatch } from '../reconcile/sync-report.ts';
import { isLackOfPermission, patchOf } from './tenant-api.ts';
import type { TenantApi } from './tenant-api.ts';

/** A claim that somebody else writes faster than we read it is left for the next run after so many tries. */
const MOST_ATTEMPTS = 8;

export interface WriteContext {
  readonly api: TenantApi;
  readonly clusters: Clusters;
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
 * @throws UserError where a cluster does not answer, or the permission is missing: then no other claim will do better.
 */
export async function writeClaim(first: Judgement, context: WriteContext): Promise<WriteEnd> {
  const { api, clusters, signal } = context;
  let judgement = await withSuperClaimNow(first, context);
  let sent: Sent | null = null;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const { plan } = judgement;
    const reason = reasonNotToWrite(judgement, context);
    if (plan === null || reason !== null) {
      return wasPerformed(sent, judgement) ?? { kind: 'unneeded', judgement, message: reason ?? '' };
    }
    const patch = patchOf(plan, context.now());
    sent = { plan, patch };
    try {
      return { kind: 'written', judgement, ...sent, claim: await api.patch(patch) };
    } catch (error) {
      if (!(error instanceof StatusError) || isLackOfPermission(error)) throw error;
      if (!hasChanged(error)) return { kind: 'refused', judgement, message: refusal(error), ...sent };
    }
    const again = await judgeAgain(judgement.pair, clusters, signal);
    if (again === null) return { kind: 'unneeded', judgement: null, message: 'deleted in the meantime' };
    judgement = again;
  }
  const message = `changed by somebody else at each of ${MOST_ATTEMPTS} attempts: left for the next run`;
  return sent === null
    ? { kind: 'unneeded', judgement, message }
    : { kind: 'refused', judgement, message, ...sent };
}

interface Sent {
  readonly plan: Plan;
  readonly patch: SentPatch;
}

/** @returns null where there is something to write */
function reasonNotToWrite({ pair, plan, verdict }: Judgement, context: WriteContext): string | null {
  if (context.signal.aborted) return 'interrupted before it was written';
  if (plan === null) return `changed in the meantime: now ${verdict}`;
  if (!isSettling(pair, context.now(), context.grace)) return null;
  return 'made anew in the meantime: left to the syncer for now';
}

/** The answer to a write can be lost on the way and the write be done: then it is there to be seen. */
function wasPerformed(sent: Sent | null, judgement: Judgement): WriteEnd | null {
  const claim = judgement.pair.tenant;
  if (sent === null || claim === null || claim.uid !== sent.plan.uid) return null;
  const there = claim.phase === sent.plan.phase && claim.held === (sent.plan.condition !== null);
  return there ? { kind: 'written', judgement, ...sent, claim } : null;
}

async function withSuperClaimNow(
  judgement: Judgement,
  { clusters, signal }: WriteContext,
): Promise<Judgement> {
  const { pair } = judgement;
  const name = pair.tenant?.name ?? '';
  const superClaim = await clusters.super.claim(pair.superNamespace, name, signal);
  if (superClaim !== null && superClaim.resourceVersion === pair.super?.resourceVersion) return judgement;
  return judgeFresh({ ...pair, super: superClaim }, clusters, signal);
}

/** 409: another resourceVersion; 404: gone; 422 about metadata.uid: another claim of the name. */
function hasChanged({ code, statusMessage }: StatusError): boolean {
  return code === 409 || code === 404 || (code === 422 && statusMessage.includes('metadata.uid'));
}

function refusal(error: UserError): string {
  return oneLine(
    error instanceof StatusError
      ? `refused by the tenant's API server: ${error.statusMessage}`
      : error.message,
  );
}
