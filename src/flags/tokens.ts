/** Flags of a command line in one form, and the flags and words of one that is still being typed. */
import { parseArgs } from 'node:util';
import type { OptionTable } from './arguments.ts';

/** The full name behind every name that a flag has: "output" and "o" are both "output". */
export function flagNames(options: OptionTable): ReadonlyMap<string, string> {
  const pairs = Object.entries(options).flatMap(([name, { alias = name }]) => [
    [name, name] as const,
    [alias, name] as const,
  ]);
  return new Map(pairs);
}

/** Where "--" stands; behind the last word where it does not. */
export function endOfFlags(line: readonly string[]): number {
  return line.includes('--') ? line.indexOf('--') : line.length;
}

/**
 * Takes flags of one letter apart as spf13/pflag flag.go parseSingleShortArg does: -Anteam-b is -A --n=team-b, -n=x is
 * --n=x. Each becomes a flag of two dashes, and a switch has its value with it.
 * @param options every flag there is; behind a letter that is not among them nothing is looked at
 * @param line as it was typed; what stands behind "--" stays as it is
 */
export function longForm(line: readonly string[], options: OptionTable): string[] {
  const names = flagNames(options);
  const isSwitch = (typed: string) => options[names.get(typed) ?? '']?.type === 'boolean';
  const apart = (argument: string): string[] => {
    if (argument.startsWith('--')) return [isSwitch(argument.slice(2)) ? `${argument}=true` : argument];
    const [, letter, equals, rest = ''] = /^-(.)(=?)(.*)$/su.exec(argument) ?? [];
    if (letter === undefined) return [argument];
    if (!names.has(letter)) return [`--${letter}`];
    if (equals !== '') return [`--${letter}=${rest}`];
    if (isSwitch(letter)) return [`--${letter}=true`, ...(rest === '' ? [] : apart(`-${rest}`))];
    return [rest === '' ? `--${letter}` : `--${letter}=${rest}`];
  };
  const end = endOfFlags(line);
  return [...line.slice(0, end).flatMap(apart), ...line.slice(end)];
}

/** A flag as it was given. */
interface GivenFlag {
  /** Its full name; as it was typed where no command has it. */
  readonly name: string;
  /** null where none was given. */
  readonly value: string | null;
}

interface Tokens {
  readonly flags: readonly GivenFlag[];
  /** What is no flag, and everything behind "--". */
  readonly words: readonly string[];
}

/**
 * Flags and words of a line that is still being typed. Nothing is refused, and yargs not waited for: that would be
 * noticed at every press of TAB.
 * @param options every flag there is; one that is not among them is taken for a switch
 */
export function tokensOf(line: readonly string[], options: OptionTable): Tokens {
  const names = flagNames(options);
  const typeOf = (name: string) => ({ type: options[name]?.type ?? 'boolean' });
  const { tokens } = parseArgs({
    args: longForm(line, options),
    options: Object.fromEntries([...names].map(([typed, name]) => [typed, typeOf(name)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    flags: tokens
      .filter((token) => token.kind === 'option')
      .map(({ name, value = null }) => ({ name: names.get(name) ?? name, value })),
    words: tokens.filter((token) => token.kind === 'positional').map(({ value }) => value),
  };
}
