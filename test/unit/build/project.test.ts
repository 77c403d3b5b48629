/** What a build says of itself: in a checkout, in an archive of the sources, and where variables name something else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Project } from '../../../plugin/build/project.ts';
import { runProcess } from '../../support/run-cli.ts';
import type { Finished } from '../../support/run-cli.ts';

const SOURCE = fileURLToPath(new URL('../../../plugin/build/project.ts', import.meta.url));
let scratch = '';
let outer = '';
let sources = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-project-'));
  outer = join(scratch, 'outer');
  sources = join(outer, 'sources');
  await mkdir(join(sources, 'plugin', 'build'), { recursive: true });
  await cp(SOURCE, join(sources, 'plugin', 'build', 'project.ts'));
  await writeFile(
    join(sources, 'package.json'),
    '{"type": "module", "version": "1.2.3", "optionalDependencies": {}}',
  );
  commit(outer, '2001-01-01T00:00:00Z');
});
after(() => rm(scratch, { recursive: true }));

/** Makes a repository of a folder, with one commit of all that is in it. @returns the commit */
function commit(folder: string, date: string): string {
  const env = { PATH: process.env['PATH'], GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '--message=one');
  return git('rev-parse', 'HEAD');
}

function read(environment: Record<string, string> = {}): Promise<Finished> {
  const script = `import { readProject } from ${JSON.stringify(join(sources, 'plugin/build/project.ts'))};
    process.stdout.write(JSON.stringify(readProject()));`;
  return runProcess(process.execPath, ['--input-type=module', '-e', script], environment, scratch);
}

async function project(
  environment: Record<string, string> = {},
): Promise<Omit<Project, 'date'> & { date: string }> {
  const { stdout, stderr } = await read(environment);
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Omit<Project, 'date'> & { date: string };
}

test('an archive of the sources is of no known commit, not of that of a repository around it, and has its files’ time', async () => {
  const time = new Date('2020-02-02T02:02:02Z');
  await utimes(join(sources, 'package.json'), time, time);
  assert.deepEqual(await project(), {
    version: '1.2.3',
    commit: 'unknown',
    date: '2020-02-02T02:02:02.000Z',
    nodeVersions: {},
  });
});

test('a SOURCE_DATE_EPOCH that is no time an archive can have is refused with what would be one', async () => {
  assert.equal((await project({ SOURCE_DATE_EPOCH: '1000000000' })).date, '2001-09-09T01:46:40.000Z');
  for (const value of ['', 'yesterday', '-1', '0', '1e9', '1000000000.5', '99999999999999']) {
    const { stdout, stderr } = await read({ SOURCE_DATE_EPOCH: value });
    assert.equal(stdout, '');
    assert.match(stderr, /SOURCE_DATE_EPOCH=.*: give seconds since 1970, 315532800 \(1980\) at least/, value);
  }
});

test('a checkout is of its own commit, also in a hook of another repository, and dirty when it was changed', async () => {
  const own = commit(sources, '2010-10-10T10:10:10Z');
  const clean = { version: '1.2.3', commit: own, date: '2010-10-10T10:10:10.000Z', nodeVersions: {} };
  assert.deepEqual(await project(), clean);
  const hook = {
    GIT_DIR: join(outer, '.git'),
    GIT_WORK_TREE: outer,
    GIT_INDEX_FILE: join(outer, '.git', 'index'),
  };
  assert.deepEqual(await project(hook), clean);
  await writeFile(
    join(sources, 'package.json'),
    '{"type": "module", "version": "1.2.4", "optionalDependencies": {}}',
  );
  assert.equal((await project()).commit, `${own}-dirty`);
});
