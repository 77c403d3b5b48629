/**
 * The scripts in real shells: bash, and whichever of zsh and fish this machine has. PowerShell's is not run here; its
 * syntax was checked with a grammar of the language.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { runCli } from '../../support/run-cli.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const PLUGIN = here('../../../plugin');
const BROKEN = here('../../data/captures/broken');
const PATH = `${PLUGIN}${delimiter}${process.env['PATH'] ?? ''}`;
/** The same in every shell: a line, and what TAB makes of it or offers. */
const FROM = `--from ${BROKEN}`;
let scratch = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-shells-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    await writeFile(join(scratch, shell), (await runCli(['completion', shell])).stdout);
  }
});
after(() => rm(scratch, { recursive: true }));

/** What a shell prints. @throws Error with its messages where it fails */
function inShell(program: string, args: readonly string[]): string {
  const environment = { PATH, HOME: scratch, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: environment });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

function isHere(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

describe('bash', () => {
  /** What TAB offers on each line. */
  async function offers(lines: readonly string[], before = ''): Promise<string[][]> {
    const sourced = join(scratch, 'sourced');
    await writeFile(sourced, `${before}source ${join(scratch, 'bash')}\n`);
    const printed = inShell('bash', ['--norc', here('drive.bash'), sourced, ...lines]);
    return printed.split('\n\n').map((block) => block.split('\n').filter((line) => line !== ''));
  }

  test('the script has no error that bash finds', () => {
    inShell('bash', ['-n', join(scratch, 'bash')]);
  });

  test('commands, claims and values are offered, values without what bash keeps', async () => {
    const [command, claims, value, assigned, begun, direct] = await offers([
      'kubectl vc-pvc exp',
      `kubectl vc-pvc explain ${FROM} shop/ca`,
      'kubectl vc-pvc check -o y',
      'kubectl vc-pvc check --output=y',
      'kubectl vc-pvc sync --dry-run=',
      'kubectl-vc_pvc snap',
    ]);
    assert.deepEqual(command, ['explain']);
    assert.deepEqual(claims, [
      'shop/cart-0  (default/vc-sample-1: Bound)',
      'shop/cart-1  (default/vc-sample-1: Bound)',
    ]);
    assert.deepEqual([value, assigned], [['yaml'], ['yaml']]);
    assert.deepEqual(begun, ['none', 'client', 'server']);
    assert.deepEqual(direct, ['snapshot']);
  });

  test('folders are offered where a folder is wanted', async () => {
    const [folders] = await offers([`kubectl vc-pvc check --from ${BROKEN.slice(0, -3)}`]);
    assert.deepEqual(folders, [BROKEN]);
  });

  test('what completed kubectl before goes on doing it', async () => {
    const before =
      '__start_kubectl() { COMPREPLY=("kubectl itself"); }; complete -F __start_kubectl kubectl\n';
    const [other, own] = await offers(['kubectl get p', 'kubectl vc-pvc exp'], before);
    assert.deepEqual([other, own], [['kubectl itself'], ['explain']]);
  });
});

if (isHere('fish')) {
  describe('fish', () => {
    const offers = (line: string): string[] =>
      inShell('fish', [
        '--no-config',
        '-c',
        'source $argv[1]; complete -C $argv[2]',
        join(scratch, 'fish'),
        line,
      ])
        .split('\n')
        .filter((one) => one !== '');

    test('commands, claims and values are offered, values with their flag', () => {
      assert.deepEqual(offers('kubectl vc-pvc exp'), [
        'explain\tTell what is wrong with one claim, and what mends it',
      ]);
      assert.deepEqual(offers(`kubectl vc-pvc explain ${FROM} shop/ca`), [
        'shop/cart-0\tdefault/vc-sample-1: Bound',
        'shop/cart-1\tdefault/vc-sample-1: Bound',
      ]);
      assert.deepEqual(offers('kubectl vc-pvc check --output=y'), ['--output=yaml']);
      assert.deepEqual(offers('kubectl-vc_pvc snap').length, 1);
    });
  });
}

if (isHere('zsh')) {
  describe('zsh', () => {
    const completed = (lines: readonly string[]): string[] =>
      inShell('zsh', ['-f', here('drive.zsh'), join(scratch, 'zsh'), ...lines])
        .split('\n')
        .slice(0, lines.length);

    test('TAB completes commands, claims, VirtualClusters and values, without a space where more follows', () => {
      assert.deepEqual(
        completed([
          'kubectl vc-pvc exp',
          `kubectl vc-pvc explain ${FROM} sh`,
          `kubectl vc-pvc explain ${FROM} shop/cart-1`,
          `kubectl vc-pvc check ${FROM} stag`,
          'kubectl vc-pvc check --output=cus',
          'kubectl-vc_pvc snap',
        ]),
        [
          'kubectl vc-pvc explain ',
          `kubectl vc-pvc explain ${FROM} shop/`,
          `kubectl vc-pvc explain ${FROM} shop/cart-1 `,
          `kubectl vc-pvc check ${FROM} staging `,
          'kubectl vc-pvc check --output=custom-columns=',
          'kubectl-vc_pvc snapshot ',
        ],
      );
    });
  });
}
