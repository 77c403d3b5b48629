/** The whole judgement of one pair: the one call that every command shares. */
import { causeOf } from './cause.ts';
import type { EvidenceOfBoth } from './cause.ts';
import type { Cause, Pair, Verdict } from './model.ts';
import { planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { isMismatch, verdictOf } from './verdict.ts';

export interface Judgement {
  readonly pair: Pair;
  readonly verdict: Verdict;
  readonly cause: Cause | null;
  readonly plan: Plan | null;
  readonly mismatch: boolean;
}

/** Judges a pair. Total and deterministic: the same objects give the same judgement, in whatever order they came. */
export function judge(pair: Pair, evidence: EvidenceOfBoth): Judgement {
  const verdict = verdictOf(pair);
  const cause = causeOf(pair, verdict, evidence);
  return { pair, verdict, cause, plan: planOf(pair, verdict, cause), mismatch: isMismatch(verdict) };
}

/**
 * Whether a live mismatch is too young to count: either claim was created less than the grace period ago, so
 * the syncer may simply not have come by yet.
 * @param now milliseconds since the epoch
 * @param grace milliseconds; the syncer's patrol takes 60,000
 */
export function isSettling(pair: Pair, now: number, grace: number): boolean {
  return settlesIn(pair, now, grace) > 0;
}

/**
 * Milliseconds from now until a mismatch of the pair counts; 0 or less where it does already. A claim that seems to come
 * from a later time than the grace can make up for tells that a clock is wrong, and nothing of its age: it counts at once,
 * or it would be left alone until the clock has got there.
 * @param now as isSettling
 */
export function settlesIn(pair: Pair, now: number, grace: number): number {
  const created = Math.max(pair.tenant?.creationTimestamp ?? 0, pair.super?.creationTimestamp ?? 0);
  const left = created + grace - now;
  return left > 2 * grace ? 0 : left;
}
