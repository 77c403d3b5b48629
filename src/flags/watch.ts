/** The flags of `watch`. */
import type { WatchFlags } from '../commands/watch.ts';
import { parseDuration } from '../duration.ts';
import { UserError, oneLine } from '../errors.ts';
import type { WatchFormat } from '../output/watch-rows.ts';
import { parseBindAddress } from '../serve/bind-address.ts';
import { flag, text, valued } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { VIRTUAL_CLUSTERS } from './form.ts';
import type { CommandForm } from './form.ts';
import { RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags } from './scope.ts';

const FORMATS: readonly WatchFormat[] = ['table', 'wide', 'json', 'name'];

const { from: _from, ...SCOPE } = SCOPE_OPTIONS;
const { 'sort-by': _sortBy, ...RESULT } = RESULT_OPTIONS;

export const WATCH: CommandForm = {
  name: 'watch',
  usage: '[VIRTUALCLUSTER...]',
  ...VIRTUAL_CLUSTERS,
  short: 'Tell mismatches as they come and go; with --sync answer each',
  long: [
    'Print the mismatches there are, then a row for each change: of a claim, of its super claim, of the volumes behind them. VirtualClusters that come, go or change are followed.',
    'With --sync each mismatch is answered as sync would, within milliseconds; --hold makes it stay. A claim that somebody keeps setting back is answered ever less often, down to once in ten minutes. Nothing is written to the super cluster but, with --replicas-lease-namespace, a Lease.',
    'A claim younger than --grace is left to the syncer: it has no row until then. A claim on its way out is told only if it had a row before.',
    'Exit codes: 0 nothing mismatched at the end of --timeout, or --once-consistent came about, or SIGTERM; 1 a mismatch at the end of --timeout; 2 an error, or a cluster that cannot be reached then; 130 Ctrl-C.',
  ],
  examples: [
    { comment: 'Print the mismatches there are, then each change', line: 'kubectl vc-pvc watch' },
    {
      comment: 'Have tenants told the truth within milliseconds, and make it stay',
      line: 'kubectl vc-pvc watch --sync --hold',
    },
    {
      comment: 'Keep one live screen, with the health of each tenant',
      line: 'kubectl vc-pvc watch --ui',
    },
    {
      comment: 'Wait in a CI job until nothing is mismatched',
      line: 'kubectl vc-pvc watch --once-consistent --timeout=5m',
    },
    {
      comment: 'Feed a program: one object a line',
      line: 'kubectl vc-pvc watch -o json --output-watch-events',
    },
  ],
  options: {
    ...SCOPE,
    ...RESULT,
    grace: {
      ...valued('A younger mismatch has no row yet: the syncer comes by every 60s'),
      default: '60s',
    },
    'tenant-timeout': { ...valued('Limit for opening one tenant; 0 for none'), default: '30s' },
    output: {
      ...valued('Output format. One of: (table, wide, json, name); json is one object a line', FORMATS),
      alias: 'o',
      default: 'table',
    },
    'output-watch-events': { type: 'boolean', description: 'Tell ADDED, MODIFIED or DELETED with each row' },
    ui: { type: 'boolean', description: 'One live screen in place of rows' },
    timeout: { ...valued('End after this time: 30s, 5m; 0 for never'), default: '0' },
    'once-consistent': {
      type: 'boolean',
      description: 'End, with 0, as soon as every tenant can be reached and nothing is mismatched',
    },
    sync: {
      type: 'boolean',
      description: 'Perform what check plans, as sync does: writes to the tenants',
    },
    hold: {
      type: 'boolean',
      description:
        "With --sync, keep the tenants' PV controllers from undoing it: installs ValidatingAdmissionPolicy vc-pvc-hold in them",
    },
    'metrics-bind-address': {
      ...valued('HOST:PORT or :PORT for /metrics, /healthz and /readyz; 0 for none'),
      default: '0',
    },
    'replicas-lease-namespace': valued(
      'Divide the tenants among all replicas that have a Lease in this namespace of the super cluster',
      'namespace',
    ),
  },
  refused: { from: 'a recording does not change: check --from reads it' },
};

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
