import { UserError, oneLine } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration as kubectl's flags take it: a bare number is seconds, else Go's form such as 1m30s, and days (7d)
 * besides. @returns milliseconds
 * @throws UserError naming the flag.
 */
export function parseDuration(text: string, flag: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new UserError(
      `${flag}=${oneLine(text)}: not a duration; give seconds (30) or a form such as 1m30s`,
    );
  }
  return Math.round(
    parts.reduce((sum, [, number = '0', unit = 's']) => sum + Number(number) * (UNITS[unit] ?? 0), 0),
  );
}
