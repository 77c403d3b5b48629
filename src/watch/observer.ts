/** What a watch tells: to a printer, to metrics, to whoever waits for the fleet to be consistent. */
import type { Action } from '../reconcile/model.ts';
import type { ReportItem, VirtualClusterName } from '../reconcile/report.ts';
import type { Outcome } from '../reconcile/sync-report.ts';

/**
 * What was done about a claim, if anything: as sync reports it, and
 * - Contested: written several times and set back each time; it is tried again ever less often
 */
export type WatchOutcome = Outcome | 'Contested';

/** One claim that is not Consistent. */
export interface WatchRow {
  readonly item: ReportItem;
  /** null where nothing was done. */
  readonly outcome: WatchOutcome | null;
  /** Why, in one sentence; "" where there is nothing to say. */
  readonly message: string;
}

/**
 * A row came, changed, or went. One that went is told as it is now: Consistent, or a mismatch that is too young to count;
 * or (gone) as it last was, its claim having been deleted or its VirtualCluster not being watched any more.
 */
export interface RowEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly row: WatchRow;
  readonly gone: boolean;
}

/** How a tenant can be reached. */
export interface TenantHealth {
  readonly virtualCluster: VirtualClusterName;
  /** starting: not yet known. */
  readonly state: 'starting' | 'up' | 'down';
  /** One line; "" unless down. */
  readonly error: string;
  /** Milliseconds until the next attempt; 0 unless down. */
  readonly retryIn: number;
  /** Claims that it has. */
  readonly claims: number;
}

export interface WatchObserver {
  row(event: RowEvent): void;
  health(tenant: TenantHealth): void;
  /** @param error one line, "" where there is none */
  superHealth(up: boolean, error: string): void;
  /** A tenant is not watched any more. */
  left(virtualCluster: VirtualClusterName): void;
  /** A write ended. @param seconds from the moment its reason was seen */
  wrote(virtualCluster: VirtualClusterName, outcome: WatchOutcome, action: Action, seconds: number): void;
  /** What was written was found undone. */
  reverted(virtualCluster: VirtualClusterName): void;
  /** One claim was looked at. @param seconds that it took, requests included */
  reconciled(seconds: number): void;
  /** Something to be told once, in one line. */
  trouble(virtualCluster: VirtualClusterName, message: string): void;
}

/** One observer that tells several. */
export function fanOut(observers: readonly WatchObserver[]): WatchObserver {
  return {
    row: (event) => observers.forEach((one) => one.row(event)),
    health: (tenant) => observers.forEach((one) => one.health(tenant)),
    superHealth: (up, error) => observers.forEach((one) => one.superHealth(up, error)),
    left: (virtualCluster) => observers.forEach((one) => one.left(virtualCluster)),
    wrote: (virtualCluster, outcome, action, seconds) =>
      observers.forEach((one) => one.wrote(virtualCluster, outcome, action, seconds)),
    reverted: (virtualCluster) => observers.forEach((one) => one.reverted(virtualCluster)),
    reconciled: (seconds) => observers.forEach((one) => one.reconciled(seconds)),
    trouble: (virtualCluster, message) => observers.forEach((one) => one.trouble(virtualCluster, message)),
  };
}
