/** What a scrape of the watch's metrics gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchMetrics } from '../../../src/metrics/watch-metrics.ts';
import { TENANT, filledMetrics, metricNames, seriesOf } from '../../support/exposition.ts';

const OF_TENANT = 'virtualcluster="staging",virtualcluster_namespace="team-b"';

async function scrape(metrics: WatchMetrics): Promise<Map<string, number>> {
  return seriesOf((await metrics.exposition()).text);
}

test('all that was told is in the exposition', async () => {
  const series = await scrape(filledMetrics());
  const expected = {
    [`vc_pvc_build_info{commit="unknown",node="${process.version}",version="0.1.0"}`]: 1,
    [`vc_pvc_claims{verdict="Consistent",${OF_TENANT}}`]: 40,
    [`vc_pvc_claims{verdict="SuperNotBound",${OF_TENANT}}`]: 3,
    [`vc_pvc_broken_claims{cause="VolumeDeleted",${OF_TENANT}}`]: 2,
    [`vc_pvc_broken_claims{cause="None",${OF_TENANT}}`]: 1,
    [`vc_pvc_contested_claims{${OF_TENANT}}`]: 1,
    [`vc_pvc_reverts_total{${OF_TENANT}}`]: 1,
    [`vc_pvc_tenant_up{${OF_TENANT}}`]: 1,
    [`vc_pvc_tenant_lag_seconds{${OF_TENANT}}`]: 1.5,
    vc_pvc_super_cluster_up: 1,
    vc_pvc_super_cluster_lag_seconds: 0.25,
    vc_pvc_tenants: 7,
    vc_pvc_owned_tenants: 4,
    vc_pvc_lease_held: 1,
    'vc_pvc_writes_total{action="SetPhase",result="Held"}': 1,
    'vc_pvc_writes_total{action="SetPhase",result="Failed"}': 0,
    'vc_pvc_api_requests_total{cluster="super",code="200",verb="list"}': 1,
    'vc_pvc_api_requests_total{cluster="tenant",code="<error>",verb="patch"}': 1,
    'vc_pvc_reconcile_duration_seconds_bucket{le="0.001"}': 0,
    'vc_pvc_reconcile_duration_seconds_bucket{le="0.0025"}': 1,
    vc_pvc_reconcile_duration_seconds_count: 1,
    vc_pvc_change_to_status_seconds_sum: 0.05,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(series.get(name), value, name);
  assert.ok((series.get('process_resident_memory_bytes') ?? 0) > 1e6);
  assert.ok(series.has('nodejs_eventloop_lag_p99_seconds'));
});

test('every verdict of a tenant has a series, also one that no claim has', async () => {
  const series = await scrape(filledMetrics());
  const verdicts = [...series.keys()].filter((name) => name.startsWith('vc_pvc_claims{'));
  assert.equal(verdicts.length, 11);
  assert.equal(series.get(`vc_pvc_claims{verdict="OwnerMismatch",${OF_TENANT}}`), 0);
});

test('what is not known yet has no series: not 0 claims, not a lag of 0', async () => {
  const metrics = new WatchMetrics({ version: '0.1.0', commit: 'unknown' });
  metrics.addTenant(TENANT, () => null);
  const { text } = await metrics.exposition();
  const ours = [...seriesOf(text).keys()].filter((name) => name.includes(OF_TENANT)).sort();
  assert.deepEqual(ours, [
    `vc_pvc_contested_claims{${OF_TENANT}}`,
    `vc_pvc_reverts_total{${OF_TENANT}}`,
    `vc_pvc_tenant_up{${OF_TENANT}}`,
  ]);
  assert.equal(seriesOf(text).has('vc_pvc_super_cluster_lag_seconds'), false);
  assert.ok(metricNames(text).includes('vc_pvc_super_cluster_lag_seconds'));
});

test('a lag is asked for when somebody scrapes', async () => {
  const metrics = new WatchMetrics({ version: '0.1.0', commit: 'unknown' });
  let lag: number | null = 3;
  metrics.addTenant(TENANT, () => lag);
  metrics.setSuperLag(() => lag);
  const seen = async () => {
    const series = await scrape(metrics);
    return [
      series.get(`vc_pvc_tenant_lag_seconds{${OF_TENANT}}`),
      series.get('vc_pvc_super_cluster_lag_seconds'),
    ];
  };
  assert.deepEqual(await seen(), [3, 3]);
  lag = 90;
  assert.deepEqual(await seen(), [90, 90]);
  lag = null;
  assert.deepEqual(await seen(), [undefined, undefined]);
});

test('claims are counted anew: a cause that no claim has any more goes', async () => {
  const metrics = filledMetrics();
  metrics.setClaims(TENANT, {
    verdicts: new Map([['Consistent', 43]]),
    causes: new Map([['VolumeDeleted', 0]]),
  });
  const series = await scrape(metrics);
  assert.equal(series.get(`vc_pvc_claims{verdict="SuperNotBound",${OF_TENANT}}`), 0);
  assert.deepEqual(
    [...series.keys()].filter((name) => name.startsWith('vc_pvc_broken_claims')),
    [],
  );
});

test('a tenant that is removed takes all its series with it, and what is told of it afterwards makes none', async () => {
  const metrics = filledMetrics();
  const other = { namespace: 'team-b', name: 'production' };
  metrics.addTenant(other, () => 0);
  metrics.removeTenant(TENANT);
  metrics.setClaims(TENANT, { verdicts: new Map([['Held', 1]]), causes: new Map() });
  metrics.setContested(TENANT, 1);
  metrics.setTenantUp(TENANT, true);
  metrics.countRevert(TENANT);
  const { text } = await metrics.exposition();
  assert.doesNotMatch(text, /virtualcluster="staging"/);
  assert.match(text, /vc_pvc_tenant_up\{virtualcluster_namespace="team-b",virtualcluster="production"\} 0/);
});

test('a thousand tenants that come and go leave nothing behind', async () => {
  const metrics = new WatchMetrics({ version: '0.1.0', commit: 'unknown' });
  const ours = async () =>
    (await metrics.exposition()).text.split('\n').filter((line) => line.startsWith('vc_pvc'));
  const before = await ours();
  for (let index = 0; index < 1000; index += 1) {
    const tenant = { namespace: 'team', name: `tenant-${index}` };
    metrics.addTenant(tenant, () => 1);
    metrics.setClaims(tenant, { verdicts: new Map([['Held', 1]]), causes: new Map([['VolumeDeleted', 1]]) });
    metrics.countRevert(tenant);
    if (index % 100 === 0) await metrics.exposition();
    metrics.removeTenant(tenant);
  }
  assert.deepEqual(await ours(), before);
});

test('two registries in one process do not meet', async () => {
  const series = await scrape(new WatchMetrics({ version: '0.1.0', commit: 'unknown' }));
  await filledMetrics().exposition();
  assert.equal(series.get('vc_pvc_tenants'), 0);
});
