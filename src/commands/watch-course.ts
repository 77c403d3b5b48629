/** The course of a watch: its first look, what it waits for, its end and exit code. */
import { INTERRUPTED, Interrupted, UserError } from '../errors.ts';
import { pause } from '../kube/retry.ts';
import type { FleetWatch, WatchedTenant } from '../watch/fleet-watch.ts';

/** Between two looks whether the first look is over, or the fleet consistent. Milliseconds. */
const LOOK = 25;
/** Where there is only the time to be waited for: below what setTimeout can count (2^31 - 1). Milliseconds. */
const LONGEST_WAIT = 24 * 3_600_000;
/** The first rows do not wait for tenants that answer late, or never. Milliseconds. */
const FIRST_LOOK = 10_000;

/** Where what is seen is shown. */
export interface Shown {
  start(): void;
  /** The first look is over. */
  begin(fleet: FleetWatch): void;
  stop(): void;
}

/** Says what the first look has left open. @param limit milliseconds that it may take, 0 for no limit */
type Warn = (limit: number, signal: AbortSignal) => Promise<void>;

export interface CourseOptions {
  readonly onceConsistent: boolean;
  /** When the time is up, on the monotonic clock in milliseconds; Infinity for never. */
  readonly end: number;
}

/**
 * Runs a watch until its time is up, a signal comes, or what it waits for has come about.
 * @returns the exit code @throws UserError
 */
export async function runUntilOver(
  fleet: FleetWatch,
  shown: Shown,
  options: CourseOptions,
  outer: AbortSignal,
  warn: Warn,
): Promise<number> {
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const running = fleet.run(signal);
  shown.start();
  const exitCode = supervise(fleet, shown, options, signal, warn);
  try {
    return await Promise.race([exitCode, running.then(() => exitCode)]);
  } finally {
    ending.abort(new UserError('the watch ends'));
    await Promise.allSettled([running, exitCode]);
    shown.stop();
  }
}

/** Has the first rows printed, and says when it is time to end. @returns the exit code then */
async function supervise(
  fleet: FleetWatch,
  shown: Shown,
  { onceConsistent, end }: CourseOptions,
  signal: AbortSignal,
  warn: Warn,
): Promise<number> {
  const firstLook = Math.min(end, performance.now() + FIRST_LOOK);
  await until(() => fleet.isSettled, signal, firstLook, LOOK);
  // Later a fleet may change all the time: that it was settled once will do.
  const wasSettled = fleet.isSettled;
  if (!signal.aborted) {
    shown.begin(fleet);
    const left = Math.max(1, Math.min(end - performance.now(), LONGEST_WAIT));
    await warn(end === Infinity ? 0 : left, signal);
  }
  const looks = onceConsistent ? LOOK : LONGEST_WAIT;
  await until(() => onceConsistent && fleet.isConsistent, signal, end, looks);
  const exitCode = exitCodeOf(fleet, signal);
  if (exitCode === 0 && !signal.aborted && !wasSettled && !fleet.isSettled) {
    throw new UserError('the time was up before every claim had been looked at: give a longer --timeout');
  }
  // What was waited for did not come about, if only because claims are too young to tell.
  return onceConsistent && exitCode === 0 && !signal.aborted && !fleet.isConsistent ? 1 : exitCode;
}

/** Whether it has done its work: a pod is told so by SIGTERM, and who closes the terminal or the pipe says the same. */
export function isTerminated({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof Interrupted && reason.signal !== 'SIGINT';
}

function exitCodeOf(fleet: FleetWatch, signal: AbortSignal): number {
  if (isTerminated(signal)) return 0;
  if (signal.aborted && signal.reason instanceof Interrupted) return INTERRUPTED;
  const tenants = [...fleet.tenants()];
  const isUnknown = ({ health, state }: WatchedTenant): boolean =>
    health.state !== 'up' || state.unread.size > 0;
  if (!fleet.superIsUp || tenants.some(isUnknown)) return 2;
  return tenants.some(({ state }) => state.book.mismatches > 0) ? 1 : 0;
}

/**
 * Resolves when the condition holds, the signal is aborted or the time is up.
 * @param end on the monotonic clock, milliseconds
 * @param looks milliseconds from one look at the condition to the next
 */
async function until(
  condition: () => boolean,
  signal: AbortSignal,
  end: number,
  looks: number,
): Promise<void> {
  while (!signal.aborted && !condition()) {
    const left = end - performance.now();
    if (left <= 0) return;
    await pause(Math.min(looks, left), signal, () => new UserError('the watch ends')).catch(() => {});
  }
}
