import { UserError, oneLine } from '../../errors.ts';

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
 * --request-timeout as client-go tools/clientcmd/helpers.go ParseTimeout reads it: a whole number is seconds, else a
 * Go duration such as 1m30s.
 * @returns milliseconds, 0 for no limit
 * @throws UserError
 */
export function parseRequestTimeout(text: string): number {
  if (text === '') return 0;
  if (/^\+?\d+$/.test(text)) return capped(Number(text) * 1000);
  const parts = [...text.replace(/^\+/, '').matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy)];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (parts.length === 0 || length !== text.replace(/^\+/, '').length) {
    throw new UserError(
      `--request-timeout=${oneLine(text)}: not a time; give seconds (30), a form such as 1m30s, or 0 for no limit`,
    );
  }
  return capped(
    parts.reduce((sum, [, number = '', unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0),
  );
}

/** Whole milliseconds; what is more than nothing must not become 0, which is no limit. */
function capped(milliseconds: number): number {
  return Math.min(Math.ceil(milliseconds), LONGEST);
}
