/** Flags and words are told apart as pflag and cobra do it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, text, texts } from '../../../src/flags/arguments.ts';
import type { Arguments, OptionTable } from '../../../src/flags/arguments.ts';
import type { CommandForm } from '../../../src/flags/form.ts';
import { parseLine } from '../../../src/flags/parse.ts';

const SHARED: OptionTable = { server: { type: 'string', alias: 's', description: '' } };
const LOOK: CommandForm = {
  name: 'look',
  usage: '[WORD...]',
  words: ['virtualcluster'],
  mostWords: 2,
  short: '',
  long: [],
  examples: [],
  options: {
    output: { type: 'string', alias: 'o', description: '', default: 'table' },
    all: { type: 'boolean', alias: 'A', description: '' },
    label: { type: 'string', alias: 'l', array: true, description: '' },
    level: { type: 'string', alias: 'verbosity', choices: ['low', 'high'], description: '' },
  },
  refused: { from: '--from makes no sense here' },
};
const OTHER: CommandForm = {
  ...LOOK,
  name: 'other',
  options: { from: { type: 'string', description: '' } },
  refused: {},
};

async function parsed(...args: string[]): Promise<Arguments> {
  return (await parseLine(args, [LOOK, OTHER], SHARED)).argv;
}

const VALUES: readonly (readonly [readonly string[], string | null])[] = [
  [['-o', 'wide'], 'wide'],
  [['-owide'], 'wide'],
  [['-o=wide'], 'wide'],
  [['-o==wide'], '=wide'],
  [['--output', 'wide'], 'wide'],
  [['--output=wide'], 'wide'],
  [['--output='], ''],
  [['-Aowide'], 'wide'],
  [['-Ao', 'wide'], 'wide'],
  [['-o', 'json', '-o', 'wide'], 'wide'],
  [[], 'table'],
  [['--output=-x'], '-x'],
  [['-o', '-'], '-'],
];
for (const [args, value] of VALUES) {
  test(`look ${args.join(' ')} has the output "${value}"`, async () => {
    assert.equal(text(await parsed('look', ...args), 'output'), value);
  });
}

for (const [argument, value] of [
  ['-A', true],
  ['--all', true],
  ['--all=true', true],
  ['-A=1', true],
  ['--all=F', false],
  ['-A=false', false],
] as const) {
  test(`${argument} turns the switch ${value ? 'on' : 'off'}`, async () => {
    assert.equal(flag(await parsed('look', argument), 'all'), value);
  });
}

test('a repeated flag keeps all its values', async () => {
  assert.deepEqual(texts(await parsed('look', '-l', 'a', '--label=b', '-lc'), 'label'), ['a', 'b', 'c']);
});

test('flags may stand in front of the command, those of every command too', async () => {
  const { command, argv } = await parseLine(['-o', 'json', '-s', 'x', 'look', 'word'], [LOOK, OTHER], SHARED);
  assert.deepEqual(
    [command?.name, text(argv, 'output'), text(argv, 'server'), argv.words],
    ['look', 'json', 'x', ['word']],
  );
});

test('what stands behind -- is a word, whatever it looks like', async () => {
  const argv = await parsed('look', '--', '-A', '--output=x');
  assert.deepEqual(
    [argv.words, flag(argv, 'all'), text(argv, 'output')],
    [['-A', '--output=x'], false, 'table'],
  );
});

test('a long alias is the flag itself', async () => {
  assert.equal(text(await parsed('look', '--verbosity=low'), 'level'), 'low');
});

test('--help is answered before anything else is looked at', async () => {
  const line = await parseLine(['look', '--bogus', '-h'], [LOOK, OTHER], SHARED);
  assert.deepEqual([line.help, line.command?.name], [true, 'look']);
});

test('without a command there is none', async () => {
  assert.equal((await parseLine(['-A'], [LOOK, OTHER], SHARED)).command, null);
});

const REFUSED: readonly (readonly [readonly string[], string])[] = [
  [['look', '--otuput=x'], 'unknown flag --otuput, did you mean "--output"?'],
  [['look', '-x'], 'unknown flag -x (see --help)'],
  [['--bogus', 'x', 'look'], 'unknown flag --bogus (see --help)'],
  [['lok', '--bogus'], 'unknown command lok, did you mean "look"?'],
  [['look', '--from', 'x'], '--from makes no sense here'],
  [['other', '-A'], 'unknown flag -A (see --help)'],
  [['look', '-o'], 'flag output needs a value'],
  [['look', '-o', '-A'], 'flag output needs a value (one that starts with "-" is given as --output=-...)'],
  [['look', '--level=mid'], '--level=mid: allowed are "low", "high"'],
  [['look', '-A=maybe'], '-A=maybe: a switch takes true or false, or nothing'],
  [['look', 'a', 'b', 'c'], 'look: "c" is one word too many: kubectl vc-pvc look [WORD...]'],
  [['look', '--__proto__=x'], 'unknown flag --__proto__ (see --help)'],
  [['look', '--constructor'], 'unknown flag --constructor (see --help)'],
  [['look\u001b[31m'], 'unknown command look (see kubectl vc-pvc --help)'],
  [[''], 'unknown command "" (see kubectl vc-pvc --help)'],
  [['\u001b[31m'], 'unknown command "" (see kubectl vc-pvc --help)'],
];
for (const [args, message] of REFUSED) {
  test(`"${args.join(' ').replaceAll('\u001b', 'ESC')}" is refused in one line`, async () => {
    await assert.rejects(parsed(...args), { name: 'UserError', message });
  });
}
