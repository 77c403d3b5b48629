/** Flags that several commands share: which fleet, which claims, how results are printed. */
import type { ColorMode } from '../output/color.ts';
import { parseDuration } from '../duration.ts';
import { UserError } from '../errors.ts';
import { flag, text, texts, valued, wholeNumber } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';

/** Output formats of a report; those that end in "=" need an expression behind it. */
const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath=', 'custom-columns='];

/** What every command that looks at a fleet takes. */
export const SCOPE_OPTIONS: OptionTable = {
  namespace: {
    ...valued('Only VirtualClusters of this namespace of the super cluster', 'namespace'),
    alias: 'n',
  },
  'all-namespaces': {
    type: 'boolean',
    alias: 'A',
    description: 'VirtualClusters of all namespaces, whatever -n says',
  },
  'tenant-namespace': {
    ...valued('Only claims of this tenant namespace; may be repeated', 'tenant-namespace'),
    array: true,
  },
  selector: { ...valued('Only tenant claims with these labels'), alias: 'l' },
  from: valued(
    'Read a recording in place of clusters: DIR/super.yaml and DIR/tenants/NAMESPACE/NAME.yaml',
    'directory',
  ),
  'tenant-kubeconfig': {
    ...valued('VIRTUALCLUSTER=FILE: how to reach one tenant; may be repeated', 'tenant-file'),
    array: true,
  },
  'tenant-timeout': { ...valued('Limit for reading one tenant in all; 0 for none'), default: '30s' },
  concurrency: { ...valued('Tenants read side by side'), default: '16' },
};

/** Which mismatches count, and how results are printed. */
export const RESULT_OPTIONS: OptionTable = {
  grace: {
    ...valued('A younger mismatch is shown but not counted: the syncer comes by every 60s'),
    default: '60s',
  },
  output: {
    ...valued(
      'Output format. One of: (table, wide, json, yaml, name, jsonpath=..., custom-columns=...)',
      FORMATS,
    ),
    alias: 'o',
    default: 'table',
  },
  'no-headers': { type: 'boolean', description: 'Leave the header line out' },
  'sort-by': valued('Path into an item, for example .tenant.name'),
  color: { ...valued('Colour the output'), choices: ['auto', 'always', 'never'], default: 'auto' },
};

export interface Scope {
  /** Of the super cluster; null for all. */
  readonly namespace: string | null;
  /** A recording's directory; null for live clusters. */
  readonly from: string | null;
  readonly selector: string | null;
}

/** Where to look. -A overrides -n, as in kubectl. @throws UserError */
export function scopeOf(argv: Arguments): Scope {
  if (text(argv, 'from') === '') throw new UserError('--from needs the directory of a recording');
  return {
    namespace: flag(argv, 'all-namespaces') ? null : text(argv, 'namespace') || null,
    from: text(argv, 'from'),
    selector: text(argv, 'selector'),
  };
}

/** What `check` and `sync` have in common. */
export interface CommonFlags {
  readonly virtualClusters: readonly string[];
  readonly tenantNamespaces: readonly string[];
  /** Milliseconds. */
  readonly grace: number;
  readonly output: string;
  readonly headers: boolean;
  readonly sortBy: string | null;
  readonly color: ColorMode;
  /** Milliseconds, 0 for none. */
  readonly tenantTimeout: number;
  readonly concurrency: number;
}

/** @throws UserError for a value that cannot be. */
export function commonFlags(argv: Arguments): CommonFlags {
  return {
    virtualClusters: argv.words,
    tenantNamespaces: [...new Set(texts(argv, 'tenant-namespace'))],
    grace: parseDuration(text(argv, 'grace') ?? '60s', '--grace'),
    output: text(argv, 'output') ?? 'table',
    headers: !flag(argv, 'no-headers'),
    sortBy: text(argv, 'sort-by'),
    color: text(argv, 'color') as ColorMode,
    tenantTimeout: parseDuration(text(argv, 'tenant-timeout') ?? '30s', '--tenant-timeout'),
    concurrency: wholeNumber(text(argv, 'concurrency') ?? '16', '--concurrency'),
  };
}

/** The end of what a command says of its exit codes. */
export const FAILURES = '2 an error, 130 interrupted (what was done by then is printed).';

/** Some of the flags, by name. */
export function someOf(options: OptionTable, names: readonly string[]): OptionTable {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
