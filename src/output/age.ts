const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * A duration as kubectl shows ages: k8s.io/apimachinery pkg/util/duration/duration.go, HumanDuration.
 * @param milliseconds -2,000 or less (a clock that runs far ahead) is "<invalid>"
 */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>';
  const ms = Math.max(milliseconds, 0);
  const whole = (unit: number): number => Math.floor(ms / unit);
  const rest = (unit: number, of: number): number => Math.floor((ms % of) / unit);
  if (ms < 2 * MINUTE) return `${whole(SECOND)}s`;
  if (ms < 10 * MINUTE) return two(whole(MINUTE), 'm', rest(SECOND, MINUTE), 's');
  if (ms < 3 * HOUR) return `${whole(MINUTE)}m`;
  if (ms < 8 * HOUR) return two(whole(HOUR), 'h', rest(MINUTE, HOUR), 'm');
  if (ms < 2 * DAY) return `${whole(HOUR)}h`;
  if (ms < 8 * DAY) return two(whole(DAY), 'd', rest(HOUR, DAY), 'h');
  if (ms < 2 * YEAR) return `${whole(DAY)}d`;
  if (ms < 8 * YEAR) return two(whole(YEAR), 'y', rest(DAY, YEAR), 'd');
  return `${whole(YEAR)}y`;
}

function two(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`;
}
