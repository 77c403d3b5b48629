/** From a command line to a command and its flags, as spf13/cobra and spf13/pflag take them. */
import { UserError, oneLine } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { tokensOf, valueOf } from './tokens.ts';
import type { GivenFlag, Tokens } from './tokens.ts';

/** What was typed. */
export interface ParsedLine {
  /** null where no command was named. */
  readonly command: CommandForm | null;
  /** --help was given: nothing else was looked at. */
  readonly help: boolean;
  readonly argv: Arguments;
}

/** Taken by every command. */
const HELP_OPTIONS: OptionTable = {
  help: { type: 'boolean', alias: 'h', description: 'Show the help of a command' },
};

/**
 * Parses one command line. Flags may stand in front of the command, so a name that several commands share takes a
 * value in all of them or in none.
 * @param shared flags of every command
 * @throws UserError for a command or flag that there is not, and for a value that cannot be
 */
export function parseLine(
  args: readonly string[],
  commands: readonly CommandForm[],
  shared: OptionTable,
): ParsedLine {
  const every = allOptions(commands, shared);
  const tokens = tokensOf(args, every);
  const command = commandOf(tokens, commands, every);
  const words = tokens.words.slice(1);
  if (tokens.flags.some(({ name, value }) => name === 'help' && value === null)) {
    return { command, help: true, argv: { words, values: new Map() } };
  }
  const options = command === null ? every : allOptions([command], shared);
  const values = valuesOf(tokens.flags, options, command);
  if (command !== null) checkWords(command, words);
  return { command, help: false, argv: { words, values } };
}

/** The flags of some commands, with those of every command. */
export function allOptions(commands: readonly CommandForm[], shared: OptionTable): OptionTable {
  return Object.assign({}, ...commands.map(({ options }) => options), shared, HELP_OPTIONS) as OptionTable;
}

/** The command of that name. @throws UserError */
export function commandNamed(name: string, commands: readonly CommandForm[]): CommandForm {
  const found = commands.find((one) => one.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    commands.map((one) => one.name),
  );
  throw new UserError(`unknown command ${oneLine(name)}${near || ' (see kubectl vc-pvc --help)'}`);
}

/** The first word, null where there is none. An unknown flag before it may have taken it for its value. */
function commandOf(
  { words: [name], flags, flagsBefore }: Tokens,
  commands: readonly CommandForm[],
  every: OptionTable,
): CommandForm | null {
  if (name === undefined) return null;
  const unknown = flags.slice(0, flagsBefore).find((flag) => !Object.hasOwn(every, flag.name));
  if (unknown !== undefined) throw unknownFlag(unknown, every);
  return commandNamed(name, commands);
}

function valuesOf(
  flags: readonly GivenFlag[],
  options: OptionTable,
  command: CommandForm | null,
): Map<string, (string | boolean)[]> {
  const values = new Map<string, (string | boolean)[]>();
  const refused = new Map(Object.entries(command?.refused ?? {}));
  for (const flag of flags) {
    const form = Object.hasOwn(options, flag.name) ? options[flag.name] : undefined;
    const why = refused.get(flag.name);
    if (form === undefined) throw why === undefined ? unknownFlag(flag, options) : new UserError(why);
    values.set(flag.name, [...(values.get(flag.name) ?? []), valueOf(flag, form)]);
  }
  for (const [name, { default: value }] of Object.entries(options)) {
    if (value !== undefined && !values.has(name)) values.set(name, [value]);
  }
  return values;
}

/** The nearest one that exists is what the user meant. */
function unknownFlag({ typed }: GivenFlag, options: OptionTable): UserError {
  const near = typed.startsWith('--')
    ? nearest(typed.slice(2), Object.keys(options)).replace(/"(.+)"/, '"--$1"')
    : '';
  return new UserError(`unknown flag ${oneLine(typed)}${near || ' (see --help)'}`);
}

function checkWords({ name, mostWords, usage }: CommandForm, words: readonly string[]): void {
  const extra = words[mostWords];
  if (extra === undefined) return;
  throw new UserError(
    `${name}: "${oneLine(extra)}" is one word too many: kubectl vc-pvc ${name} ${usage}`.trimEnd(),
  );
}
