/** One attempt to perform a plan. */
import { UserError, oneLine } from '../errors.ts';
import { StatusError } from '../kube/status-error.ts';
import { HOLD_CONDITION } from '../reconcile/model.ts';
import type { Claim } from '../reconcile/model.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { SentPatch } from '../reconcile/sync-report.ts';
import { NotOwnerError, isLackOfPermission, patchOf } from './tenant-api.ts';
import type { TenantApi } from './tenant-api.ts';

/** How it ended, with what was sent. */
export type Attempt = { readonly plan: Plan; readonly patch: SentPatch } & (
  | { readonly kind: 'done'; readonly claim: Claim }
  /** The claim is said to be no longer as it was read: to be read and decided again. The message is for where it is. */
  | { readonly kind: 'changed'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** No answer, or one that says nothing of the claim: it may have been written. */
  | { readonly kind: 'unanswered'; readonly error: UserError }
);

/**
 * @param now milliseconds since the epoch
 * @param once what is planned depends on a state that may have changed when it is sent again
 * @throws StatusError where the permission is missing, NotOwnerError
 */
export async function sendPlan(api: TenantApi, plan: Plan, now: number, once: boolean): Promise<Attempt> {
  const patch = patchOf(plan, now);
  try {
    return { plan, patch, ...checked(await api.patch(patch, once), plan, api) };
  } catch (error) {
    if (!(error instanceof UserError) || isLackOfPermission(error)) throw error;
    // What another replica may have written by now is not our write.
    if (error instanceof NotOwnerError) throw error;
    if (!(error instanceof StatusError) || error.code >= 500 || error.code === 429) {
      return { plan, patch, kind: 'unanswered', error };
    }
    const why = error.statusMessage === '' ? error.message : error.statusMessage;
    const message = oneLine(`refused by the tenant's API server: ${why}`);
    if (!hasChanged(error)) return { plan, patch, kind: 'refused', message };
    return { plan, patch, kind: 'changed', message: `${message}, although the claim is as it was read` };
  }
}

/** A tenant's API server may answer anything: only the claim itself, with the phase that was written, is a success. */
function checked(
  claim: Claim,
  plan: Plan,
  api: TenantApi,
):
  | { readonly kind: 'done'; readonly claim: Claim }
  | { readonly kind: 'unanswered'; readonly error: UserError } {
  const { description } = api.connection.settings;
  const place = `${plan.namespace}/${plan.name}`;
  if (claim.uid !== plan.uid || claim.name !== plan.name || claim.namespace !== plan.namespace) {
    const error = new UserError(`cannot patch ${place} of ${description}: the answer is not this claim`);
    return { kind: 'unanswered', error };
  }
  const otherwise = otherwiseThan(plan, claim);
  if (otherwise !== null) {
    const error = new UserError(
      `cannot patch ${place} of ${description}: the answer shows ${otherwise}: has a mutating admission policy or webhook changed it?`,
    );
    return { kind: 'unanswered', error };
  }
  return { kind: 'done', claim };
}

/** What a claim shows that is not what was planned; null where there is nothing. */
function otherwiseThan({ phase, condition }: Plan, claim: Claim): string | null {
  if (claim.phase !== phase) return `phase ${oneLine(claim.phase)} in place of ${phase}`;
  if (claim.held === (condition !== null)) return null;
  return `${claim.held ? 'still' : 'no'} condition ${HOLD_CONDITION}=False`;
}

/** 409: another resourceVersion; 404: gone; 422 about metadata.uid: another claim of the name. */
function hasChanged({ code, statusMessage }: StatusError): boolean {
  return code === 409 || code === 404 || (code === 422 && statusMessage.includes('metadata.uid'));
}

/** The answer to a write can be lost on the way and the write be done: then the claim shows it. */
export function isPerformed(plan: Plan, claim: Claim): boolean {
  return claim.uid === plan.uid && claim.phase === plan.phase && claim.held === (plan.condition !== null);
}

/** Whether a claim that is read again is what it was: then what is told of a change is a refusal. */
export function isUnchanged(before: Claim | null, now: Claim | null): boolean {
  return before?.uid === now?.uid && before?.resourceVersion === now?.resourceVersion;
}
