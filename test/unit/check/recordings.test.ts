/** Every recorded case and capture through the real command line. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import type { ClaimReport } from '../../../src/reconcile/report.ts';
import { runCli } from '../../support/run-cli.ts';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));

interface Expected {
  readonly title: string;
  readonly exitCode: number;
  readonly items: readonly ExpectedItem[];
}

interface ExpectedItem {
  readonly virtualCluster: string;
  readonly tenant: string;
  readonly verdict: string;
  readonly cause: string | null;
  readonly action: string | null;
}

const recordings = ['cases', 'captures'].flatMap((group) =>
  readdirSync(join(DATA, group)).map((name) => join(group, name)),
);

function summarized(report: ClaimReport): ExpectedItem[] {
  return report.items.map((item) => ({
    virtualCluster: `${item.virtualCluster.namespace}/${item.virtualCluster.name}`,
    tenant: `${item.tenant?.namespace}/${item.tenant?.name}`,
    verdict: item.verdict,
    cause: item.cause?.code ?? null,
    action: item.action,
  }));
}

function byPlace(items: readonly ExpectedItem[]): ExpectedItem[] {
  return items.toSorted((a, b) =>
    `${a.virtualCluster} ${a.tenant}` < `${b.virtualCluster} ${b.tenant}` ? -1 : 1,
  );
}

describe('check --from', { concurrency: 2 }, () => {
  for (const recording of recordings) {
    const directory = join(DATA, recording);
    const expected = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8')) as Expected;
    test(`${recording}: ${expected.title}`, async () => {
      const { code, stdout, stderr } = await runCli(['check', '--from', directory, '--all', '-o', 'json']);
      assert.equal(code, expected.exitCode, stderr);
      assert.deepEqual(summarized(JSON.parse(stdout) as ClaimReport), byPlace(expected.items));
    });
  }

  test('without --all shows only what is not Consistent, with the same exit code', async () => {
    const { code, stdout } = await runCli(['check', '--from', join(DATA, 'captures/broken'), '-o', 'json']);
    assert.equal(code, 1);
    const report = JSON.parse(stdout) as ClaimReport;
    assert.equal(report.items.length, 6);
    assert.deepEqual(report.summary, {
      virtualClusters: 2,
      claims: 9,
      consistent: 3,
      mismatched: 6,
      held: 0,
      terminating: 0,
      settling: 0,
    });
    assert.deepEqual(
      report.skipped.map(({ virtualCluster }) => virtualCluster.name),
      ['new'],
    );
  });

  test('has all the time that its files take: no tenant of a recording can hang', async () => {
    const from = join(DATA, 'captures/broken');
    for (const args of [['check'], ['sync', '--dry-run=client'], ['explain', 'shop/cart-0']]) {
      const { code, stderr } = await runCli([...args, '--from', from, '--tenant-timeout=1ms']);
      assert.equal(code, 1, stderr);
    }
  });

  test('carries the phases of both volumes', async () => {
    const { stdout } = await runCli(['check', '--from', join(DATA, 'captures/broken'), '-o', 'json']);
    const item = (JSON.parse(stdout) as ClaimReport).items.find(({ tenant }) => tenant?.name === 'orders-1');
    assert.equal(item?.tenant?.volumePhase, 'Bound');
    assert.equal(item?.super?.volumePhase, 'Released');
  });

  test('prints the same report as YAML', async () => {
    const args = ['check', '--from', join(DATA, 'captures/broken'), '--all', '-o'];
    const [json, yaml] = await Promise.all([runCli([...args, 'json']), runCli([...args, 'yaml'])]);
    assert.deepEqual(load(yaml.stdout), JSON.parse(json.stdout));
  });
});
