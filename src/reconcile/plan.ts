/** What would be written to a tenant claim. Decided here for check, sync and watch alike; performed elsewhere. */
import { BOUND, HOLD_CONDITION } from './model.ts';
import type { Action, Cause, Claim, Pair, Verdict } from './model.ts';
import { tenantMessage } from './tenant-message.ts';
import { isBound } from './verdict.ts';

/** The condition that goes with a phase that is not Bound. Its times are the performer's: there is no clock here. */
interface HoldCondition {
  readonly type: typeof HOLD_CONDITION;
  readonly status: 'False';
  /** The cause's code. */
  readonly reason: string;
  /** For the tenant's users: names nothing but their own super claim. */
  readonly message: string;
}

/** One write to the status of one tenant claim, valid only while its uid and resourceVersion are these. */
export interface Plan {
  readonly action: Action;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** status.phase as it was read. */
  readonly was: string;
  /** status.phase to be written. */
  readonly phase: string;
  /** To be set with the phase; null: to be removed with it. */
  readonly condition: HoldCondition | null;
  /** The condition stands already with this status: the time of its last transition is to stay. */
  readonly held: boolean;
}

/**
 * The write that a verdict calls for, null where none is allowed. Only ever towards the tenant, and only where
 * the super claim carries the tenant claim's uid, which is part of every verdict that has an action.
 */
export function planOf(pair: Pair, verdict: Verdict, cause: Cause | null): Plan | null {
  const { tenant } = pair;
  if (tenant === null || pair.super === null) return null;
  if (verdict !== 'SuperNotBound' && verdict !== 'HoldStale') return null;
  if (isBound(pair.super)) return releaseOf(tenant);
  const code = cause?.code ?? 'Undetermined';
  return {
    action: 'SetPhase',
    ...targetOf(tenant),
    phase: pair.super.phase,
    condition: {
      type: HOLD_CONDITION,
      status: 'False',
      reason: code,
      message: tenantMessage(pair.super, code),
    },
  };
}

/** The write that takes a hold away and gives the phase back to the tenant's PV controller, as Bound. */
export function releaseOf(claim: Claim): Plan {
  return { action: 'Release', ...targetOf(claim), phase: BOUND, condition: null };
}

function targetOf(claim: Claim): Omit<Plan, 'action' | 'phase' | 'condition'> {
  const { namespace, name, uid, resourceVersion, phase, held } = claim;
  return { namespace, name, uid, resourceVersion, was: phase, held };
}
