/** GitHub's workflow, as far as it can be looked at outside of GitHub. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { goBuild } from '../control-plane/go-build.ts';
import { runProcess } from '../support/run-cli.ts';

const WORKFLOW = fileURLToPath(new URL('../../.github/workflows/release.yml', import.meta.url));

test('actionlint finds nothing wrong with the workflow', async () => {
  const built = await goBuild({
    name: 'actionlint',
    module: new URL('./actionlint-module/', import.meta.url),
    packages: ['github.com/rhysd/actionlint/cmd/actionlint'],
    ldflags: '-s -w',
  });
  // Without the linters of scripts that a machine may have or not.
  const lint = (file: string) => runProcess(join(built, 'actionlint'), ['-shellcheck=', '-pyflakes=', file]);
  const { code, stdout } = await lint(WORKFLOW);
  assert.equal(code, 0, stdout);
});

test('the workflow calls no target that the Makefile has not', async () => {
  const makefile = await readFile(new URL('../../Makefile', import.meta.url), 'utf8');
  const called = [...(await readFile(WORKFLOW, 'utf8')).matchAll(/\bmake (\S+)/g)].map(
    ([, target]) => target,
  );
  assert.deepEqual(called, ['test', 'build']);
  for (const target of called) assert.match(makefile, new RegExp(`^${target}:`, 'm'));
});
