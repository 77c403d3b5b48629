/** Metrics, rules, dashboard and documents speak of the same things. What promtool says of them: test/cluster/monitoring.test.ts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Json } from '../../control-plane/api.ts';
import { filledMetrics, metricNames, seriesOf } from '../../support/exposition.ts';
import { alertRules, dashboard, dashboardQueries, metricsIn } from '../../support/monitoring.ts';

const DOCS = new URL('../../../docs/', import.meta.url);

let text = '';
let names: string[] = [];
let ours: string[] = [];

before(async () => {
  text = (await filledMetrics().exposition()).text;
  names = metricNames(text);
  ours = names.filter((name) => name.startsWith('vc_pvc_'));
});

test('every metric that a rule or a panel asks for exists', async () => {
  const queries = [...(await alertRules()).map(({ expr }) => expr), ...(await dashboardQueries())];
  for (const query of queries) {
    const asked = metricsIn(query);
    assert.notEqual(asked.length, 0, query);
    for (const name of asked) assert.ok(names.includes(name), `${name} in ${query}`);
  }
});

test('every metric of ours has a panel', async () => {
  const shown = new Set((await dashboardQueries()).flatMap(metricsIn));
  assert.deepEqual(
    ours.filter((name) => !shown.has(name)),
    [],
  );
});

test('docs/metrics.md has a row for every metric of ours, with its type and its labels, and for no other', async () => {
  const rows = [
    ...(await readFile(new URL('metrics.md', DOCS), 'utf8')).matchAll(
      /^\| `(vc_pvc_\w+)` \| (\w+) \| ([^|]*?) ?\|/gm,
    ),
  ].map(([, name = '', type, labels = '']) => `${name} ${type} ${labels}`);
  const expected = ours.map((name) => `${name} ${typeOf(name)} ${labelsOf(name)}`);
  assert.deepEqual(rows.sort(), expected.sort());
});

test('every alert has a severity, a runbook that docs/in-cluster.md has, and what to do in words', async () => {
  const document = await readFile(new URL('in-cluster.md', DOCS), 'utf8');
  const headings = [...document.matchAll(/^### (Vc\w+)$/gm)].map(([, name]) => name);
  const rules = await alertRules();
  assert.deepEqual(new Set(headings), new Set(rules.map(({ alert }) => alert)));
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(critical|warning)$/, alert);
    assert.equal(annotations.runbook, `docs/in-cluster.md#${alert.toLowerCase()}`);
    assert.ok(annotations.summary.length > 20 && annotations.description.length > 40, alert);
  }
});

test('what docs/in-cluster.md says of an alert’s severity and time is so', async () => {
  const document = await readFile(new URL('in-cluster.md', DOCS), 'utf8');
  for (const { alert, labels, for: time } of await alertRules()) {
    const [, severity = '', amount, unit = ''] =
      new RegExp(`^### ${alert}\\n\\n\\*(\\w+), after (\\d+) (minute|hour)s?\\.\\*`, 'm').exec(document) ??
      [];
    assert.deepEqual([severity.toLowerCase(), `${amount}${unit[0]}`], [labels.severity, time], alert);
  }
});

test('the dashboard: each panel has an id and a place of its own, and asks the data source that was chosen', async () => {
  const { panels, templating } = await dashboard();
  assert.equal(new Set(panels.map(({ id }: Json) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos, targets = [] } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(!taken.has(`${x},${y}`), `${title} lies over another panel`);
        taken.add(`${x},${y}`);
      }
    }
    for (const { datasource } of targets) {
      assert.deepEqual(datasource, { type: 'prometheus', uid: '${datasource}' }, title);
    }
  }
  const variables = templating.list.map(({ name }: Json) => name);
  assert.deepEqual(variables, ['datasource', 'virtualcluster_namespace', 'virtualcluster']);
});

test('every panel of a tenant’s series can be narrowed to VirtualClusters', async () => {
  const perTenant = ours.filter((name) => labelsOf(name).startsWith('tenant'));
  assert.equal(perTenant.length, 6);
  for (const query of await dashboardQueries()) {
    if (!metricsIn(query).some((name) => perTenant.includes(name))) continue;
    assert.match(
      query,
      /virtualcluster_namespace=~"\$virtualcluster_namespace",virtualcluster=~"\$virtualcluster"/,
    );
  }
});

function typeOf(name: string): string {
  return new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)?.[1] ?? '';
}

/** As the document writes them: the two that name a VirtualCluster are `tenant`. */
function labelsOf(name: string): string {
  const pattern = new RegExp(`^${name}(?:_count)?(?:\\{|$)`);
  const series = [...seriesOf(text).keys()].find((key) => pattern.test(key)) ?? '';
  const labels = [...series.matchAll(/([a-z_]+)="/g)].map(([, label = '']) => label);
  const rest = labels.filter((label) => !label.startsWith('virtualcluster'));
  const order = [
    'action',
    'result',
    'cluster',
    'verb',
    'code',
    'version',
    'commit',
    'node',
    'verdict',
    'cause',
  ];
  const own = rest.sort((a, b) => order.indexOf(a) - order.indexOf(b)).map((label) => `\`${label}\``);
  return [...(rest.length < labels.length ? ['tenant'] : []), ...own].join(', ');
}
