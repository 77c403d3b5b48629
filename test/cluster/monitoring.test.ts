/** What Prometheus' own tool says of our exposition, rules and queries. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { monitoringTools } from '../control-plane/monitoring-tools.ts';
import { ALERT_CASES } from '../support/alert-cases.ts';
import type { AlertCase } from '../support/alert-cases.ts';
import { filledMetrics } from '../support/exposition.ts';
import { alertRules, dashboardQueries, ruleGroups } from '../support/monitoring.ts';
import { runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

let promtool = '';
let folder = '';

before(async () => {
  promtool = (await monitoringTools()).promtool;
  folder = await mkdtemp(join(tmpdir(), 'vc-pvc-promtool-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('promtool reads the exposition and finds nothing to better in what is ours', async () => {
  const file = await written('metrics', (await filledMetrics().exposition()).text);
  const { stdout, stderr } = await runProcess('/bin/sh', [
    '-c',
    `exec "$0" check metrics <"$1"`,
    promtool,
    file,
  ]);
  // The library's own gauges nodejs_active_*_total are named like counters.
  const complaints = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !/^nodejs_active_/.test(line));
  assert.deepEqual(complaints, []);
});

test('promtool refuses an exposition that is broken, so that its silence says something', async () => {
  const text = (await filledMetrics().exposition()).text.replace('vc_pvc_tenants 7', 'vc_pvc_tenants seven');
  const file = await written('broken', text);
  const { code } = await runProcess('/bin/sh', ['-c', `exec "$0" check metrics <"$1"`, promtool, file]);
  assert.notEqual(code, 0);
});

test('the rules are valid, and every lint of promtool passes', async () => {
  const file = await writtenJson('rules.yaml', await ruleGroups());
  passes(await runProcess(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', file]));
});

test('every query of the dashboard is valid PromQL', async () => {
  const rules = (await dashboardQueries()).map((query, index) => ({
    record: `panel:query${index}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll(/\$virtualcluster(?:_namespace)?/g, '.*'),
  }));
  assert.ok(rules.length > 20);
  const file = await writtenJson('queries.yaml', { groups: [{ name: 'dashboard', rules }] });
  passes(await runProcess(promtool, ['check', 'rules', file]));
});

test('every alert has a case', async () => {
  assert.deepEqual(
    ALERT_CASES.map(({ alert }) => alert),
    (await alertRules()).map(({ alert }) => alert),
  );
});

test('each alert fires when its time has come and not a minute earlier, tells whom it concerns, and is quiet where it must', async () => {
  const rules = await alertRules();
  const severities = new Map(rules.map(({ alert, labels }) => [alert, labels.severity]));
  // Of the texts only the summary is compared: it is the one with values.
  const groups = [
    {
      name: 'alerts',
      rules: rules.map(({ annotations, ...rule }) => ({
        ...rule,
        annotations: { summary: annotations.summary },
      })),
    },
  ];
  await writtenJson('rules.yaml', { groups });
  const tests = ALERT_CASES.flatMap((alertCase) => [
    firing(alertCase, severities.get(alertCase.alert) ?? ''),
    quiet(alertCase),
  ]);
  const file = await writtenJson('tests.yaml', {
    rule_files: ['rules.yaml'],
    evaluation_interval: '1m',
    tests,
  });
  passes(await runProcess(promtool, ['test', 'rules', file]));
});

function firing({ alert, firing: series, at, labels, summary }: AlertCase, severity: string) {
  return {
    name: `${alert} fires`,
    interval: '1m',
    input_series: inputSeries(series),
    alert_rule_test: [
      { eval_time: `${at - 1}m`, alertname: alert, exp_alerts: [] },
      {
        eval_time: `${at}m`,
        alertname: alert,
        exp_alerts: [{ exp_labels: { ...labels, severity }, exp_annotations: { summary } }],
      },
    ],
  };
}

function quiet({ alert, quiet: series }: AlertCase) {
  return {
    name: `${alert} is quiet`,
    interval: '1m',
    input_series: inputSeries(series),
    alert_rule_test: [20, 40, 80].map((minute) => ({
      eval_time: `${minute}m`,
      alertname: alert,
      exp_alerts: [],
    })),
  };
}

function inputSeries(series: Readonly<Record<string, string>>) {
  return Object.entries(series).map(([name, values]) => ({ series: name, values }));
}

function passes({ code, stdout, stderr }: Finished): void {
  assert.equal(code, 0, `${stdout}${stderr}`);
}

/** JSON is YAML, too. */
function writtenJson(name: string, content: object): Promise<string> {
  return written(name, JSON.stringify(content));
}

async function written(name: string, content: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}
