/** `sync`: makes tenant claims show the phase of their super claims, and makes it stay. */
import { UserError } from '../errors.ts';
import { selectVirtualClusters } from '../fleet/select.ts';
import type { CommonFlags } from '../flags/scope.ts';
import { printSyncReport, syncSummaryLines } from '../output/print-sync.ts';
import { startProgress } from '../output/progress.ts';
import { syncExitCode } from '../reconcile/sync-report.ts';
import type { DryRun, SyncReport } from '../reconcile/sync-report.ts';
import { releaseFleet, syncFleet } from '../sync/sync-fleet.ts';
import type { Surroundings } from './check.ts';
import { printOptionsOf } from './print-options.ts';
import type { FleetSource } from './source.ts';

export interface SyncFlags extends CommonFlags {
  /** Only claims with some labels are looked at. */
  readonly selected: boolean;
  readonly hold: boolean;
  readonly releaseAll: boolean;
  readonly dryRun: DryRun;
}

/**
 * @returns the exit code: 0 all done or nothing to do, 1 something could not be made to stay or was refused, 2 something could not be
 * read or written. @throws UserError
 */
export async function sync(
  flags: SyncFlags,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<number> {
  const options = printOptionsOf(flags, surroundings);
  const report = await perform(flags, source, surroundings);
  const { stdout, stderr } = surroundings;
  try {
    stdout.write(printSyncReport(report, options));
  } catch (error) {
    // It has been written: what was done must not be lost over how it was to be shown.
    stdout.write(printSyncReport(report, { ...options, format: { kind: 'table' }, sortBy: null }));
    throw error;
  } finally {
    for (const line of syncSummaryLines(report)) stderr.write(`${line}\n`);
  }
  return syncExitCode(report, flags.hold);
}

async function perform(
  flags: SyncFlags,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<SyncReport> {
  const { signal, now } = surroundings;
  const { hold, dryRun, grace, tenantNamespaces, concurrency, tenantTimeout } = flags;
  const opened = await source(signal);
  try {
    if (!opened.live && dryRun !== 'client') {
      throw new UserError('a recording cannot be written to: use --dry-run=client with --from');
    }
    const selection = selectVirtualClusters(opened.virtualClusters, flags.virtualClusters);
    const progress = await startProgress(selection.running.length, surroundings.stderr);
    try {
      opened.onClaims((more) => progress.claimsRead(more));
      const work = flags.releaseAll ? releaseFleet : syncFleet;
      return await work(opened.fleet, selection, {
        tenantNamespaces,
        all: false,
        orphans: false,
        confirm: opened.live,
        concurrency,
        tenantTimeout: opened.live ? tenantTimeout : 0,
        signal,
        onTenantDone: () => progress.tenantDone(),
        hold,
        dryRun,
        wholeTenant: tenantNamespaces.length === 0 && !flags.selected,
        grace,
        now,
      });
    } finally {
      progress.stop();
    }
  } finally {
    await opened.close();
  }
}
