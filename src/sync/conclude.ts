/** What a write came to, once the tenant's PV controller has had its say. */
import type { Claim } from '../reconcile/model.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { Outcome } from '../reconcile/sync-report.ts';
import { isBound } from '../reconcile/verdict.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import type { ClaimWatch, Observation } from './claim-watch.ts';
import { withTimeLimit } from './time-limit.ts';

/**
 * The controller answers a change within milliseconds. Where the policy is in effect there is nothing to wait for but
 * a second API server that does not know it yet. Milliseconds.
 */
const KEPT_FOR = 1_000;
/** Nothing keeps it: the controller also looks at every claim each 15 s (pv_controller_base.go, resyncPeriod). Milliseconds. */
const UNKEPT_FOR = 20_000;

/** How a phase is kept in this tenant. */
export type Keeping =
  | { readonly kind: 'policy' }
  /** none: why nothing keeps it, and what can be done; unknown: it was not asked, or may not be. Ends a sentence. */
  | { readonly kind: 'none' | 'unknown'; readonly advice: string };

export interface Conclusion {
  readonly outcome: Outcome;
  readonly message: string;
  readonly is: string;
  /** Undone although the policy is in effect: worth another look and another try. */
  readonly contested: boolean;
}

/** Watches a written claim for as long as it takes to see the controller's answer. @throws UserError */
export async function conclude(
  plan: Plan,
  written: Claim,
  keeping: Keeping,
  watch: ClaimWatch,
  reader: Pick<ClusterReader, 'claim'>,
  signal: AbortSignal,
): Promise<Conclusion> {
  const time = plan.action === 'Release' || keeping.kind === 'policy' ? KEPT_FOR : UNKEPT_FOR;
  const observed = await watch.after(written, time, signal);
  if (signal.aborted)
    return ended('Written', 'written; interrupted before the controller had answered', written);
  return conclusionOf(plan, written, keeping, await certain(observed, written, reader, signal));
}

/** Where the watch cannot tell, the claim itself does. */
async function certain(
  observed: Observation,
  written: Claim,
  reader: Pick<ClusterReader, 'claim'>,
  signal: AbortSignal,
): Promise<Observation> {
  if (observed.kind !== 'unseen') return observed;
  const claim = await withTimeLimit(
    (within) => reader.claim(written.namespace, written.name, within),
    signal,
  );
  if (claim === null || claim.uid !== written.uid) return { kind: 'deleted' };
  return claim.phase === written.phase ? { kind: 'stayed' } : { kind: 'changed', claim };
}

function conclusionOf(plan: Plan, written: Claim, keeping: Keeping, observed: Observation): Conclusion {
  if (observed.kind === 'deleted') return ended('Unchanged', 'written, and deleted since', written);
  const changed = observed.kind === 'changed' ? observed.claim : null;
  if (plan.action === 'Release') return released(changed, written);
  if (changed !== null) return undone(changed, keeping);
  const shown = `${plan.condition?.reason ?? ''}: shows the super claim's phase`;
  if (keeping.kind === 'policy') return ended('Held', shown, written);
  return ended('Written', `${shown}, not undone within ${UNKEPT_FOR / 1000}s; ${keeping.advice}`, written);
}

function released(changed: Claim | null, written: Claim): Conclusion {
  if (changed === null) return ended('Released', 'the super claim is Bound again', written);
  const message = `released, but the tenant's PV controller says ${changed.phase}: look at the claim's volume in the tenant`;
  return ended('Reverted', message, changed);
}

function undone(changed: Claim, keeping: Keeping): Conclusion {
  if (!isBound(changed))
    return ended('Unchanged', `written, and set to ${changed.phase} since by another run`, changed);
  if (keeping.kind !== 'policy') {
    return ended('Reverted', `reverted by the tenant's PV controller; ${keeping.advice}`, changed);
  }
  const message = changed.held
    ? 'set back to Bound although policy vc-pvc-hold is in effect: another API server of the tenant may not know it yet'
    : 'somebody took the condition away and set the phase back to Bound';
  return { ...ended('Reverted', message, changed), contested: true };
}

function ended(outcome: Outcome, message: string, claim: Claim): Conclusion {
  return { outcome, message, is: claim.phase, contested: false };
}
