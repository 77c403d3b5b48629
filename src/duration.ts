import { UserError, oneLine } from './errors.ts';

/** Milliseconds of each unit of Go's time.ParseDuration. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** What a timer of Node takes, 24 days; a longer one would fire at once. Milliseconds. */
const LONGEST = 2 ** 31 - 1;

/**
 * A duration as kubectl's flags take it (client-go tools/clientcmd/helpers.go ParseTimeout): a whole number is seconds,
 * else a Go duration such as 1m30s.
 * @param flag names it in an error, for example "--grace"
 * @returns milliseconds, 0 for none
 * @throws UserError
 */
export function parseDuration(text: string, flag: string): number {
  if (/^\+?\d+$/.test(text)) return capped(Number(text) * 1000);
  const bare = text.replace(/^\+/, '');
  const parts = [...bare.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy)];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (parts.length === 0 || length !== bare.length) {
    throw new UserError(
      `${flag}=${oneLine(text)}: not a time; give seconds (30), a form such as 1m30s, or 0 for none`,
    );
  }
  return capped(
    parts.reduce((sum, [, number = '', unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0),
  );
}

/** Whole milliseconds; what is more than nothing must not become 0, which is none. */
function capped(milliseconds: number): number {
  return Math.min(Math.ceil(milliseconds), LONGEST);
}
