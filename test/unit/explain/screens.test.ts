/** Whole screens, as a terminal of 80 columns shows them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { displayWidth } from '../../../src/output/display-width.ts';
import { printExplanation } from '../../../src/output/print-explanation.ts';
import type { PrintExplanationOptions } from '../../../src/output/print-explanation.ts';
import { explainedCase } from '../../support/explained-case.ts';

const OPTIONS: PrintExplanationOptions = {
  ascii: false,
  color: false,
  width: 80,
  now: Date.parse('2026-11-02T08:12:00Z'),
  kubectl: { super: ['--context', 'prod'], tenant: ['--kubeconfig', 'tenant.yaml'] },
  superCluster: 'context "prod" (https://super.example.com:6443)',
};

async function screen(name: string, options: Partial<PrintExplanationOptions> = {}): Promise<string> {
  const explanation = await explainedCase(name);
  const events = [
    {
      cluster: 'super' as const,
      object: 'claim',
      type: 'Warning',
      reason: 'ClaimLost',
      message: 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
      count: 2,
      lastSeen: '2026-11-02T08:00:00Z',
    },
  ];
  return printExplanation({ ...explanation, events: name === 'volume-name-cleared' ? events : [] }, 'text', {
    ...OPTIONS,
    ...options,
  });
}

for (const name of [
  'volume-name-cleared',
  'claim-recreated-pending',
  'super-missing',
  'volume-deleted',
  'tenant-lost',
]) {
  test(`${name} looks as in test/data/screens/${name}.txt`, async () => {
    const expected = await readFile(new URL(`../../data/screens/${name}.txt`, import.meta.url), 'utf8');
    assert.equal(await screen(name), expected);
  });
}

const CASES = [
  'volume-name-cleared',
  'long-name-hashed',
  'volume-claimed-by-other',
  'super-namespace-missing',
];

for (const width of [60, 80, 100, 140]) {
  test(`on a terminal of ${width} columns no line of prose or of the diagram is longer`, async () => {
    for (const name of CASES) {
      for (const line of (await screen(name, { width })).split('\n')) {
        // A command is not cut, and a name that is compared is not either.
        if (/^(kubectl| {2}patch| {2}\{| {3}"value"| {4}\S| {6,}\S)| {2}(tenant|super cluster): /.test(line))
          continue;
        assert.ok(displayWidth(line) <= width, line);
      }
    }
  });
}

test('the boxes of a diagram are closed, whatever is cut', async () => {
  for (const width of [40, 70, 80, 120, null]) {
    const lines = (await screen('long-name-hashed', { width }))
      .split('\n')
      .filter((line) => /^ {2}[┌│└]/.test(line));
    assert.ok(lines.length >= 10);
    assert.equal(new Set(lines.map(displayWidth)).size, 1, lines.join('\n'));
  }
});

test('colour changes nothing but the colour', async () => {
  const escape = String.fromCodePoint(27);
  const painted = await screen('volume-name-cleared', { color: true });
  assert.ok(painted.includes(`${escape}[31m`));
  assert.equal(
    painted.replaceAll(new RegExp(`${escape}\\[\\d+m`, 'g'), ''),
    await screen('volume-name-cleared'),
  );
});
