/** A command line is taken as kubectl takes it: spf13/cobra and spf13/pflag. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FORMS } from '../../../src/commands/all.ts';
import { flag, text, texts } from '../../../src/flags/arguments.ts';
import { CHECK } from '../../../src/flags/check.ts';
import { CONNECTION_OPTIONS } from '../../../src/flags/connection.ts';
import { allOptions, parseLine } from '../../../src/flags/parse.ts';
import { tokensOf } from '../../../src/flags/tokens.ts';
import { runCli } from '../../support/run-cli.ts';

const EVERY = allOptions(FORMS, CONNECTION_OPTIONS);
const parsed = (line: readonly string[]) => parseLine(line, FORMS, CONNECTION_OPTIONS);

async function refused(line: readonly string[], message: RegExp): Promise<void> {
  await assert.rejects(parsed(line), { name: 'UserError', message });
}

test('a value is taken whichever way it is written', async () => {
  for (const written of [['-n', 'x'], ['-nx'], ['-n=x'], ['--namespace', 'x'], ['--namespace=x']]) {
    assert.equal(text((await parsed(['check', ...written])).argv, 'namespace'), 'x', written.join(' '));
  }
});

test('letters of switches may stand together, the last of them with a value', async () => {
  const { argv } = await parsed(['check', '-Anteam-b', '-o=jsonpath={.a=b}', 'vc']);
  assert.equal(flag(argv, 'all-namespaces'), true);
  assert.equal(text(argv, 'namespace'), 'team-b');
  assert.equal(text(argv, 'output'), 'jsonpath={.a=b}');
  assert.deepEqual(argv.words, ['vc']);
});

test('a switch takes no word, and the values that pflag takes', async () => {
  const { argv } = await parsed(['check', '--all', 'true', '-A=T', '--orphans=0']);
  assert.deepEqual(argv.words, ['true']);
  assert.deepEqual(
    ['all', 'all-namespaces', 'orphans'].map((name) => flag(argv, name)),
    [true, true, false],
  );
  await refused(['check', '-A=2'], /^-A=2: a switch takes/);
  await refused(['check', '--all='], /^--all=: a switch takes/);
});

test('a flag given twice: the last counts, or both where it may be repeated', async () => {
  const { argv } = await parsed([
    'check',
    '-na',
    '--namespace=b',
    '--as-group',
    'c',
    '--as-group=d',
    '--all',
    '--all=f',
  ]);
  assert.equal(text(argv, 'namespace'), 'b');
  assert.deepEqual(texts(argv, 'as-group'), ['c', 'd']);
  assert.equal(flag(argv, 'all'), false);
});

test('flags may stand in front of the command; those of another are refused there too', async () => {
  const { command, argv } = await parsed(['--all', '-n', 'check', 'check', 'vc', '-v', '1']);
  assert.equal(command?.name, 'check');
  assert.equal(text(argv, 'namespace'), 'check');
  assert.equal(text(argv, 'v'), '1');
  assert.deepEqual(argv.words, ['vc']);
  await refused(['--hold', 'check'], /^unknown flag --hold/);
});

test('words stay what they are: numbers, empty ones, those that end like a switch, all behind --', async () => {
  const words = ['1e3', '', '0x10', 'prall', 'xxall-namespaces', '-', 'check'];
  const behind = ['--all', '-1', '--', '--help'];
  const { argv, help } = await parsed(['check', ...words, '--', ...behind]);
  assert.deepEqual(argv.words, [...words, ...behind]);
  assert.equal(help, false);
});

test('what kubectl calls unknown is unknown, also where yargs has a use for it', async () => {
  const names = ['get-yargs-completions', 'version', 'no-all', 'tenantNamespace', 'constructor', 'a.b', '$0'];
  for (const name of names) {
    const message = new RegExp(`^unknown flag --${name.replace(/[$.]/g, '\\$&')}[ ,]`);
    await refused(['check', `--${name}`], message);
    await refused(['snapshot', `--${name}=x`, 'directory'], message);
  }
  for (const argument of ['-1', '---', '-z', '--_', '--toString', '-Az', '-_', '-=x', '--=x']) {
    await refused(['check', argument], /^unknown flag/);
  }
});

test('what is wrong is told in the same words in every locale', async () => {
  const { stderr } = await runCli(['check', '--form', 'x'], { LC_ALL: 'de_DE.UTF-8' });
  assert.equal(stderr, 'error: unknown flag --form, did you mean "--from"?\n');
});

test('an unknown command is told before the flags behind it, an unknown flag before the word it may have taken', async () => {
  await refused(['chekc', '--bogus'], /^unknown command chekc, did you mean "check"\?$/);
  await refused(['--bogus', 'chekc'], /^unknown flag --bogus/);
  await refused(['chekc', '--help'], /^unknown command chekc/);
});

test('a flag that makes no sense with a command is refused with the reason, by its letter as well', async () => {
  await refused(['snapshot', 'directory', '-l', 'a=b'], /^-l cannot be used with snapshot/);
  await refused(['-la=b', 'snapshot', 'directory'], /^-l cannot be used with snapshot/);
  await refused(['watch', '--from=x'], /^a recording does not change/);
});

test('a flag without its value is named in full, and how one with a dash is given', async () => {
  await refused(['check', '-n'], /^flag namespace needs a value$/);
  await refused(['check', '--from', '--all'], /^flag from needs a value \(.*--from=-\.\.\.\)$/);
  await refused(['check', '--from', '--'], /^flag from needs a value/);
});

test('a word too many is told with the usage', () =>
  refused(['explain', 'a/b', 'c'], /^explain: "c" is one word too many: kubectl vc-pvc explain \[VIRTUAL/));

test('--help is answered whatever else is wrong', async () => {
  for (const rest of [['--bogus'], ['--color=red'], ['--from'], ['a', 'b']]) {
    const { command, help } = await parsed(['explain', ...rest, '-h']);
    assert.deepEqual([command?.name, help], ['explain', true], rest.join(' '));
  }
  assert.deepEqual((await parsed(['--help'])).command, null);
  assert.equal((await parsed(['check', '--help=false'])).help, false);
});

test('version --client, which is not parsed, is the same as when it is', async () => {
  for (const output of [
    [],
    ['-o', 'yaml'],
    ['-ojson'],
    ['-o=json'],
    ['--output', 'json'],
    ['--output=yaml'],
  ]) {
    const short = await parsed(['version', '--client', ...output]);
    const long = await parsed(['version', ...output, '--client=true']);
    assert.deepEqual(short, long, output.join(' '));
    assert.equal(flag(short.argv, 'client'), true);
  }
  await refused(['version --client'], /^unknown command/);
});

const argument = fc.oneof(
  fc.constantFrom(
    '--all',
    '-A',
    '-An',
    '-o',
    '--output',
    '-owide',
    '--sort-by=.a',
    '--namespace',
    '-n=x',
    '-l',
    '--',
    'vc',
  ),
  fc.string({ maxLength: 4 }),
);

test('completion sees the flags and words that the parser sees, on every line that it takes', () =>
  fc.assert(
    fc.asyncProperty(fc.array(argument, { maxLength: 5 }), async (rest) => {
      const line = ['check', ...rest];
      const found = await parsed(line).catch(() => null);
      if (found === null || found.help) return;
      const { flags, words } = tokensOf(line, EVERY);
      assert.deepEqual(words, ['check', ...found.argv.words]);
      for (const name of ['output', 'namespace', 'selector', 'sort-by']) {
        const last = flags.findLast((one) => one.name === name)?.value;
        assert.equal(last ?? CHECK.options[name]?.default ?? null, text(found.argv, name), name);
      }
      for (const name of ['all', 'all-namespaces']) {
        assert.equal(
          flags.some((one) => one.name === name),
          flag(found.argv, name),
          name,
        );
      }
    }),
    { numRuns: 300 },
  ));
