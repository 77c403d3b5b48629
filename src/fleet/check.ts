/** The comparison of a whole fleet, whatever it is read from. */
import { UserError } from '../errors.ts';
import { buildReport } from '../reconcile/build-report.ts';
import type { ReportOptions, TenantResult } from '../reconcile/build-report.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import type { ClaimReport, ReportError } from '../reconcile/report.ts';
import type { ClusterReader } from './cluster.ts';
import { compareTenant } from './compare.ts';
import type { CompareOptions } from './compare.ts';
import { mapConcurrently } from './concurrency.ts';
import type { Selection } from './select.ts';

/** Where a fleet is read from. */
export interface Fleet {
  readonly super: ClusterReader;
  /** The super claims of these tenants, or more; asked for once. */
  readonly superClaims: (tenants: readonly VirtualCluster[], signal: AbortSignal) => Promise<SuperClaims>;
  /** A tenant's reader, to be closed when its comparison is over. @throws UserError where it cannot be had. */
  readonly tenant: (virtualCluster: VirtualCluster, signal: AbortSignal) => Promise<OpenTenant>;
}

export interface OpenTenant {
  readonly reader: ClusterReader;
  readonly close: () => Promise<void>;
}

export interface CheckOptions extends CompareOptions, ReportOptions {
  /** Tenants read side by side. */
  readonly concurrency: number;
  /** Milliseconds a tenant may take in all, 0 for no limit. */
  readonly tenantTimeout: number;
  /** Ends everything: Ctrl-C. */
  readonly signal: AbortSignal;
  readonly onTenantDone: () => void;
}

/**
 * Compares every selected tenant. One that fails becomes an error entry; the rest is reported.
 * @throws UserError where the super cluster's claims cannot be read: then there is nothing to compare with.
 */
export async function checkFleet(
  fleet: Fleet,
  selection: Selection,
  options: CheckOptions,
): Promise<ClaimReport> {
  const results: TenantResult[] = [];
  const errors: ReportError[] = [];
  if (selection.running.length > 0) {
    const superClaims = fleet.superClaims(selection.running, options.signal);
    // Awaited first by the tenants: this keeps an early failure from being called unhandled.
    superClaims.catch(() => {});
    await mapConcurrently(selection.running, options.concurrency, async (virtualCluster) => {
      const outcome = await compareOne(fleet, virtualCluster, superClaims, options);
      if (outcome.result !== null) results.push(outcome.result);
      const { namespace, name } = virtualCluster;
      for (const message of outcome.errors) errors.push({ virtualCluster: { namespace, name }, message });
      options.onTenantDone();
    });
    await superClaims;
  }
  return buildReport(results, selection.skipped, errors, options);
}

interface Outcome {
  readonly result: TenantResult | null;
  readonly errors: readonly string[];
}

async function compareOne(
  fleet: Fleet,
  virtualCluster: VirtualCluster,
  superClaims: Promise<SuperClaims>,
  options: CheckOptions,
): Promise<Outcome> {
  const deadline = new Deadline(options.tenantTimeout, options.signal);
  try {
    const tenant = await deadline.bound(fleet.tenant(virtualCluster, deadline.signal));
    try {
      const clusters = { tenant: tenant.reader, super: fleet.super };
      // The super cluster's list is shared and may take longer than one tenant is given: the clock stands still.
      const awaitSuper = (): Promise<SuperClaims> => {
        deadline.clear();
        return superClaims.finally(() => deadline.restart());
      };
      return await deadline.bound(
        compareTenant(virtualCluster, clusters, awaitSuper, options, deadline.signal),
      );
    } finally {
      await tenant.close();
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // Not this tenant's failure: the caller's `await superClaims` reports it once, for all.
    await superClaims;
    return { result: null, errors: [error.message] };
  } finally {
    deadline.clear();
  }
}

/** A tenant's own time limit: what it costs when it is dead or slow. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  constructor(limit: number, outer: AbortSignal) {
    this.#limit = limit;
    this.signal = AbortSignal.any([this.#controller.signal, outer]);
    this.restart();
  }

  restart(): void {
    if (this.#limit === 0 || this.#controller.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(new UserError(`not done within --tenant-timeout (${this.#limit / 1000}s)`));
    }, this.#limit);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Ends with the deadline even where the work does not heed the signal. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(this.signal.reason as Error);
      if (this.signal.aborted) stop();
      this.signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }
}
