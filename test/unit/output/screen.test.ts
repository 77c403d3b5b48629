/** What the README shows is what the program prints. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { plain, screenLines, toSvg } from '../../support/screen.ts';

function read(file: string): Promise<string> {
  return readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
}

test('docs/screen.svg is what check prints today; `make screen` draws it again', async () => {
  assert.equal(await read('docs/screen.svg'), toSvg(await screenLines()));
});

test('the screen in the README is what check prints today', async () => {
  const readme = await read('README.md');
  assert.ok(readme.includes(`\n\`\`\`\n${plain(await screenLines())}\n\`\`\`\n`));
});
