/** Reports to print, and generators of more of them. */
import * as fc from 'fast-check';
import { REPORT_API_VERSION } from '../../../src/reconcile/report.ts';
import type { ClaimReport, ReportItem, ReportedClaim } from '../../../src/reconcile/report.ts';

export const NOW = Date.parse('2026-05-01T12:00:00Z');

export function claim(
  namespace: string,
  name: string,
  phase: string,
  more: Partial<ReportedClaim> = {},
): ReportedClaim {
  return {
    namespace,
    name,
    uid: 'c5f0',
    phase,
    volumeName: null,
    volumePhase: null,
    creationTimestamp: null,
    ...more,
  };
}

export function reportOf(items: readonly ReportItem[], more: Partial<ClaimReport> = {}): ClaimReport {
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'ClaimReport',
    items,
    skipped: [],
    errors: [],
    summary: {
      virtualClusters: 2,
      claims: 12,
      consistent: 8,
      mismatched: 2,
      held: 1,
      terminating: 0,
      settling: 1,
    },
    ...more,
  };
}

const stale: ReportItem = {
  virtualCluster: { namespace: 'default', name: 'vc-sample-1' },
  tenant: claim('shop', 'db-0', 'Bound', {
    volumeName: 'pv-1',
    volumePhase: 'Bound',
    creationTimestamp: '2026-05-01T11:58:30Z',
  }),
  super: claim('vc-1-shop', 'db-0', 'Pending'),
  verdict: 'SuperNotBound',
  cause: { code: 'ClaimRefStale', message: 'volume pv-1 names another uid' },
  action: 'SetPhase',
  settling: false,
};

const missing: ReportItem = {
  virtualCluster: { namespace: 'team-b', name: 'staging' },
  tenant: claim('shop', 'db-1', 'Bound', { creationTimestamp: '2026-04-01T12:00:00Z' }),
  super: null,
  verdict: 'SuperMissing',
  cause: { code: 'SuperNamespaceMissing', message: 'namespace is absent' },
  action: null,
  settling: true,
};

const orphan: ReportItem = {
  virtualCluster: { namespace: 'team-b', name: 'staging' },
  tenant: null,
  super: claim('vc-2-shop', 'ghost', 'Lost'),
  verdict: 'SuperOrphan',
  cause: null,
  action: null,
  settling: false,
};

export const REPORT = reportOf([stale, missing, orphan]);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,40}$/) },
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\u202e', '\u009b', '\u0085', '\u2028', '\u001b', '\n', '漢', 'é', ':', '"', 'a'),
  }),
);

/** Names of any length and any characters: wide, combining, control, reordering. */
const reportedClaim: fc.Arbitrary<ReportedClaim> = fc.record({
  namespace: text,
  name: text,
  uid: text,
  phase: fc.constantFrom('Bound', 'Pending', 'Lost'),
  volumeName: fc.option(text),
  volumePhase: fc.option(fc.constantFrom('Bound', 'Available', 'Released', 'Failed')),
  creationTimestamp: fc.option(fc.constantFrom('2026-05-01T11:58:30Z', '2011-01-01T00:00:00Z')),
});

const anyItem: fc.Arbitrary<ReportItem> = fc.record({
  virtualCluster: fc.record({ namespace: text, name: text }),
  tenant: fc.option(reportedClaim),
  super: fc.option(reportedClaim),
  verdict: fc.constantFrom('SuperNotBound', 'TenantNotBound', 'VolumeMismatch', 'Held', 'Consistent'),
  cause: fc.option(fc.record({ code: fc.constantFrom('SuperNamespaceMissing', 'Rebinding'), message: text })),
  action: fc.option(fc.constantFrom('SetPhase', 'Release')),
  settling: fc.boolean(),
});

export const anyReport: fc.Arbitrary<ClaimReport> = fc
  .record({
    items: fc.array(anyItem, { maxLength: 6 }),
    errors: fc.array(fc.record({ virtualCluster: fc.constant(null), message: text }), { maxLength: 2 }),
  })
  .map(({ items, errors }) => reportOf(items, { errors }));
