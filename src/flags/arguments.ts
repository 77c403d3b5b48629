/** Flags: what they look like, and how they are read from a command line that has been parsed. */
import { UserError, oneLine } from '../errors.ts';

/** What is looked up where the value of a flag is to be completed. */
export type Lookup =
  | 'file'
  | 'directory'
  | 'context'
  | 'cluster'
  | 'user'
  | 'namespace'
  | 'tenant-namespace'
  | 'tenant-file';

/** One flag. */
export interface Flag {
  /** A switch is on or off; anything else takes a value. */
  readonly type: 'string' | 'boolean';
  readonly description: string;
  /** Another name, of one letter or long. */
  readonly alias?: string;
  /** May be given several times. */
  readonly array?: boolean;
  /** The value where it is not given. */
  readonly default?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** What completion offers for its value beside the choices: words, or what is to be looked up. */
  readonly offers?: readonly string[] | Lookup;
}

/** Flags by name. */
export type OptionTable = Readonly<Record<string, Flag>>;

/** A command line, parsed; every flag is read through the functions below. */
export interface Arguments {
  /** What stands behind the command's name and is no flag. */
  readonly words: readonly string[];
  /** The values of each flag, in the order in which they stand; a default is one. */
  readonly values: ReadonlyMap<string, readonly (string | boolean)[]>;
}

/** A flag with a value. */
export function valued(description: string, offers: Flag['offers'] = []): Flag {
  return { type: 'string', description, offers };
}

/** A flag's text, null where it is not given. Given twice, the last counts, as in kubectl. */
export function text({ values }: Arguments, name: string): string | null {
  const last = values.get(name)?.at(-1);
  return typeof last === 'string' ? last : null;
}

/** All values of a flag that may be repeated. */
export function texts({ values }: Arguments, name: string): string[] {
  return (values.get(name) ?? []).filter((value) => typeof value === 'string');
}

/** Whether a switch is on. */
export function flag({ values }: Arguments, name: string): boolean {
  return values.get(name)?.at(-1) === true;
}

/** From 1 to 9999. @param name of the flag, for an error @throws UserError */
export function wholeNumber(value: string, name: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new UserError(`${name}=${oneLine(value)}: give a whole number from 1 to 9999`);
  return Number(value);
}
