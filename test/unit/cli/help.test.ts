/** Help: its form, and that what it shows as an example works. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { displayWidth } from '../../../src/output/display-width.ts';
import { commandHelp, overviewHelp } from '../../../src/output/help.ts';
import { FORMS } from '../../../src/commands/all.ts';
import { runCli, runProcess } from '../../support/run-cli.ts';
import type { Finished } from '../../support/run-cli.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));
/** What a live cluster is needed for; test/cluster/version-and-completion.test.ts runs them on one. */
const LIVE = new Set(['snapshot', 'version', 'watch']);
let scratch = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-help-'));
  await cp(BROKEN, join(scratch, 'recording'), { recursive: true });
  await writeFile(
    join(scratch, 'kubectl'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@" $MORE\n`,
    { mode: 0o755 },
  );
});
after(() => rm(scratch, { recursive: true }));

/** The command lines below "Examples:" of a help text. */
function examplesOf(help: string): string[] {
  const [, section = ''] = /^Examples:\n(.*?)\n\n\S/ms.exec(help) ?? [];
  return section.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('  #'));
}

/** Runs an example as it stands, in a shell. @param more flags behind it */
function runExample(line: string, more: string): Promise<Finished> {
  return runProcess('bash', ['-c', `cd "$HOME"; ${line}`], {
    PATH: `${scratch}:${process.env['PATH'] ?? ''}`,
    HOME: scratch,
    MORE: more,
  });
}

for (const { name, options } of FORMS) {
  test(`${name} --help, help ${name} and -h ${name} print one and the same, in kubectl's form`, async () => {
    const printed = await runCli([name, '--help']);
    const { stdout, stderr, code } = printed;
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(await runCli(['help', name]), printed);
    assert.deepEqual(await runCli(['-h', name]), printed);
    assert.match(stdout, /^\S.*\n(?:.*\n)*\nExamples:\n {2}# /);
    assert.match(stdout, new RegExp(`\nUsage:\n  kubectl vc-pvc ${name}`));
    assert.match(stdout, /\n\nUse "kubectl vc-pvc options" for a list of global/);
    for (const option of Object.keys(options))
      assert.match(stdout, new RegExp(`--${option}=.*:\n        \\S`));
  });
}

test('an option is shown with its letter and its default as kubectl shows it', async () => {
  const { stdout } = await runCli(['check', '--help']);
  assert.match(stdout, /^ {4}-o, --output='table':$/m);
  assert.match(stdout, /^ {4}-A, --all-namespaces=false:$/m);
  assert.match(stdout, /^ {4}--tenant-timeout=30s:$/m);
  assert.match(stdout, /^ {4}--tenant-namespace=\[\]:$/m);
  assert.match(stdout, /One of: \(auto, always, never\)\./);
});

test('--help alone lists every command, and options lists what every command takes', async () => {
  const { stdout, code } = await runCli(['--help']);
  assert.equal(code, 0);
  for (const { name, short } of FORMS) assert.match(stdout, new RegExp(`^  ${name} +${short}`, 'm'));
  assert.match((await runCli(['options'])).stdout, /^ {4}-s, --server='':$/m);
});

for (const width of [40, 60, 80, 100, 200]) {
  test(`on a terminal of ${width} columns no line of prose is longer, and none than 120`, () => {
    for (const help of [overviewHelp(FORMS, width), ...FORMS.map((form) => commandHelp(form, width))]) {
      for (const line of help.split('\n')) {
        // Examples are to be copied; usage, flags and rows of the list of commands are whole.
        if (/^ {2}(#|kubectl|source|\w+ {2,})| {4}-/.test(line) && width < 100) continue;
        assert.ok(displayWidth(line) <= Math.min(width, 120), `${width}: ${line}`);
      }
    }
  });
}

test('help of a command that there is not is answered with the nearest one', async () => {
  const { code, stderr } = await runCli(['help', 'chekc']);
  assert.deepEqual([code, stderr], [2, 'error: unknown command chekc, did you mean "check"?\n']);
});

test('every example of every help does what it says, on a recording where it reads clusters', async () => {
  const texts = await Promise.all([
    runCli(['--help']),
    ...FORMS.filter(({ name }) => !LIVE.has(name)).map(({ name }) => runCli([name, '--help'])),
  ]);
  const lines = texts.flatMap(({ stdout }) => examplesOf(stdout));
  assert.ok(lines.length >= 20, lines.join('\n'));
  for (const line of lines.filter((one) => !/zsh|powershell|fish/.test(one))) {
    const reads = /vc-pvc (check|explain|sync)/.test(line);
    const from = reads && !line.includes('--from') ? '--from ./recording' : '';
    const { code, stderr } = await runExample(
      line,
      `${from}${/ sync/.test(line) ? ' --dry-run=client' : ''}`,
    );
    assert.ok(code === 0 || (reads && code === 1), `${line}: ${code} ${stderr}`);
    assert.doesNotMatch(stderr, /error:/, line);
  }
});
