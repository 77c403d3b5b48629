/** The flags, as yargs is told of them and as the commands take them. */
import type { ArgumentsCamelCase, Argv, Options } from 'yargs';
import type { CheckFlags } from './commands/check.ts';
import type { SyncFlags } from './commands/sync.ts';
import { parseDuration } from './duration.ts';
import { UserError, oneLine } from './errors.ts';
import type { ConnectionFlags } from './kube/kubeconfig/connection-flags.ts';

/** What yargs hands over; every flag is read through the functions below. */
export type Arguments = ArgumentsCamelCase<Record<string, unknown>>;

const CONNECTION = 'Super cluster (as in kubectl):';
const connectionText = (description: string): Options => ({ ...valued(description), group: CONNECTION });
const connectionSwitch = (description: string): Options => ({
  type: 'boolean',
  description,
  group: CONNECTION,
});

/** Flags of k8s.io/cli-runtime pkg/genericclioptions/config_flags.go, same names and meaning. */
const CONNECTION_OPTIONS: Readonly<Record<string, Options>> = {
  kubeconfig: connectionText('Path to the kubeconfig file'),
  context: connectionText('The kubeconfig context of the super cluster'),
  cluster: connectionText('The kubeconfig cluster'),
  user: connectionText('The kubeconfig user'),
  server: { ...connectionText('Address and port of the API server'), alias: 's' },
  token: connectionText('Bearer token'),
  as: connectionText('User to impersonate'),
  'as-uid': connectionText('UID to impersonate'),
  'as-group': { ...connectionText('Group to impersonate; may be repeated'), array: true },
  'as-user-extra': { ...connectionText('Extra to impersonate, key=value; may be repeated'), array: true },
  'request-timeout': connectionText('Limit for one request: 30, 1m30s; 0 for none'),
  'tls-server-name': connectionText('Name to check the certificate against'),
  'insecure-skip-tls-verify': connectionSwitch('Do not check the certificate'),
  'certificate-authority': connectionText('Path to a CA file'),
  'client-certificate': connectionText('Path to a client certificate file'),
  'client-key': connectionText('Path to a client key file'),
  'disable-compression': connectionSwitch('Ask for uncompressed answers'),
  v: { ...connectionText('Verbosity: with 1 or more an error shows its stack'), alias: 'verbosity' },
};

/** What every command that looks at a fleet takes. */
export const SCOPE_OPTIONS: Readonly<Record<string, Options>> = {
  namespace: { ...valued('Only VirtualClusters of this namespace of the super cluster'), alias: 'n' },
  'all-namespaces': {
    type: 'boolean',
    alias: 'A',
    description: 'VirtualClusters of all namespaces, whatever -n says',
  },
  'tenant-namespace': { ...valued('Only claims of this tenant namespace; may be repeated'), array: true },
  selector: { ...valued('Only tenant claims with these labels'), alias: 'l' },
  from: valued('Compare a recording: DIR/super.yaml and DIR/tenants/NAMESPACE/NAME.yaml'),
  'tenant-kubeconfig': {
    ...valued('VIRTUALCLUSTER=FILE: how to reach one tenant; may be repeated'),
    array: true,
  },
  'tenant-timeout': { ...valued('Limit for reading one tenant in all; 0 for none'), default: '30s' },
  concurrency: { ...valued('Tenants read side by side'), default: '16' },
};

const CHECK_OPTIONS: Readonly<Record<string, Options>> = {
  all: { type: 'boolean', description: 'Show consistent claims too' },
  orphans: { type: 'boolean', description: 'Show super claims that have no tenant claim' },
};

const SYNC_OPTIONS: Readonly<Record<string, Options>> = {
  hold: {
    type: 'boolean',
    description:
      "Keep the tenant's PV controller from undoing it: installs ValidatingAdmissionPolicy vc-pvc-hold in the tenant",
  },
  'release-all': {
    type: 'boolean',
    description: 'Release every held claim, whatever its super claim is, and remove policy and Events',
  },
  'dry-run': {
    ...valued('client: print what would be written; server: ask the API servers whether they would take it'),
    choices: ['none', 'client', 'server'],
    default: 'none',
  },
};

/** Which mismatches count, and how results are printed. */
export const RESULT_OPTIONS: Readonly<Record<string, Options>> = {
  grace: {
    ...valued('A younger mismatch is shown but not counted: the syncer comes by every 60s'),
    default: '60s',
  },
  output: {
    ...valued('table|wide|json|yaml|name|jsonpath=...|custom-columns=...'),
    alias: 'o',
    default: 'table',
  },
  'no-headers': { type: 'boolean', description: 'Leave the header line out' },
  'sort-by': valued('Path into an item, for example .tenant.name'),
  color: { ...valued('Colour the table'), choices: ['auto', 'always', 'never'], default: 'auto' },
};

const ALL_OPTIONS = [CONNECTION_OPTIONS, SCOPE_OPTIONS, CHECK_OPTIONS, SYNC_OPTIONS, RESULT_OPTIONS];

/** Every flag there is, for telling the nearest one to a mistyped one. */
export const FLAG_NAMES: readonly string[] = ALL_OPTIONS.flatMap(Object.keys);

/** Those of some flags that take no value, with their short forms. */
export function switchNames(options: Readonly<Record<string, Options>>): string[] {
  return Object.entries(options)
    .filter(([, { type }]) => type === 'boolean')
    .flatMap(([name, { alias }]) => [name, ...[alias ?? []].flat()]);
}

export const SWITCH_NAMES: readonly string[] = ALL_OPTIONS.flatMap(switchNames);

/** Adds the flags that name the super cluster: every command takes them. */
export function connectionOptions(parser: Argv): Argv {
  return parser.options(CONNECTION_OPTIONS);
}

/** Adds what `check` takes. */
export function checkOptions(parser: Argv): Argv {
  return virtualClusters(parser)
    .options({ ...SCOPE_OPTIONS, ...CHECK_OPTIONS, ...RESULT_OPTIONS })
    .example('$0 check', 'every VirtualCluster that can be seen')
    .example('$0 check team-b/staging -o wide', 'one, with both volumes')
    .example(
      "$0 check -o jsonpath='{.items[*].verdict}'",
      'for scripts; the exit code says whether anything is wrong',
    )
    .example('$0 check --from ./recording --all', 'offline, consistent claims too')
    .epilogue(`Exit codes: 0 nothing mismatched, 1 at least one mismatch, ${FAILURES}`);
}

/** Adds what `sync` takes. */
export function syncOptions(parser: Argv): Argv {
  return virtualClusters(parser)
    .options({ ...SCOPE_OPTIONS, ...SYNC_OPTIONS, ...RESULT_OPTIONS })
    .example('$0 sync --dry-run=client', 'what would be written, and nothing else')
    .example('$0 sync --hold', "show the super claims' phases in all tenants, and keep them shown")
    .example('$0 sync team-b/staging', 'one tenant; claims that are Bound again are released')
    .example('$0 sync --release-all team-b/staging', 'leave the tenant as if we had never been there')
    .epilogue(
      `Exit codes: 0 all done or nothing to do, 1 something was reverted, refused or (with --hold) not kept, ${FAILURES}`,
    );
}

const FAILURES = '2 an error, 130 interrupted (what was done by then is printed).';

/** Adds the names of VirtualClusters. */
export function virtualClusters(parser: Argv): Argv {
  return parser.positional('virtualcluster', {
    type: 'string',
    array: true,
    description: 'NAME or NAMESPACE/NAME; all that can be seen if none is given',
  });
}

/** A flag with a value. */
export function valued(description: string): Options {
  return { type: 'string', requiresArg: true, description };
}

/** @throws UserError for a value that cannot be. */
export function checkFlags(argv: Arguments): CheckFlags {
  const orphans = flag(argv, 'orphans');
  if (orphans && text(argv, 'selector') !== null) {
    throw new UserError(
      '--orphans cannot be used with -l: without all tenant claims every super claim may look orphaned',
    );
  }
  return { ...commonFlags(argv), all: flag(argv, 'all'), orphans };
}

/** @throws UserError for a value that cannot be. */
export function syncFlags(argv: Arguments): SyncFlags {
  const common = commonFlags(argv);
  const selected = text(argv, 'selector') !== null;
  const releaseAll = flag(argv, 'release-all');
  const hold = flag(argv, 'hold');
  if (releaseAll && hold) throw new UserError('--hold and --release-all exclude each other');
  if (releaseAll && (selected || common.tenantNamespaces.length > 0)) {
    throw new UserError(
      '--release-all cannot be narrowed by -l or --tenant-namespace: it removes the policy, which holds all claims of a tenant; name VirtualClusters instead',
    );
  }
  return { ...common, selected, hold, releaseAll, dryRun: text(argv, 'dry-run') as SyncFlags['dryRun'] };
}

function commonFlags(argv: Arguments): Omit<CheckFlags, 'all' | 'orphans'> {
  return {
    // What stands after `--` is left among the words behind the command.
    virtualClusters: [...texts(argv, 'virtualcluster'), ...argv._.slice(1).map(String)],
    tenantNamespaces: [...new Set(texts(argv, 'tenant-namespace'))],
    grace: parseDuration(text(argv, 'grace') ?? '60s', '--grace'),
    output: text(argv, 'output') ?? 'table',
    headers: !flag(argv, 'no-headers'),
    sortBy: text(argv, 'sort-by'),
    color: text(argv, 'color') as CheckFlags['color'],
    tenantTimeout: parseDuration(text(argv, 'tenant-timeout') ?? '30s', '--tenant-timeout'),
    concurrency: wholeNumber(text(argv, 'concurrency') ?? '16', '--concurrency'),
  };
}

/** The flags that name the super cluster, as the kubeconfig module takes them; absent where not given. */
export function connectionFlags(argv: Arguments): ConnectionFlags {
  const given = <K extends string>(key: K, value: string | null): Partial<Record<K, string>> =>
    value === null ? {} : ({ [key]: value } as Record<K, string>);
  return {
    ...given('kubeconfig', text(argv, 'kubeconfig')),
    ...given('context', text(argv, 'context')),
    ...given('cluster', text(argv, 'cluster')),
    ...given('user', text(argv, 'user')),
    ...given('server', text(argv, 'server')),
    ...given('token', text(argv, 'token')),
    ...given('as', text(argv, 'as')),
    ...given('asUid', text(argv, 'as-uid')),
    asGroup: texts(argv, 'as-group'),
    asUserExtra: texts(argv, 'as-user-extra'),
    ...given('requestTimeout', text(argv, 'request-timeout')),
    ...given('tlsServerName', text(argv, 'tls-server-name')),
    insecureSkipTLSVerify: flag(argv, 'insecure-skip-tls-verify'),
    ...given('certificateAuthority', text(argv, 'certificate-authority')),
    ...given('clientCertificate', text(argv, 'client-certificate')),
    ...given('clientKey', text(argv, 'client-key')),
    disableCompression: flag(argv, 'disable-compression'),
  };
}

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
