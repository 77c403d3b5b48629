/** What would be written to a tenant claim. Decided here for check, sync and watch alike; performed elsewhere. */
import { BOUND, HOLD_CONDITION } from './model.ts';
import type { Action, Cause, Pair, Verdict } from './model.ts';
import { isBound } from './verdict.ts';

/** The condition that goes with a phase that is not Bound. Its times are the performer's: there is no clock here. */
interface HoldCondition {
  readonly type: typeof HOLD_CONDITION;
  readonly status: 'False';
  /** The cause's code. */
  readonly reason: string;
  readonly message: string;
}

/** One write to the status of one tenant claim, valid only while its uid and resourceVersion are these. */
export interface Plan {
  readonly action: Action;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** status.phase to be written. */
  readonly phase: string;
  /** To be set with the phase; null: to be removed with it. */
  readonly condition: HoldCondition | null;
}

/**
 * The write that a verdict calls for, null where none is allowed. Only ever towards the tenant, and only where
 * the super claim carries the tenant claim's uid, which is part of every verdict that has an action.
 */
export function planOf(pair: Pair, verdict: Verdict, cause: Cause | null): Plan | null {
  const { tenant } = pair;
  if (tenant === null || pair.super === null) return null;
  if (verdict !== 'SuperNotBound' && verdict !== 'HoldStale') return null;
  const { namespace, name, uid, resourceVersion } = tenant;
  const target = { namespace, name, uid, resourceVersion };
  if (isBound(pair.super)) return { action: 'Release', ...target, phase: BOUND, condition: null };
  return {
    action: 'SetPhase',
    ...target,
    phase: pair.super.phase,
    condition: {
      type: HOLD_CONDITION,
      status: 'False',
      reason: cause?.code ?? 'Undetermined',
      message: `super claim ${pair.super.namespace}/${pair.super.name} is ${pair.super.phase}${cause === null ? '' : `: ${cause.message}`}`,
    },
  };
}
