/** `watch`: the mismatches of a fleet as they come and go; with --sync each is answered. */
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { UserError } from '../errors.ts';
import type { CommonFlags } from '../flags/scope.ts';
import { selectVirtualClusters } from '../fleet/select.ts';
import { wantsColor } from '../output/color.ts';
import { notesTo } from '../output/level-output.ts';
import type { LevelOutput, Note } from '../output/level-output.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { WatchFormat, WatchPrintOptions } from '../output/watch-rows.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { soleOwnership } from '../replicas/ownership.ts';
import type { Ownership } from '../replicas/ownership.ts';
import type { BindAddress } from '../serve/bind-address.ts';
import type { StatusServer } from '../serve/status-server.ts';
import { FleetWatch } from '../watch/fleet-watch.ts';
import { withTimeLimit } from '../sync/time-limit.ts';
import { clientVersion } from '../version.ts';
import { fanOut } from '../watch/observer.ts';
import { tenantId } from '../watch/tenant-state.ts';
import type { Surroundings } from './check.ts';
import type { OpenFleet, FleetSource } from './source.ts';
import { isTerminated, runUntilOver } from './watch-course.ts';
import { namespaceWarnings } from './watch-namespaces.ts';
import { WatchPrinter } from './watch-printer.ts';
import type { WatchStatus } from './watch-status.ts';
import { WatchView } from './watch-view.ts';

export interface WatchFlags extends Omit<CommonFlags, 'output' | 'sortBy'> {
  /** Labels that tenant claims must have; null for all claims. */
  readonly selector: string | null;
  readonly format: WatchFormat;
  /** --output-watch-events. */
  readonly events: boolean;
  readonly ui: boolean;
  /** null: nothing is written. */
  readonly sync: { readonly hold: boolean } | null;
  /** Milliseconds, 0 for none. */
  readonly timeout: number;
  readonly onceConsistent: boolean;
  /** null: none. */
  readonly bindAddress: BindAddress | null;
  /** null: this replica is the only one. */
  readonly leaseNamespace: string | null;
}

/**
 * Watches until --timeout, --once-consistent or a signal ends it.
 * @param namespace of the VirtualClusters in view; null for all
 * @returns the exit code: 0 nothing mismatched, 1 a mismatch, 2 a tenant that cannot be reached. @throws UserError
 */
export async function watch(
  flags: WatchFlags,
  namespace: string | null,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<number> {
  const { stdout, environment } = surroundings;
  if (flags.ui && (!stdout.isTTY || environment['TERM'] === 'dumb')) {
    throw new UserError('--ui needs a terminal whose cursor can be moved: leave it out, or use -o json');
  }
  keepHeapSmall();
  const end = flags.timeout === 0 ? Infinity : performance.now() + flags.timeout;
  const opened = await open(flags, source, surroundings.signal);
  if (opened === null) return 0;
  try {
    return await watchFleet(flags, namespace, opened, end, surroundings);
  } finally {
    await opened.close();
  }
}

/** A super cluster that does not answer must not outlast --timeout. @returns null where SIGTERM came first. @throws UserError */
async function open(
  { timeout }: WatchFlags,
  source: FleetSource,
  signal: AbortSignal,
): Promise<OpenFleet | null> {
  try {
    return await (timeout === 0 ? source(signal) : withTimeLimit(source, signal, timeout));
  } catch (error) {
    if (isTerminated(signal)) return null;
    throw error;
  }
}

/**
 * The first lists make V8 grow its space for young objects to 48 MB and more, which it keeps for months without need.
 * Measured with 20,000 pairs: 305 MB resident without this, 231 MB with it.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** @param end when the time is up, on the monotonic clock; Infinity for never */
async function watchFleet(
  flags: WatchFlags,
  namespace: string | null,
  opened: OpenFleet,
  end: number,
  surroundings: Surroundings,
): Promise<number> {
  const { superApi, virtualClusters, fleet: tenants } = opened;
  if (superApi === null) throw new UserError('a recording cannot be watched: it does not change');
  const only = chosen(virtualClusters, flags.virtualClusters);
  const notes = notesTo(surroundings.stderr);
  const printer = new WatchPrinter(printOptions(flags, surroundings), surroundings.stdout, notes);
  const status = flags.bindAddress === null ? null : await watchStatus(surroundings.now);
  if (status !== null) opened.onRequest((...request) => status.countRequest(...request));
  const ownership = await ownershipOf(flags, superApi, notes, surroundings.environment);
  const fleet = new FleetWatch({
    ...flags,
    superApi,
    open: (virtualCluster, within) => tenants.tenant(virtualCluster, within),
    namespace,
    only,
    now: surroundings.now,
    ownership,
    observer: fanOut([...(flags.ui ? [] : [printer]), ...(status === null ? [] : [status.observer])]),
  });
  let server: StatusServer | null = null;
  try {
    if (flags.bindAddress !== null && status !== null) {
      server = await status.serve(flags.bindAddress, fleet, ownership);
    }
    const view = flags.ui ? watchView(flags, fleet, opened, surroundings) : null;
    // One of several replicas does not see all tenants, and beside a view there is no place for lines.
    const warns = view === null && flags.leaseNamespace === null;
    const course = { onceConsistent: flags.onceConsistent, end };
    return await runUntilOver(fleet, view ?? printer, course, surroundings.signal, async (limit, signal) => {
      const lines = warns ? await namespaceWarnings(fleet, tenants, flags, limit, signal) : [];
      for (const line of lines) surroundings.stderr.write(`${line}\n`);
    });
  } finally {
    await ownership.leave();
    await server?.close();
    notes.end();
  }
}

function printOptions(flags: WatchFlags, { stdout, environment, now }: Surroundings): WatchPrintOptions {
  return {
    ...flags,
    sync: flags.sync !== null,
    color: wantsColor(flags.color, stdout.isTTY, environment),
    width: stdout.isTTY ? stdout.columns : null,
    now,
  };
}

function watchView(
  flags: WatchFlags,
  fleet: FleetWatch,
  opened: OpenFleet,
  surroundings: Surroundings,
): WatchView {
  return new WatchView(
    {
      fleet,
      superCluster: opened.superCluster?.description ?? '',
      sync: flags.sync !== null,
      wide: flags.format === 'wide',
      color: wantsColor(flags.color, true, surroundings.environment),
    },
    surroundings,
  );
}

/** Imported only where it is asked for: the library for metrics costs a start what most runs need not pay. */
async function watchStatus(now: () => number): Promise<WatchStatus> {
  const { WatchStatus } = await import('./watch-status.ts');
  const { gitVersion, gitCommit } = clientVersion();
  return new WatchStatus({ version: gitVersion, commit: gitCommit }, now);
}

/** Alone, or one of several that have announced themselves. @throws UserError */
async function ownershipOf(
  { leaseNamespace }: WatchFlags,
  connection: ApiConnection,
  notes: LevelOutput<Note>,
  environment: Surroundings['environment'],
): Promise<Ownership> {
  if (leaseNamespace === null) return soleOwnership();
  const { Replicas } = await import('../replicas/replicas.ts');
  return Replicas.join({
    connection,
    namespace: leaseNamespace,
    identity: replicaName(environment),
    // The lease is kept until what is in flight has ended: leave() gives it back.
    signal: new AbortController().signal,
    onTrouble: (line) => notes.tell('lease', { type: 'MODIFIED', text: `error: ${line}` }),
  });
}

/**
 * POD_NAME, as plugin/deploy sets it, else the host's name. A pod's host name need not be its own: it is cut to 63 characters
 * (k8s.io/kubernetes pkg/kubelet/kubelet_pods.go, truncatePodHostnameIfNeeded), and the node's with hostNetwork.
 */
function replicaName({ POD_NAME }: Surroundings['environment']): string {
  return POD_NAME || hostname().toLowerCase();
}

/** Those that were named; null for all. @throws UserError for one that is not there, or that several are meant by */
function chosen(visible: readonly VirtualCluster[], names: readonly string[]): ReadonlySet<string> | null {
  if (names.length === 0) return null;
  const { running, skipped } = selectVirtualClusters(visible, names);
  return new Set([...running, ...skipped.map(({ virtualCluster }) => virtualCluster)].map(tenantId));
}
