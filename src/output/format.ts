/** What -o may say. */
import { UserError } from '../errors.ts';
import { nearest } from './nearest.ts';

export type OutputFormat =
  | { readonly kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  | { readonly kind: 'jsonpath'; readonly template: string }
  | { readonly kind: 'custom-columns'; readonly spec: string };

const PLAIN = ['table', 'wide', 'json', 'yaml', 'name'] as const;
const WITH_ARGUMENT = ['jsonpath', 'custom-columns'] as const;

/** @throws UserError for anything else. */
export function parseOutputFormat(value: string): OutputFormat {
  const plain = PLAIN.find((kind) => kind === value);
  if (plain !== undefined) return { kind: plain };
  const equals = value.indexOf('=');
  const kind = equals < 0 ? value : value.slice(0, equals);
  const argument = equals < 0 ? '' : value.slice(equals + 1);
  if (kind === 'jsonpath' && argument !== '') return { kind, template: argument };
  if (kind === 'custom-columns' && argument !== '') return { kind, spec: argument };
  if (WITH_ARGUMENT.some((known) => known === kind)) {
    throw new UserError(
      `-o ${kind} needs an expression: ${kind === 'jsonpath' ? "-o jsonpath='{.items[*].verdict}'" : '-o custom-columns=CLAIM:.tenant.name,VERDICT:.verdict'}`,
    );
  }
  const known = [...PLAIN, ...WITH_ARGUMENT.map((name) => `${name}=...`)];
  throw new UserError(
    `-o ${value}: unknown output format${nearest(kind, [...PLAIN, ...WITH_ARGUMENT])}; allowed are ${known.join(', ')}`,
  );
}
