/** `--sort-by`, after kubectl pkg/cmd/get/sorter.go. */
import { UserError, oneLine } from '../errors.ts';
import { bytesOf } from '../reconcile/quantity.ts';
import { parsePath } from './jsonpath-parse.ts';
import { findAll, resultText } from './jsonpath.ts';

/**
 * The items by the first thing that a path finds in each; those in which it finds nothing come first, and what is
 * alike keeps its order. Numbers and quantities go by value ("9" before "10", "1Gi" before "1Ti"), text by its
 * bytes.
 * @throws UserError where no item has such a field, or it holds an object or a list
 */
export function sortItems<T>(items: readonly T[], expression: string): T[] {
  const path = parsePath('--sort-by', expression);
  const blame = `--sort-by=${oneLine(expression)}`;
  const keyed = items.map((item) => ({ item, key: sortKey(findAll(path, item)[0], blame) }));
  const keys = keyed.map(({ key }) => key).filter((key) => key !== null);
  if (items.length > 0 && keys.length === 0) throw new UserError(`${blame}: no item has this field`);
  // All or none: sizes compared by value among words compared by bytes would be no order at all.
  const compare = keys.every((key) => bytesOf(key) !== null) ? bySize : byBytes;
  return keyed.sort((a, b) => absentFirst(a.key, b.key, compare)).map(({ item }) => item);
}

function sortKey(value: unknown, blame: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') {
    throw new UserError(`${blame}: names an object or a list; name a field in it`);
  }
  return resultText(value);
}

function absentFirst(a: string | null, b: string | null, compare: (a: string, b: string) => number): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compare(a, b);
}

function bySize(a: string, b: string): number {
  return order(bytesOf(a) ?? 0n, bytesOf(b) ?? 0n);
}

function byBytes(a: string, b: string): number {
  return order(a, b);
}

function order<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
