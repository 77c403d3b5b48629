/** For each alert: what Prometheus has scraped when it fires, and what looks alike and is quiet. Series as promtool test rules writes them, one value a minute. */

const TENANT = 'virtualcluster_namespace="team-b",virtualcluster="staging"';
const POD = 'namespace="vc-pvc",job="vc-pvc"';
const OF_TENANT = { virtualcluster_namespace: 'team-b', virtualcluster: 'staging' };
const OF_JOB = { namespace: 'vc-pvc', job: 'vc-pvc' };

/** Values by series. */
type Scraped = Readonly<Record<string, string>>;

export interface AlertCase {
  readonly alert: string;
  readonly firing: Scraped;
  /** Minutes from the first scrape. A minute earlier it does not fire yet. */
  readonly at: number;
  /** Without alertname and severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly quiet: Scraped;
}

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'VcPvcOwnerMismatch',
    firing: { [`vc_pvc_claims{${TENANT},verdict="OwnerMismatch"}`]: '2x90' },
    at: 1,
    labels: OF_TENANT,
    summary: 'team-b/staging: the syncer will delete the super claims of claims that were made anew: 2',
    quiet: {
      [`vc_pvc_claims{${TENANT},verdict="OwnerMismatch"}`]: '0x90',
      [`vc_pvc_claims{${TENANT},verdict="SuperNotBound"}`]: '2x90',
    },
  },
  {
    alert: 'VcPvcVolumeLost',
    firing: { [`vc_pvc_broken_claims{${TENANT},cause="ClaimRefStale"}`]: '1x90' },
    at: 2,
    labels: { ...OF_TENANT, cause: 'ClaimRefStale' },
    summary: 'team-b/staging: claims that have lost their volume (ClaimRefStale): 1',
    quiet: { [`vc_pvc_broken_claims{${TENANT},cause="Provisioning"}`]: '1x90' },
  },
  {
    alert: 'VcPvcMismatch',
    // It passes from one replica to another in the meantime.
    firing: {
      [`vc_pvc_claims{${TENANT},verdict="SuperMissing",pod="a"}`]: '3x8 stale',
      [`vc_pvc_claims{${TENANT},verdict="SuperMissing",pod="b"}`]: '_x8 3x90',
    },
    at: 15,
    labels: { ...OF_TENANT, verdict: 'SuperMissing' },
    summary: 'team-b/staging: claims that have been SuperMissing for more than 15 minutes: 3',
    quiet: {
      [`vc_pvc_claims{${TENANT},verdict="Consistent"}`]: '40x90',
      [`vc_pvc_claims{${TENANT},verdict="Terminating"}`]: '1x90',
      [`vc_pvc_claims{${TENANT},verdict="Held"}`]: '1x90',
      // Mended within a quarter of an hour, again and again.
      [`vc_pvc_claims{${TENANT},verdict="NotSynced"}`]: '1x10 0 1x10 0 1x10',
    },
  },
  {
    alert: 'VcPvcHeld',
    firing: { [`vc_pvc_claims{${TENANT},verdict="Held"}`]: '5x90' },
    at: 60,
    labels: OF_TENANT,
    summary: 'team-b/staging: claims that have been held for more than an hour: 5',
    quiet: { [`vc_pvc_claims{${TENANT},verdict="Held"}`]: '5x50 0x40' },
  },
  {
    alert: 'VcPvcContested',
    firing: { [`vc_pvc_contested_claims{${TENANT}}`]: '1x90' },
    at: 10,
    labels: OF_TENANT,
    summary: 'team-b/staging: claims that somebody keeps writing back to Bound: 1',
    quiet: { [`vc_pvc_contested_claims{${TENANT}}`]: '0x90' },
  },
  {
    alert: 'VcPvcAbsent',
    firing: {},
    at: 5,
    labels: {},
    summary: 'No replica of vc-pvc is scraped',
    quiet: { [`vc_pvc_build_info{${POD},version="0.1.0"}`]: '1x90' },
  },
  {
    alert: 'VcPvcSuperClusterDown',
    firing: {
      [`vc_pvc_super_cluster_up{${POD},pod="a"}`]: '0x90',
      [`vc_pvc_super_cluster_up{${POD},pod="b"}`]: '0x90',
    },
    at: 5,
    labels: OF_JOB,
    summary: 'No replica can list and watch the super cluster',
    quiet: {
      [`vc_pvc_super_cluster_up{${POD},pod="a"}`]: '0x90',
      [`vc_pvc_super_cluster_up{${POD},pod="b"}`]: '1x90',
    },
  },
  {
    alert: 'VcPvcTenantsWithoutOwner',
    firing: divided(10, 4, 5),
    at: 5,
    labels: OF_JOB,
    summary: 'Of 10 Running VirtualClusters some are watched by no replica',
    quiet: divided(10, 4, 6),
  },
  {
    alert: 'VcPvcLeaseLost',
    firing: {
      [`vc_pvc_lease_held{${POD},pod="a"}`]: '0x90',
      [`vc_pvc_lease_held{${POD},pod="b"}`]: '1x90',
    },
    at: 5,
    labels: { ...OF_JOB, pod: 'a' },
    summary: 'a cannot renew its Lease and writes nothing',
    quiet: { [`vc_pvc_lease_held{${POD},pod="a"}`]: '1x90' },
  },
  {
    alert: 'VcPvcTenantDown',
    firing: { [`vc_pvc_tenant_up{${TENANT}}`]: '0x90' },
    at: 10,
    labels: OF_TENANT,
    summary: 'Tenant team-b/staging cannot be listed and watched',
    // Its owner before has not noticed yet that it is another's.
    quiet: {
      [`vc_pvc_tenant_up{${TENANT},pod="a"}`]: '0x90',
      [`vc_pvc_tenant_up{${TENANT},pod="b"}`]: '1x90',
    },
  },
  {
    alert: 'VcPvcTenantSilent',
    firing: {
      [`vc_pvc_tenant_lag_seconds{${TENANT}}`]: '200x90',
      [`vc_pvc_tenant_up{${TENANT}}`]: '1x90',
    },
    at: 5,
    labels: OF_TENANT,
    summary: 'Tenant team-b/staging was last heard 3m 20s ago and counts as up',
    quiet: {
      [`vc_pvc_tenant_lag_seconds{${TENANT}}`]: '200x90',
      [`vc_pvc_tenant_up{${TENANT}}`]: '0x90',
    },
  },
  {
    alert: 'VcPvcWritesFail',
    firing: { [`vc_pvc_writes_total{${POD},action="SetPhase",result="Failed"}`]: '0+1x90' },
    // An increase needs two values.
    at: 16,
    labels: { ...OF_JOB, action: 'SetPhase' },
    summary: 'Writes to tenants (SetPhase) keep failing',
    quiet: {
      [`vc_pvc_writes_total{${POD},action="SetPhase",result="Failed"}`]: '7x90',
      [`vc_pvc_writes_total{${POD},action="SetPhase",result="Held"}`]: '0+9x90',
    },
  },
  {
    alert: 'VcPvcReconcileSlow',
    firing: histogram('vc_pvc_reconcile_duration_seconds', 98),
    at: 16,
    labels: OF_JOB,
    summary: 'One reconciliation in a hundred takes longer than 1.75s',
    quiet: histogram('vc_pvc_reconcile_duration_seconds', 100),
  },
  {
    alert: 'VcPvcStatusLate',
    firing: histogram('vc_pvc_change_to_status_seconds', 98),
    at: 16,
    labels: OF_JOB,
    summary: 'One status in a hundred is written more than 1.75s after the super claim changed',
    quiet: histogram('vc_pvc_change_to_status_seconds', 100),
  },
];

/** Tenants in view of two replicas, and how many each owns. */
function divided(running: number, byA: number, byB: number): Scraped {
  return {
    [`vc_pvc_tenants{${POD},pod="a"}`]: `${running}x90`,
    [`vc_pvc_tenants{${POD},pod="b"}`]: `${running}x90`,
    [`vc_pvc_owned_tenants{${POD},pod="a"}`]: `${byA}x90`,
    [`vc_pvc_owned_tenants{${POD},pod="b"}`]: `${byB}x90`,
  };
}

/** A hundred a minute, so many of them within one second, all within 2.5 s. */
function histogram(name: string, withinOneSecond: number): Scraped {
  return {
    [`${name}_bucket{${POD},le="1"}`]: `0+${withinOneSecond}x90`,
    [`${name}_bucket{${POD},le="2.5"}`]: '0+100x90',
    [`${name}_bucket{${POD},le="+Inf"}`]: '0+100x90',
  };
}
