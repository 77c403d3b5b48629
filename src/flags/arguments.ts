/** How flags are told to yargs and read from what it hands over. */
import type { ArgumentsCamelCase, Options } from 'yargs';
import { UserError, oneLine } from '../errors.ts';

/** Flags by name, as yargs is told of them. */
export type OptionTable = Readonly<Record<string, Options>>;

/** What yargs hands over; every flag is read through the functions below. */
export type Arguments = ArgumentsCamelCase<Record<string, unknown>>;

/** A flag with a value. */
export function valued(description: string): Options {
  return { type: 'string', requiresArg: true, description };
}

/** Those of some flags that take no value, with their short forms. */
export function switchNames(options: OptionTable): string[] {
  return Object.entries(options)
    .filter(([, { type }]) => type === 'boolean')
    .flatMap(([name, { alias }]) => [name, ...[alias ?? []].flat()]);
}

/** A flag's text, null where it is not given. Given twice, the last counts, as in kubectl. */
export function text(argv: Arguments, name: string): string | null {
  const value: unknown = argv[name];
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : null;
}

/** All values of a flag that may be repeated. */
export function texts(argv: Arguments, name: string): string[] {
  const value: unknown = argv[name];
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
}

/** Whether a switch is on. */
export function flag(argv: Arguments, name: string): boolean {
  const value: unknown = argv[name];
  return (Array.isArray(value) ? value.at(-1) : value) === true;
}

/** From 1 to 9999. @param name of the flag, for an error @throws UserError */
export function wholeNumber(value: string, name: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new UserError(`${name}=${oneLine(value)}: give a whole number from 1 to 9999`);
  return Number(value);
}
