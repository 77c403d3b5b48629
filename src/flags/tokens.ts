/** The words of a command line, told apart: flags with their values, and the others. */
import { parseArgs } from 'node:util';
import { UserError, oneLine } from '../errors.ts';
import type { Flag, OptionTable } from './arguments.ts';

/** A flag as it was given. */
export interface GivenFlag {
  /** Its full name; as it was typed where no command has it. */
  readonly name: string;
  /** As it was typed: "-o", "--output". */
  readonly typed: string;
  /** Its argument as a whole, for an error: "--all=banana". */
  readonly argument: string;
  /** null where none was given. */
  readonly value: string | null;
  /** It was given as --name=value or -nvalue, not as a word of its own. */
  readonly inline: boolean;
}

export interface Tokens {
  readonly flags: readonly GivenFlag[];
  /** What is no flag, and everything behind "--". */
  readonly words: readonly string[];
  /** How many flags stand before the first word. */
  readonly flagsBefore: number;
}

/**
 * Tells flags and words apart as spf13/pflag flag.go does: --name value, --name=value, -n value, -nvalue, -n=value,
 * -Anvalue; what stands behind "--" is no flag.
 * @param options every flag there is; one that is not among them is taken for a switch
 */
export function tokensOf(args: readonly string[], options: OptionTable): Tokens {
  const longNames = new Map(
    Object.entries(options).flatMap(([name, { alias }]) =>
      alias === undefined || alias.length === 1 ? [] : [[alias, name] as const],
    ),
  );
  const { tokens } = parseArgs({
    args: detachedSwitches(args, options),
    options: nodeOptions(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = tokens
    .filter((token) => token.kind === 'option')
    .map(({ name, rawName, index, value, inlineValue = false }): GivenFlag => ({
      name: longNames.get(name) ?? name,
      typed: rawName,
      argument: args[index] ?? rawName,
      value: value === undefined ? null : withoutEquals(value, rawName, inlineValue),
      inline: inlineValue,
    }));
  const words = tokens.filter((token) => token.kind === 'positional');
  const [first] = words;
  return {
    flags,
    words: words.map(({ value }) => value),
    flagsBefore: tokens.filter(
      ({ kind, index }) => kind === 'option' && first !== undefined && index < first.index,
    ).length,
  };
}

/** parseArgs keeps the "=" of -n=value. */
function withoutEquals(value: string, typed: string, inline: boolean): string {
  return inline && !typed.startsWith('--') ? value.replace(/^=/, '') : value;
}

/** parseArgs would take the "=" of -A=true for a flag of its own. */
function detachedSwitches(args: readonly string[], options: OptionTable): string[] {
  const letters = new Map(
    Object.entries(options).flatMap(([name, { type, alias }]) =>
      type === 'boolean' && alias?.length === 1 ? [[alias, name] as const] : [],
    ),
  );
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const [, letter = '', value = ''] = /^-([^-])=(.*)$/s.exec(arg) ?? [];
    const name = letters.get(letter);
    return name === undefined || (end >= 0 && index > end) ? arg : `--${name}=${value}`;
  });
}

interface NodeOption {
  readonly type: Flag['type'];
  readonly short?: string;
}

function nodeOptions(options: OptionTable): Record<string, NodeOption> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, { type, alias = '' }]): (readonly [string, NodeOption])[] => {
      if (alias.length === 1) return [[name, { type, short: alias }]];
      const own = [name, name.length === 1 ? { type, short: name } : { type }] as const;
      return alias === '' ? [own] : [own, [alias, { type }]];
    }),
  );
}

/** What a flag was given. @throws UserError for none where one is needed, and for one that cannot be */
export function valueOf(
  { name, argument, value, inline }: GivenFlag,
  { type, choices }: Flag,
): string | boolean {
  if (type === 'boolean') return switchValue(value, argument);
  if (value === null) throw new UserError(`flag ${name} needs a value`);
  if (!inline && /^-./s.test(value)) {
    throw new UserError(
      `flag ${name} needs a value; ${oneLine(value)} is a flag (if it is meant: --${name}=${oneLine(value)})`,
    );
  }
  if (choices !== undefined && !choices.includes(value)) {
    throw new UserError(
      `--${name}=${oneLine(value)}: allowed are ${choices.map((one) => `"${one}"`).join(', ')}`,
    );
  }
  return value;
}

/** As spf13/pflag bool.go: --release-all=yes must not be taken for its opposite. */
function switchValue(value: string | null, argument: string): boolean {
  if (value === null || /^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  throw new UserError(`${oneLine(argument)}: a switch takes true or false, or nothing`);
}
