/** Every command line of ours in a document is one that the plugin takes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { FORMS } from '../../../src/commands/all.ts';
import type { Arguments } from '../../../src/flags/arguments.ts';
import { checkFlags } from '../../../src/flags/check.ts';
import { shellOf } from '../../../src/flags/completion.ts';
import { CONNECTION_OPTIONS, connectionFlags } from '../../../src/flags/connection.ts';
import { explainFlags } from '../../../src/flags/explain.ts';
import { allOptions, parseLine } from '../../../src/flags/parse.ts';
import { snapshotFlags } from '../../../src/flags/snapshot.ts';
import { syncFlags } from '../../../src/flags/sync.ts';
import { flagNames } from '../../../src/flags/tokens.ts';
import { versionFlags } from '../../../src/flags/version.ts';
import { watchFlags } from '../../../src/flags/watch.ts';
import { runProcess } from '../../support/run-cli.ts';
import { DOCUMENTS, inlineCode } from './documents.ts';

/** What reads the flags of a command, and throws for a value that makes no sense. */
const READERS: Readonly<Record<string, (argv: Arguments) => unknown>> = {
  check: checkFlags,
  explain: explainFlags,
  sync: syncFlags,
  watch: watchFlags,
  snapshot: snapshotFlags,
  version: versionFlags,
  completion: shellOf,
};
let scratch = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-docs-'));
  await writeFile(join(scratch, 'kubectl'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`, { mode: 0o755 });
});
after(() => rm(scratch, { recursive: true }));

/** What a shell hands to kubectl when the line is pasted into it, without "vc-pvc". */
async function pasted(line: string): Promise<string[]> {
  const { stdout } = await runProcess(
    'bash',
    ['-c', line],
    { PATH: [scratch, process.env['PATH']].join(delimiter), HOME: scratch },
    scratch,
  );
  const [plugin, ...args] = stdout.split('\0').slice(0, -1);
  assert.equal(plugin, 'vc-pvc', line);
  return args;
}

async function assertTaken(where: string, line: string): Promise<void> {
  try {
    const { command, argv, help } = await parseLine(await pasted(line), FORMS, CONNECTION_OPTIONS);
    if (help) return;
    assert.ok(command !== null, 'it names a command');
    connectionFlags(argv);
    READERS[command.name]?.(argv);
  } catch (error) {
    assert.fail(`${where}: ${line}: ${String(error)}`);
  }
}

test('each line of a fenced block that runs the plugin can be pasted into a shell, and is taken', async () => {
  let taken = 0;
  for (const { path, fenced } of DOCUMENTS) {
    for (const line of fenced.filter((one) => /^(\$ )?(\w+=\S+ )*kubectl vc-pvc\b/.test(one))) {
      await assertTaken(path, line.replace(/^\$ /, '').replace(/^PATH=\S+ /, ''));
      taken += 1;
    }
  }
  assert.ok(taken > 15, `${taken} lines were tried`);
});

test('each whole command line in running text is taken', async () => {
  let taken = 0;
  for (const document of DOCUMENTS) {
    for (const code of inlineCode(document)) {
      // What has brackets, or a value in capitals to be filled in, is no line to be pasted.
      if (!/^kubectl vc-pvc (?!.*=[A-Z]{2})[^[…]*$/.test(code)) continue;
      await assertTaken(document.path, code);
      taken += 1;
    }
  }
  assert.ok(taken > 10, `${taken} lines were tried`);
});

test('each flag of a command is in a document', () => {
  const written = DOCUMENTS.flatMap((document) => [...inlineCode(document), ...document.fenced]).join('\n');
  for (const { name, options } of FORMS) {
    for (const [flag, { alias }] of Object.entries(options)) {
      const forms = [`--${flag}`, ...(alias === undefined ? [] : [`-${alias}`])].join('|');
      assert.match(written, new RegExp(`(^|[\\s(])(${forms})(?![\\w-])`, 'm'), `${name} --${flag}`);
    }
  }
});

test('each flag that is written behind the name of a command is one of that command', () => {
  const words = new RegExp(`^(?:kubectl vc-pvc )?(${FORMS.map(({ name }) => name).join('|')}) (.*-.*)$`);
  for (const document of DOCUMENTS) {
    for (const code of inlineCode(document)) {
      const [, name, rest = ''] = words.exec(code) ?? [];
      const form = FORMS.find((one) => one.name === name);
      if (form === undefined) continue;
      const known = flagNames(allOptions([form], CONNECTION_OPTIONS));
      for (const [, flag = ''] of rest.matchAll(/(?:^|[\s[])--?([a-z][a-z-]*)/g)) {
        assert.ok(known.has(flag), `${document.path}: \`${code}\`: ${flag}`);
      }
    }
  }
});
