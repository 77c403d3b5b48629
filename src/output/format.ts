/** What -o may say. */
import { UserError, oneLine } from '../errors.ts';
import { parsePath, parseTemplate } from './jsonpath-parse.ts';
import type { Path, TemplateNode } from './jsonpath-parse.ts';
import { nearest } from '../nearest.ts';

export type OutputFormat =
  | { readonly kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  | { readonly kind: 'jsonpath'; readonly template: readonly TemplateNode[] }
  | { readonly kind: 'custom-columns'; readonly columns: readonly CustomColumn[] };

/** What one column of -o custom-columns shows of an item. */
export interface CustomColumn {
  readonly header: string;
  readonly path: Path;
}

const PLAIN = ['table', 'wide', 'json', 'yaml', 'name'] as const;
const EXAMPLES: Readonly<Record<string, string>> = {
  jsonpath: "'{.items[*].verdict}'",
  'custom-columns': 'CLAIM:.tenant.name,VERDICT:.verdict',
};

/** @throws UserError for anything else, and for an expression that cannot be read: before any cluster is asked. */
export function parseOutputFormat(value: string): OutputFormat {
  const plain = PLAIN.find((kind) => kind === value);
  if (plain !== undefined) return { kind: plain };
  const [, kind = value, argument = ''] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  const example = Object.hasOwn(EXAMPLES, kind) ? EXAMPLES[kind] : undefined;
  if (example !== undefined && argument === '') {
    throw new UserError(`-o ${kind} needs an expression: -o ${kind}=${example}`);
  }
  if (kind === 'jsonpath') return { kind, template: parseTemplate(argument) };
  if (kind === 'custom-columns') return { kind, columns: parseColumns(argument) };
  const known = [...PLAIN, ...Object.keys(EXAMPLES).map((name) => `${name}=...`)];
  throw new UserError(
    `-o ${oneLine(value)}: unknown output format${nearest(kind, [...PLAIN, ...Object.keys(EXAMPLES)])}; allowed are ${known.join(', ')}`,
  );
}

/** `HEADER:path`, separated by commas, as in kubectl pkg/cmd/get/customcolumn.go. */
function parseColumns(spec: string): CustomColumn[] {
  return spec.split(',').map((part) => {
    const [, header, path] = /^([^:]+):(.+)$/s.exec(part) ?? [];
    if (header === undefined || path === undefined) {
      throw new UserError(`-o custom-columns: "${oneLine(part)}": HEADER:.path is expected`);
    }
    return { header, path: parsePath('-o custom-columns', path) };
  });
}
