/** Rows, events and tenants as a watch tells them. */
import type { ReportItem } from '../../src/reconcile/report.ts';
import type { RowEvent, TenantHealth, WatchRow } from '../../src/watch/observer.ts';

/** A claim that is Bound in the tenant and Lost in the super cluster. */
export function itemOf(name: string, parts: Partial<ReportItem> = {}): ReportItem {
  const claim = {
    name,
    uid: 'uid-1',
    volumeName: null,
    volumePhase: null,
    creationTimestamp: '2026-05-01T11:00:00Z',
  };
  return {
    virtualCluster: { namespace: 'team-a', name: 'vc' },
    tenant: { ...claim, namespace: 'shop', phase: 'Bound' },
    super: { ...claim, namespace: 'team-a-1a2b3c-vc-shop', phase: 'Lost' },
    verdict: 'SuperNotBound',
    cause: { code: 'VolumeDeleted', message: 'volume pv-1 is gone' },
    action: 'SetPhase',
    settling: false,
    ...parts,
  };
}

export function rowOf(name: string, parts: Partial<WatchRow> = {}): WatchRow {
  return { item: itemOf(name), outcome: null, message: '', ...parts };
}

export function eventOf(type: RowEvent['type'], row: WatchRow, gone = false): RowEvent {
  return { type, row, gone };
}

export function healthOf(parts: Partial<TenantHealth> = {}): TenantHealth {
  return {
    virtualCluster: { namespace: 'team-a', name: 'vc' },
    state: 'up',
    error: '',
    retryIn: 0,
    claims: 1,
    ...parts,
  };
}
