/**
 * A claim that somebody keeps setting back is not answered for ever at full speed: a few answers at once, then ever
 * longer pauses. Without the admission policy that somebody is the tenant's PV controller (pv_controller.go,
 * syncBoundClaim), which answers within milliseconds.
 */
import type { Plan } from './plan.ts';

/** What is written: which phase, and whether the condition goes with it. */
export type Deed = Pick<Plan, 'action' | 'phase'>;

/** What was last written to one claim, and how often that same thing had to be written again. */
export interface Contest extends Deed {
  /** Writes of the same after the first, with no other and no calm in between. */
  readonly repeats: number;
  /** Milliseconds on a monotonic clock. */
  readonly written: number;
  /** It was seen that the last write has been undone. */
  readonly undone: boolean;
  /** The last write was refused: nothing was written that could have been undone. */
  readonly refused: boolean;
}

/** Repetitions that are made at once, or nearly so. Milliseconds before each. */
const QUICK = [250, 1_000] as const;
const FIRST_PAUSE = 2_000;
/** One attempt in ten minutes. */
const LONGEST_PAUSE = 600_000;
/** What stood this long, and twice as long as the last pause, was not contested. Milliseconds. */
const CALM = 60_000;

/** Milliseconds to wait, counted from the last write, before the same is written once more. */
export function pauseBefore({ repeats, refused }: Pick<Contest, 'repeats' | 'refused'>): number {
  // Who refuses will hardly have thought better of it within a second.
  const quick = refused ? [] : QUICK;
  return quick[repeats] ?? Math.min(FIRST_PAUSE * 2 ** (repeats - quick.length), LONGEST_PAUSE);
}

/** Whether a claim is contested: what was written was undone after the quick answers too. */
export function isContested(contest: Contest | null): boolean {
  return contest !== null && !contest.refused && contest.repeats >= QUICK.length;
}

/** Milliseconds to wait from now before something may be written; 0: now. @param now on the same clock */
export function waitBefore(contest: Contest | null, deed: Deed, now: number): number {
  if (!isRepetition(contest, deed, now)) return 0;
  return Math.max(0, contest.written + pauseBefore(contest) - now);
}

/** The contest after something was written. @param before null for the first time */
export function afterWrite(before: Contest | null, deed: Deed, now: number): Contest {
  const repeats = isRepetition(before, deed, now) ? before.repeats + 1 : 0;
  return { action: deed.action, phase: deed.phase, repeats, written: now, undone: false, refused: false };
}

/** The contest after a write was refused: it is tried again ever less often too, with nothing to be found undone. */
export function afterRefusal(before: Contest | null, deed: Deed, now: number): Contest {
  return { ...afterWrite(before, deed, now), undone: true, refused: true };
}

/**
 * Whether what is due undoes what somebody did to our last write, rather than following the super claim: that one may go
 * from Lost to Pending and back without ever being Bound.
 */
export function isRepetition(
  contest: Contest | null,
  { action, phase }: Deed,
  now: number,
): contest is Contest {
  return contest !== null && contest.action === action && contest.phase === phase && !isCalm(contest, now);
}

function isCalm(contest: Contest, now: number): boolean {
  return now - contest.written > Math.max(CALM, 2 * pauseBefore(contest));
}
