/** From a command line to a command and its flags: yargs parses it, and takes it as spf13/cobra and spf13/pflag do. */
import type { Options } from 'yargs';
import { UserError, oneLine } from '../errors.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { refusal, unknownCommand, unknownFlag } from './refusal.ts';
import { endOfFlags, flagNames, longForm } from './tokens.ts';

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

/** What yargs does by itself, and pflag does not. */
const AS_PFLAG = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-positional-numbers': false,
} as const;

/** Names that yargs takes for its own, or changes; "---" is a word to it. */
const OF_YARGS: ReadonlySet<string> = new Set(['_', '$0', '-', 'get-yargs-completions', '__proto__']);

/**
 * yargs lays out a help of its own at every run of a command: with no usage in it, what measures wide characters is not
 * loaded for it. null turns it off (yargs build/lib/usage.js); its types do not know.
 */
const NO_USAGE = null as unknown as string;

/**
 * Parses one command line. Flags may stand in front of the command, so a name that several commands share takes a
 * value in all of them or in none.
 * @param shared flags of every command
 * @throws UserError for a command or flag that there is not, and for a value that cannot be
 */
export async function parseLine(
  args: readonly string[],
  commands: readonly CommandForm[],
  shared: OptionTable,
): Promise<ParsedLine> {
  const alone = versionAlone(args, commands);
  if (alone !== null) return alone;
  const every = allOptions(commands, shared);
  const line = forYargs(args, every);
  const help = line.slice(0, endOfFlags(line)).some((argument) => /^--(h|help)=true$/.test(argument));
  // Imported only here: it takes longer than all else that a short command does.
  const { default: yargs } = await import('yargs');
  const parser = yargs(line, workingDirectory())
    .parserConfiguration(AS_PFLAG)
    // What it says is read by refusal().
    .locale('en')
    .help(false)
    .version(false)
    .strictCommands()
    .strictOptions(!help)
    .options(yargsOptions(every, { global: false }));
  let options = every;
  let command = null as CommandForm | null;
  for (const form of commands) {
    parser.command(form.name, false, (own) => {
      command = form;
      options = allOptions([form], shared);
      // What stands behind its name are its words, and no commands.
      return own.strictCommands(false).options(yargsOptions(options)).usage(NO_USAGE);
    });
  }
  parser.fail((message) => {
    const [, unknown] = /^Unknown commands?: (.*?)(?:, .*)?$/s.exec(message) ?? [];
    if (unknown !== undefined) throw unknownCommand(unknown, commands);
    if (!help) throw refusal(message, { line, command, options, every });
  });
  const { _: words, ...values } = parser.parseSync();
  const argv = { words: words.slice(1).map(String), values: valuesOf(values, options) };
  if (command !== null && !help) checkWords(command, argv.words);
  return { command, help, argv };
}

/** The flags of some commands, with those of every command. */
export function allOptions(commands: readonly CommandForm[], shared: OptionTable): OptionTable {
  return Object.assign({}, ...commands.map(({ options }) => options), shared, HELP_OPTIONS) as OptionTable;
}

/** The command of that name. @throws UserError */
export function commandNamed(name: string, commands: readonly CommandForm[]): CommandForm {
  const found = commands.find((one) => one.name === name);
  if (found === undefined) throw unknownCommand(name, commands);
  return found;
}

/**
 * `version --client`, with or without -o: what scripts ask before all else. Nothing in it has to be parsed, and yargs
 * takes longer to load than the answer takes. null for any other line.
 */
function versionAlone(args: readonly string[], commands: readonly CommandForm[]): ParsedLine | null {
  const found = /^version\0--client(?:\0(?:-o[\0=]?|--output[\0=])(json|yaml))?$/.exec(args.join('\0'));
  const command = commands.find(({ name }) => name === 'version');
  if (found === null || command === undefined) return null;
  const [, output] = found;
  const given = { client: true, ...(output === undefined ? {} : { output }) };
  return { command, help: false, argv: { words: [], values: valuesOf(given, command.options) } };
}

/** yargs asks for it although nothing here depends on it, and it may be gone. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/** What yargs takes otherwise than pflag, in a form that both take alike. @throws UserError */
function forYargs(args: readonly string[], every: OptionTable): string[] {
  const names = flagNames(every);
  const line = longForm(args, every);
  const end = endOfFlags(line);
  return line.map((argument, index) => {
    const [, typed = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(index < end ? argument : '') ?? [];
    if (OF_YARGS.has(typed)) throw unknownFlag(typed, every);
    const isSwitch = every[names.get(typed) ?? '']?.type === 'boolean';
    return isSwitch && value !== undefined ? `--${typed}=${switchValue(value, typed)}` : argument;
  });
}

/** As spf13/pflag bool.go: --release-all=yes must not be taken for its opposite. */
function switchValue(value: string, typed: string): boolean {
  if (/^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  const flag = typed.length === 1 ? `-${typed}` : `--${typed}`;
  throw new UserError(`${flag}=${oneLine(value)}: a switch takes true or false, or nothing`);
}

/**
 * Hidden, as commands are: yargs lays out its help at every run of a command, and ours is another.
 * @param own what else holds for each of them
 */
function yargsOptions(options: OptionTable, own: Options = {}): Record<string, Options> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, alias, choices }]) => [
      name,
      {
        type,
        ...(alias === undefined ? {} : { alias }),
        hidden: true,
        ...(type === 'string' ? { nargs: 1 } : {}),
        ...(choices === undefined ? {} : { choices }),
        ...own,
      },
    ]),
  );
}

/** By full name, without what yargs adds: other names, and what is not there. */
function valuesOf(parsed: Readonly<Record<string, unknown>>, options: OptionTable): Arguments['values'] {
  const values = Object.entries(options).map(([name, { default: value }]) => {
    const given = [parsed[name] ?? value].flat();
    return [name, given.filter((one) => typeof one === 'string' || typeof one === 'boolean')] as const;
  });
  return new Map(values.filter(([, { length }]) => length > 0));
}

function checkWords({ name, mostWords, usage }: CommandForm, words: readonly string[]): void {
  const extra = words[mostWords];
  if (extra === undefined) return;
  throw new UserError(
    `${name}: "${oneLine(extra)}" is one word too many: kubectl vc-pvc ${name} ${usage}`.trimEnd(),
  );
}
