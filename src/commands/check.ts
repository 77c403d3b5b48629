/** `check`: finds every claim whose tenant and super cluster state disagree. */
import type { WriteStream } from 'node:tty';
import { checkFleet } from '../fleet/check.ts';
import type { FleetOptions } from '../fleet/check.ts';
import type { ReportOptions } from '../reconcile/build-report.ts';
import { selectVirtualClusters } from '../fleet/select.ts';
import type { CommonFlags } from '../flags/scope.ts';
import { printReport } from '../output/print-report.ts';
import { startProgress } from '../output/progress.ts';
import { summaryLines } from '../output/summary.ts';
import type { ClaimReport } from '../reconcile/report.ts';
import { printOptionsOf } from './print-options.ts';
import type { FleetSource } from './source.ts';

export interface CheckFlags extends CommonFlags {
  readonly all: boolean;
  readonly orphans: boolean;
}

/** Where a command's output goes, and what it may know of the outside. */
export interface Surroundings {
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the command: Ctrl-C. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** @returns the exit code: 0 nothing mismatched, 1 a mismatch, 2 something could not be read. @throws UserError */
export async function check(
  flags: CheckFlags,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<number> {
  const options = printOptionsOf(flags, surroundings);
  const report = await compare(flags, source, surroundings);
  const { stdout, stderr } = surroundings;
  const text = printReport(report, { ...options, now: surroundings.now() });
  stdout.write(text);
  for (const line of summaryLines(report)) stderr.write(`${line}\n`);
  if (report.errors.length > 0) return 2;
  return report.summary.mismatched > 0 ? 1 : 0;
}

async function compare(
  flags: CheckFlags,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<ClaimReport> {
  const { signal } = surroundings;
  const opened = await source(signal);
  try {
    const selection = selectVirtualClusters(opened.virtualClusters, flags.virtualClusters);
    const progress = await startProgress(selection.running.length, surroundings.stderr);
    try {
      const options: FleetOptions & ReportOptions = {
        tenantNamespaces: flags.tenantNamespaces,
        all: flags.all,
        orphans: flags.orphans,
        confirm: opened.live,
        settling: opened.live ? { now: surroundings.now(), grace: flags.grace } : null,
        concurrency: flags.concurrency,
        // A recording has no tenant that could hang, only files that may be large.
        tenantTimeout: opened.live ? flags.tenantTimeout : 0,
        signal,
        onTenantDone: () => progress.tenantDone(),
      };
      opened.onClaims((more) => progress.claimsRead(more));
      return await checkFleet(opened.fleet, selection, options);
    } finally {
      progress.stop();
    }
  } finally {
    await opened.close();
  }
}
