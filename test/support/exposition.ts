/** Prometheus' text format, as far as tests look at it; that it is valid is for promtool to say (test/cluster/monitoring.test.ts). */
import { WatchMetrics } from '../../src/metrics/watch-metrics.ts';

export const TENANT = { namespace: 'team-b', name: 'staging' };

/** Every series with its labels sorted, `name{a="1",b="2"}`, and its value. */
export function seriesOf(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) continue;
    const [, name = '', labels, value] = match;
    const sorted = labels?.match(/[a-z_]+="[^"]*"/g)?.sort();
    series.set(sorted === undefined ? name : `${name}{${sorted.join(',')}}`, Number(value));
  }
  return series;
}

/** The names of all metrics of a registry, those without a series too. */
export function metricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}

/** Metrics in which every one has at least one series. */
export function filledMetrics(): WatchMetrics {
  const metrics = new WatchMetrics({ version: '0.1.0', commit: 'unknown' });
  metrics.addTenant(TENANT, () => 1.5);
  metrics.setTenantUp(TENANT, true);
  metrics.setClaims(TENANT, {
    verdicts: new Map([
      ['Consistent', 40],
      ['SuperNotBound', 3],
    ]),
    causes: new Map([
      ['VolumeDeleted', 2],
      [null, 1],
    ]),
  });
  metrics.setContested(TENANT, 1);
  metrics.countRevert(TENANT);
  metrics.setSuperUp(true);
  metrics.setSuperLag(() => 0.25);
  metrics.setTenants(7, 4);
  metrics.setLeaseHeld(true);
  metrics.countWrite('SetPhase', 'Held');
  metrics.countRequest('super', 'list', 200);
  metrics.countRequest('tenant', 'patch', null);
  metrics.observeReconcile(0.002);
  metrics.observeChangeToStatus(0.05);
  return metrics;
}
