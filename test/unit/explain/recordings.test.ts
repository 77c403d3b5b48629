/** Every recorded claim explained through the real command line. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { displayWidth } from '../../../src/output/display-width.ts';
import type { Explanation } from '../../../src/reconcile/explain/explanation.ts';
import { runCli } from '../../support/run-cli.ts';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));

interface Item {
  readonly virtualCluster: string;
  readonly tenant: string;
  readonly verdict: string;
  readonly cause: string | null;
}

const RECORDED: readonly (Item & { readonly recording: string })[] = ['cases', 'captures'].flatMap((group) =>
  readdirSync(join(DATA, group)).flatMap((name) => {
    const recording = join(group, name);
    const { items } = JSON.parse(readFileSync(join(DATA, recording, 'expected.json'), 'utf8')) as {
      items: Item[];
    };
    return items.map((item) => ({ ...item, recording }));
  }),
);

/** Verdicts that count as a mismatch (docs/verdicts.md). */
const HARMLESS = new Set(['Terminating', 'Held', 'Consistent', 'SuperOrphan']);

function explain(recording: string, claim: string, ...more: string[]): ReturnType<typeof runCli> {
  return runCli(['explain', claim, '--from', join(DATA, recording), ...more]);
}

async function explained(recording: string, claim: string): Promise<Explanation> {
  return JSON.parse((await explain(recording, claim, '-o', 'json')).stdout) as Explanation;
}

describe('explain --from', { concurrency: 2 }, () => {
  for (const { recording, virtualCluster, tenant, verdict, cause } of RECORDED) {
    test(`${recording}, ${tenant}: ${verdict}${cause === null ? '' : `, ${cause}`}`, async () => {
      const { code, stdout, stderr } = await explain(recording, `${virtualCluster}/${tenant}`);
      assert.equal(code, HARMLESS.has(verdict) ? 0 : 1, stderr);
      assert.equal(stderr, '');
      assert.match(stdout, new RegExp(`^  ${verdict}${cause === null ? '' : `, ${cause}: see docs/`}`, 'm'));
      assert.match(stdout, /^Data: /m);
      assert.match(stdout, /^Remedy/m);
      assert.match(stdout, /^Syncer\n {2}\S/m);
      assert.match(stdout, /^Evidence\n {2}tenant: claim/m);
    });
  }

  test('a mismatch has a broken link, and every broken link says what is wrong with it', async () => {
    const broken = RECORDED.filter(({ verdict }) => !HARMLESS.has(verdict) && verdict !== 'HoldStale');
    for (const { recording, virtualCluster, tenant } of broken) {
      const { chain } = await explained(recording, `${virtualCluster}/${tenant}`);
      const links = chain.links.filter(({ state }) => state === 'broken');
      assert.notEqual(links.length, 0, recording);
      assert.ok(links.every(({ problem }) => problem !== ''));
    }
  });

  test('JSON and YAML are the same explanation', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((format) => explain('cases/claim-recreated-lost', 'default/data', '-o', format)),
    );
    assert.deepEqual(load(yaml?.stdout ?? ''), JSON.parse(json?.stdout ?? ''));
  });

  test('a claim is found by its super claim, by its VirtualCluster, and as kubectl writes it', async () => {
    const places = [
      ['default-127f50-vc-sample-1-default/data'],
      ['vc-sample-1/default/data'],
      ['default/vc-sample-1/default/data'],
      ['pvc/data', '-n', 'default'],
      ['persistentvolumeclaims/data', '-n', 'default-127f50-vc-sample-1-default'],
    ] as const;
    const expected = (await explain('cases/volume-name-cleared', 'default/data')).stdout;
    for (const [claim, ...more] of places) {
      assert.equal((await explain('cases/volume-name-cleared', claim, ...more)).stdout, expected, claim);
    }
  });

  test('--ascii prints nothing but ASCII, in lines of at most 80 columns but for long names', async () => {
    const { stdout } = await explain('captures/broken', 'shop/cart-0', '--ascii');
    assert.match(stdout, /^[\n -~]*$/);
    const prose = stdout.split('\n').filter((line) => !/^ {2}[|+]|^ {4}[X=-] /.test(line));
    for (const line of prose) assert.ok(displayWidth(line) <= 80, line);
  });

  test('a mermaid diagram has four nodes, and its broken link says why', async () => {
    const { stdout } = await explain('cases/volume-name-cleared', 'default/data', '-o', 'mermaid');
    assert.match(stdout, /^flowchart LR$/m);
    assert.equal(stdout.match(/^ {4}(tenant|super)(Claim|Volume)\["/gm)?.length, 4);
    assert.match(
      stdout,
      /superVolume -\. "the super claim#39;s spec\.volumeName is empty, expected pv-data" \.- superClaim/,
    );
  });
});
