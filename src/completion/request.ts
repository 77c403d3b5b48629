/** What is being typed: pure, from the words of a command line. */
import type { Arguments, Flag, OptionTable } from '../flags/arguments.ts';
import type { CommandForm, WordKind } from '../flags/form.ts';
import { allOptions } from '../flags/parse.ts';
import { tokensOf } from '../flags/tokens.ts';

/** What may stand at the cursor. */
type Wanted =
  | { readonly kind: 'flag'; readonly options: OptionTable }
  | { readonly kind: 'value'; readonly flag: Flag }
  | { readonly kind: 'word'; readonly word: WordKind }
  | { readonly kind: 'nothing' };

export interface CompletionRequest {
  readonly wanted: Wanted;
  /** What has been typed of it: of --output=js it is "js". */
  readonly typed: string;
  readonly command: CommandForm | null;
  /** What stands before it. Mistakes are passed over: it is not their moment yet. */
  readonly argv: Arguments;
}

/**
 * @param words the command line without "kubectl vc-pvc", its last word being typed; "" where none is begun
 * @param shared flags of every command
 */
export function completionRequest(
  words: readonly string[],
  commands: readonly CommandForm[],
  shared: OptionTable,
): CompletionRequest {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const every = allOptions(commands, shared);
  const tokens = tokensOf(before, every);
  const [name, ...rest] = tokens.words;
  const command = commands.find((one) => one.name === name) ?? null;
  const options = command === null ? every : allOptions([command], shared);
  const values = new Map<string, (string | boolean)[]>();
  for (const { name: flag, value } of tokens.flags) {
    const given = Object.hasOwn(options, flag) && options[flag]?.type === 'string' ? value : true;
    if (given !== null) values.set(flag, [...(values.get(flag) ?? []), given]);
  }
  const found = { command, argv: { words: rest, values } };
  if (before.includes('--')) return { ...found, typed, wanted: wordWanted(name, command, rest.length) };
  const last = tokens.flags.at(-1);
  const open = last?.value === null ? flagOf(last.name, options) : null;
  if (open?.type === 'string') return { ...found, typed, wanted: { kind: 'value', flag: open } };
  const [, assigned = '', value = ''] = /^(-[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (assigned !== '') {
    const [given] = tokensOf([assigned], options).flags;
    const flag = given === undefined ? null : flagOf(given.name, options);
    return { ...found, typed: value, wanted: flag === null ? { kind: 'nothing' } : { kind: 'value', flag } };
  }
  if (!typed.startsWith('-')) return { ...found, typed, wanted: wordWanted(name, command, rest.length) };
  return { ...found, typed, wanted: { kind: 'flag', options: repeatable(options, values) } };
}

function flagOf(name: string, options: OptionTable): Flag | null {
  return Object.hasOwn(options, name) ? (options[name] ?? null) : null;
}

/** One that was given already is offered again only where it may be. */
function repeatable(options: OptionTable, given: ReadonlyMap<string, unknown>): OptionTable {
  return Object.fromEntries(
    Object.entries(options).filter(([name, { array }]) => array === true || !given.has(name)),
  );
}

function wordWanted(name: string | undefined, command: CommandForm | null, before: number): Wanted {
  if (name === undefined) return { kind: 'word', word: 'command' };
  const word = command?.words[before] ?? command?.words.at(-1);
  if (command === null || word === undefined || before >= command.mostWords) return { kind: 'nothing' };
  return { kind: 'word', word };
}
