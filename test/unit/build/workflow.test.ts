/** The workflow of a release: what it runs is there, and its checks fail where they should. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { PLATFORMS } from '../../../plugin/build/platforms.ts';
import { runProcess } from '../../support/run-cli.ts';

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly steps: readonly { readonly name?: string; readonly run?: string }[];
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let scratch = '';
let workflow: Workflow;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-workflow-'));
  workflow = load(await readFile(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as Workflow;
});
after(() => rm(scratch, { recursive: true }));

function lines(job: string): string[] {
  return (workflow.jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);
}

/** The exit code of a step, run as GitHub runs it. */
async function exitCode(
  step: string,
  environment: Record<string, string>,
  folder: string,
): Promise<number | null> {
  const { run } = workflow.jobs['release']?.steps.find(({ name }) => name === step) ?? {};
  assert.ok(run !== undefined, `there is a step "${step}"`);
  return (await runProcess('bash', ['-e', '-c', run], environment, folder)).code;
}

test('every change is tested, and on a tag a tested commit is built and published', async () => {
  assert.deepEqual(workflow.on.push.tags, ['v*']);
  assert.deepEqual(lines('test'), ['make test']);
  assert.equal(workflow.jobs['release']?.needs, 'test');
  assert.match(workflow.jobs['release']?.if ?? '', /refs\/tags\/v/);
  assert.ok(lines('release').includes('make build'));
  const makefile = await readFile(join(ROOT, 'Makefile'), 'utf8');
  for (const target of ['test', 'build']) assert.match(makefile, new RegExp(`^${target}:`, 'm'));
});

test('a tag that is not the version of package.json ends the release', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const step = 'The tag is the version of package.json';
  assert.equal(await exitCode(step, { GITHUB_REF_NAME: `v${version}` }, ROOT), 0);
  for (const tag of [version, 'v0.0.9', `v${version}-rc.1`]) {
    assert.equal(await exitCode(step, { GITHUB_REF_NAME: tag }, ROOT), 1, tag);
  }
});

test('a manifest without one of the platforms ends the release', async () => {
  await mkdir(join(scratch, 'dist'));
  const step = 'All six platforms are there';
  for (const missing of [0, 1]) {
    const platforms = PLATFORMS.slice(missing).map(() => '    - uri: x\n      sha256: y\n');
    await writeFile(join(scratch, 'dist', 'vc-pvc.yaml'), platforms.join(''));
    assert.equal(await exitCode(step, {}, scratch), missing);
  }
});
