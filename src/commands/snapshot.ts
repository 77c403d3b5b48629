/** `snapshot`: writes a live fleet as a recording, which `--from` reads. */
import { oneLine } from '../errors.ts';
import { recordFleet } from '../fleet/record-fleet.ts';
import type { FleetToRecord, RecordOptions, Recorded } from '../fleet/record-fleet.ts';
import { selectVirtualClusters } from '../fleet/select.ts';
import type { Selection } from '../fleet/select.ts';
import { startProgress } from '../output/progress.ts';
import { count, nameOf, troubleLines } from '../output/summary.ts';
import { NewFolder } from '../snapshot/new-folder.ts';
import { RedactedNames } from '../snapshot/redacted-names.ts';
import type { Surroundings } from './check.ts';
import type { FleetSource, OpenFleet } from './source.ts';

export interface SnapshotFlags {
  /** Must not exist yet. */
  readonly directory: string;
  readonly virtualClusters: readonly string[];
  /** Of the super cluster; null for all. */
  readonly namespace: string | null;
  readonly tenantNamespaces: readonly string[];
  readonly redact: boolean;
  /** Milliseconds, 0 for none. */
  readonly tenantTimeout: number;
  readonly concurrency: number;
}

/** @returns the exit code: 0 all written, 2 written without some tenant or tenant namespace. @throws UserError; nothing is written then */
export async function snapshot(
  flags: SnapshotFlags,
  source: FleetSource,
  { stderr, signal, environment }: Surroundings,
): Promise<number> {
  // Before any cluster is asked: a place that cannot be written is told at once.
  const folder = await NewFolder.create(flags.directory);
  try {
    const opened = await source(signal);
    try {
      const selection = selectVirtualClusters(opened.virtualClusters, flags.virtualClusters);
      const progress = await startProgress(selection.running.length, stderr, environment, 'recorded');
      const recorded = await recordFleet(fleetOf(opened, selection), folder, {
        ...optionsOf(flags, opened),
        signal,
        onClaims: (more) => progress.claimsRead(more),
        onTenantDone: () => progress.tenantDone(),
      }).finally(() => progress.stop());
      await folder.complete();
      for (const line of linesOf(flags, selection, recorded)) stderr.write(`${line}\n`);
      return recorded.errors.length + recorded.unknownNamespaces.length > 0 ? 2 : 0;
    } finally {
      await opened.close();
    }
  } finally {
    await folder.close();
  }
}

function fleetOf({ fleet, superApi, virtualClusters }: OpenFleet, selection: Selection): FleetToRecord {
  if (superApi === null) throw new TypeError('a recording cannot be recorded');
  const chosen = new Set(
    [...selection.running, ...selection.skipped.map(({ virtualCluster }) => virtualCluster)].map(nameOf),
  );
  return {
    superApi,
    tenant: (virtualCluster, signal) => fleet.tenant(virtualCluster, signal),
    virtualClusters: virtualClusters.filter((one) => chosen.has(nameOf(one))),
    running: selection.running,
  };
}

function optionsOf(
  flags: SnapshotFlags,
  { virtualClusters }: OpenFleet,
): Omit<RecordOptions, 'signal' | 'onClaims' | 'onTenantDone'> {
  const { tenantNamespaces, concurrency, tenantTimeout } = flags;
  return {
    tenantNamespaces,
    concurrency,
    tenantTimeout,
    everything: flags.namespace === null && flags.virtualClusters.length === 0,
    // Of all that can be seen: the names of the others occur in claimRefs, too.
    names: flags.redact ? new RedactedNames(virtualClusters) : null,
  };
}

function linesOf(
  { directory, redact }: SnapshotFlags,
  { skipped }: Selection,
  { errors, unknownNamespaces, tenants, claims }: Recorded,
): string[] {
  if (tenants + errors.length + skipped.length === 0) {
    return [
      'No resources found: no VirtualCluster is visible here.',
      oneLine(`${directory}: an empty recording, of no VirtualCluster`),
    ];
  }
  const what = `${count(claims, 'claim')} of ${count(tenants, 'VirtualCluster')}`;
  const how = redact ? 'recorded with other names' : 'recorded';
  const without =
    errors.length > 0 ? `, without ${count(errors.length, 'tenant')} that could not be read` : '';
  return [
    ...troubleLines({ errors, skipped }),
    ...unknownNamespaces.map((line) => oneLine(`error: ${line}`)),
    oneLine(`${directory}: ${what} ${how}${without}; compare with: kubectl vc-pvc check --from ${directory}`),
  ];
}
