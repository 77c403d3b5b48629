/** Whatever is wrong with the question is told in one line, with exit code 2, and nothing on stdout. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { runCli } from '../../support/run-cli.ts';

const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));

const ROWS: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['no claim', [], /Not enough non-option arguments|claim/],
  ['a word alone', ['cart-0'], /which claim\? give \[VIRTUALCLUSTER\/\]NAMESPACE\/CLAIM/],
  ['too many parts', ['a/b/c/d/e'], /which claim\?/],
  ['an empty part', ['shop/'], /which claim\?/],
  ['a path', ['../cart-0'], /which claim\?/],
  ['pvc/NAME without -n', ['pvc/cart-0'], /pvc\/cart-0 needs the claim's namespace: -n NAMESPACE/],
  ['pvc/NAME with a path for a namespace', ['pvc/cart-0', '-n', '..'], /-n \.\.: no name of a namespace/],
  [
    'an unknown format',
    ['shop/cart-0', '-o', 'jsno'],
    /-o jsno: unknown output format, did you mean "json"\?; allowed are text, json, yaml, mermaid/,
  ],
  ['an unknown flag', ['shop/cart-0', '--asci'], /unknown flag --asci, did you mean "--ascii"\?/],
  [
    'a mistyped claim',
    ['shop/cart-o'],
    /claim shop\/cart-o not found in any of 2 VirtualClusters, did you mean "shop\/cart-[01]"\?/,
  ],
  ['a claim of another VirtualCluster', ['staging/shop/cart-0'], /not found in VirtualCluster staging/],
  [
    'a VirtualCluster that is not synced',
    ['team-b/new/shop/cart-0'],
    /VirtualCluster team-b\/new has nothing to explain: phase Pending, only Running/,
  ],
  ['a flag that selects claims', ['shop/cart-0', '--orphans'], /unknown flag --orphans/],
];

for (const [what, args, message] of ROWS) {
  test(`${what} is refused`, async () => {
    const { code, stdout, stderr } = await runCli(['explain', ...args, '--from', BROKEN]);
    assert.equal(code, 2, stdout);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });
}
