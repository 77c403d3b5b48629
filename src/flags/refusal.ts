/** What the user is told where yargs, or we before it, refuse a command line. */
import { UserError, oneLine } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { OptionTable } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { flagNames } from './tokens.ts';

/** The nearest one that exists is what the user meant. */
export function unknownCommand(name: string, commands: readonly CommandForm[]): UserError {
  const near = nearest(
    name,
    commands.map((one) => one.name),
  );
  // A word of nothing, or of control characters only, would leave a hole in the sentence.
  const shown = oneLine(name).trim() || '""';
  return new UserError(`unknown command ${shown}${near || ' (see kubectl vc-pvc --help)'}`);
}

/** @param typed its name without dashes @param options those that could have been meant */
export function unknownFlag(typed: string, options: OptionTable): UserError {
  if (typed.length === 1) return new UserError(`unknown flag -${oneLine(typed)} (see --help)`);
  const near = nearest(typed, Object.keys(options)).replace(/"(.+)"/, '"--$1"');
  return new UserError(`unknown flag --${oneLine(typed)}${near || ' (see --help)'}`);
}

/** Where a line was refused. */
interface Refused {
  /** As yargs took it. */
  readonly line: readonly string[];
  /** null where none was found yet. */
  readonly command: CommandForm | null;
  /** Flags of the command, of all commands where none was found. */
  readonly options: OptionTable;
  /** Flags of all commands. */
  readonly every: OptionTable;
}

/**
 * In our words, what yargs says in build/lib/validation.js and yargs-parser in build/lib/yargs-parser.js. Where it names
 * several flags, the first.
 */
export function refusal(message: string, { line, command, options, every }: Refused): UserError {
  const names = flagNames(every);
  const [, missing] = /^Not enough arguments following: (.+)$/s.exec(message) ?? [];
  if (missing !== undefined) {
    const name = names.get(missing) ?? missing;
    const atEnd = line.at(-1) === `--${missing}`;
    return new UserError(
      `flag ${name} needs a value${atEnd ? '' : ` (one that starts with "-" is given as --${name}=-...)`}`,
    );
  }
  const [, unknown] = /^Unknown arguments?: (.+?)(?:, .*)?$/s.exec(message) ?? [];
  if (unknown !== undefined) {
    const why = new Map(Object.entries(command?.refused ?? {})).get(names.get(unknown) ?? unknown);
    return why === undefined ? unknownFlag(unknown, options) : new UserError(why);
  }
  const [, name, given, choices] = /Argument: (\S+), Given: "(.*?)", Choices: ([^\n]+)/s.exec(message) ?? [];
  return new UserError(
    name === undefined ? oneLine(message) : `--${name}=${oneLine(given ?? '')}: allowed are ${choices}`,
  );
}
