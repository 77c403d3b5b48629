/** What watch refuses before it asks any cluster: one line, exit code 2, nothing on stdout. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../../src/cli.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const REFUSALS: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['--hold without --sync', ['--hold'], /--hold goes with --sync/],
  ['--ui with a format for programs', ['--ui', '-o', 'json'], /--ui is a screen/],
  ['--ui with events', ['--ui', '--output-watch-events'], /--ui is a screen/],
  ['--ui without a terminal', ['--ui'], /--ui needs a terminal/],
  ['a format that needs all rows', ['-o', 'yaml'], /table, wide, json, name/],
  ['a recording', ['--from', 'recording'], /a recording does not change/],
  ['an order for rows that come one by one', ['--sort-by', '.verdict'], /sort-by/],
  ['a time that is none', ['--timeout', 'soon'], /--timeout=soon: not a time/],
  ['an address that is none', ['--metrics-bind-address', 'nowhere'], /--metrics-bind-address=nowhere/],
  [
    '--once-consistent for one of several replicas',
    ['--once-consistent', '--replicas-lease-namespace', 'ops'],
    /one replica sees only its own tenants/,
  ],
  ['a namespace that can be none', ['--replicas-lease-namespace', 'No_Name'], /no name of a namespace/],
];

for (const [what, args, message] of REFUSALS) {
  test(`${what} is refused`, async () => {
    const { code, stdout, stderr } = await runInProcess(['watch', ...args]);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.equal(stderr.split('\n').length, 2, `one line, not:\n${stderr}`);
  });
}

test('--ui is refused on a terminal whose cursor cannot be moved', async () => {
  const written: string[] = [];
  const stream = {
    isTTY: true,
    write: (text: string) => written.push(text) > 0,
  } as unknown as NodeJS.WriteStream;
  const code = await run(['watch', '--ui'], {
    stdout: stream,
    stderr: stream,
    environment: { TERM: 'dumb', KUBECONFIG: '/no/such/file' },
    signal: new AbortController().signal,
    now: Date.now,
  });
  assert.deepEqual(
    [code, written.join('')],
    [2, 'error: --ui needs a terminal whose cursor can be moved: leave it out, or use -o json\n'],
  );
});
