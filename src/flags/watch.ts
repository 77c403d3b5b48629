/** The flags of `watch`. */
import type { Argv } from 'yargs';
import type { WatchFlags } from '../commands/watch.ts';
import { parseDuration } from '../duration.ts';
import { UserError, oneLine } from '../errors.ts';
import type { WatchFormat } from '../output/watch-rows.ts';
import { parseBindAddress } from '../serve/bind-address.ts';
import { flag, text, valued } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import { RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags, virtualClusters } from './scope.ts';

/** What no other command has, but --hold. */
export const WATCH_OPTIONS: OptionTable = {
  sync: {
    type: 'boolean',
    description: 'Perform what check plans, as sync does: writes to the tenants',
  },
  hold: {
    type: 'boolean',
    description:
      "With --sync: keep the tenants' PV controllers from undoing it (ValidatingAdmissionPolicy vc-pvc-hold)",
  },
  'output-watch-events': { type: 'boolean', description: 'Tell ADDED, MODIFIED or DELETED with each row' },
  ui: { type: 'boolean', description: 'One live screen in place of rows' },
  timeout: { ...valued('End after this time: 30s, 5m; 0 for never'), default: '0' },
  'once-consistent': {
    type: 'boolean',
    description: 'End, with 0, as soon as every tenant can be reached and nothing is mismatched',
  },
  'metrics-bind-address': {
    ...valued('HOST:PORT or :PORT for /metrics, /healthz and /readyz; 0 for none'),
    default: '0',
  },
  'replicas-lease-namespace': valued(
    'Divide the tenants among all replicas that have a Lease in this namespace of the super cluster',
  ),
};

const FORMATS: readonly WatchFormat[] = ['table', 'wide', 'json', 'name'];
const OUTPUT = {
  ...valued('table|wide|json|name; json is one object a line'),
  alias: 'o',
  default: 'table',
};

/** Adds what `watch` takes. */
export function watchOptions(parser: Argv): Argv {
  const { from: _from, ...scope } = SCOPE_OPTIONS;
  const { 'sort-by': _sortBy, ...result } = RESULT_OPTIONS;
  return virtualClusters(parser)
    .options({ ...scope, ...WATCH_OPTIONS, ...result, output: OUTPUT })
    .example('$0 watch', 'the mismatches there are, then each change')
    .example('$0 watch --sync --hold', 'tenants are told the truth within milliseconds, and it stays')
    .example('$0 watch --ui', 'one live screen, with the health of each tenant')
    .example('$0 watch --once-consistent --timeout=5m', 'for CI: wait until nothing is mismatched')
    .example('$0 watch -o json --output-watch-events | jq .', 'one object a line')
    .epilogue(
      'Exit codes: at the end of --timeout 0 nothing mismatched, 1 at least one mismatch, 2 an error or a tenant that cannot be reached; 130 after Ctrl-C, 0 after SIGTERM.',
    );
}

/** @throws UserError for a value that cannot be. */
export function watchFlags(argv: Arguments): WatchFlags {
  const { output, sortBy: _sortBy, ...common } = commonFlags(argv);
  const format = FORMATS.find((one) => one === output);
  if (format === undefined) {
    throw new UserError(`-o ${oneLine(output)}: a watch prints row by row: ${FORMATS.join(', ')}`);
  }
  const sync = flag(argv, 'sync');
  const hold = flag(argv, 'hold');
  const ui = flag(argv, 'ui');
  const events = flag(argv, 'output-watch-events');
  const leaseNamespace = text(argv, 'replicas-lease-namespace');
  const onceConsistent = flag(argv, 'once-consistent');
  if (hold && !sync) throw new UserError('--hold goes with --sync: a watch alone writes nothing');
  if (ui && (format === 'json' || format === 'name' || events)) {
    throw new UserError('--ui is a screen: it cannot be used with -o json, -o name or --output-watch-events');
  }
  if (leaseNamespace !== null && onceConsistent) {
    throw new UserError(
      '--once-consistent cannot be used with --replicas-lease-namespace: one replica sees only its own tenants',
    );
  }
  if (leaseNamespace !== null && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(leaseNamespace)) {
    throw new UserError(
      `--replicas-lease-namespace=${oneLine(leaseNamespace)}: that is no name of a namespace`,
    );
  }
  return {
    ...common,
    selector: text(argv, 'selector'),
    format,
    events,
    ui,
    sync: sync ? { hold } : null,
    timeout: parseDuration(text(argv, 'timeout') ?? '0', '--timeout'),
    onceConsistent,
    bindAddress: parseBindAddress(text(argv, 'metrics-bind-address') ?? '0', '--metrics-bind-address'),
    leaseNamespace,
  };
}
