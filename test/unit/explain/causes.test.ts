/** docs/causes.md has what the printed references promise. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CAUSES, causeReference } from '../../../src/reconcile/explain/causes.ts';
import type { CauseCode } from '../../../src/reconcile/model.ts';

const text = readFileSync(new URL('../../../docs/causes.md', import.meta.url), 'utf8');
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

for (const code of Object.keys(CAUSES) as CauseCode[]) {
  test(`${code} has a section with symptom, origin, evidence, remedy and prevention`, () => {
    const section = sections.get(code) ?? '';
    for (const part of ['Symptom', 'How it comes about', 'Evidence', 'Remedy', 'How to prevent']) {
      assert.match(section, new RegExp(`^- \\*\\*${part}:\\*\\* \\S`, 'm'));
    }
    assert.equal(causeReference(code), `docs/causes.md#${code.toLowerCase()}`);
  });
}

test('no section is about a cause that does not exist, and they are in alphabetical order', () => {
  assert.deepEqual([...sections.keys()], Object.keys(CAUSES).sort());
});
