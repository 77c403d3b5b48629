/** A folder that is there as a whole or not at all, on a real file system. */
import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { UserError } from '../../../src/errors.ts';
import { NewFolder } from '../../../src/snapshot/new-folder.ts';
import { runProcess } from '../../support/run-cli.ts';

const MODULE = fileURLToPath(new URL('../../../src/snapshot/new-folder.ts', import.meta.url));
let scratch = '';
let parent = '';
let folder = '';
let number = 0;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-new-folder-'));
});
beforeEach(async () => {
  number += 1;
  parent = join(scratch, String(number));
  folder = join(parent, 'recording');
  await mkdir(parent);
});
after(() => rm(scratch, { recursive: true }));

async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.message;
  }
  return assert.fail('it was not refused');
}

test('is not there before it is complete, and then whole, for its owner alone', async () => {
  const one = await NewFolder.create(folder);
  await one.write('super.yaml', ['a: 1\n', 'b: 2\n']);
  await one.write('tenants/team-b/staging.yaml', ['c: 3\n']);
  assert.deepEqual(
    (await readdir(parent)).map((name) => name.startsWith('.vc-pvc-snapshot-unfinished-')),
    [true],
  );
  await one.complete();
  await one.close();
  assert.deepEqual(await readdir(parent), ['recording']);
  assert.equal(await readFile(join(folder, 'super.yaml'), 'utf8'), 'a: 1\nb: 2\n');
  assert.equal(await readFile(join(folder, 'tenants/team-b/staging.yaml'), 'utf8'), 'c: 3\n');
  for (const [path, mode] of [
    ['', 0o700],
    ['tenants', 0o700],
    ['tenants/team-b', 0o700],
    ['super.yaml', 0o600],
    ['tenants/team-b/staging.yaml', 0o600],
  ] as const) {
    assert.equal((await stat(join(folder, path))).mode & 0o777, mode, path);
  }
});

test('closed before it is complete, it leaves nothing', async () => {
  const one = await NewFolder.create(folder);
  await one.write('tenants/team-b/staging.yaml', ['c: 3\n']);
  await one.close();
  assert.deepEqual(await readdir(parent), []);
});

test('a process that ends at once, as by a second Ctrl-C, leaves nothing', async () => {
  const program = `
    const { NewFolder } = await import(${JSON.stringify(MODULE)});
    const one = await NewFolder.create(${JSON.stringify(folder)});
    await one.write('super.yaml', (function* () { yield 'a: 1'; process.exit(130); })());`;
  const { code, stderr } = await runProcess(process.execPath, ['--input-type=module', '-e', program]);
  assert.equal(code, 130, stderr);
  assert.deepEqual(await readdir(parent), []);
});

for (const [what, make] of [
  ['a directory', () => mkdir(folder)],
  ['a file', () => writeFile(folder, 'mine')],
  ['a link that leads nowhere', () => symlink('nowhere', folder)],
] as const) {
  test(`${what} of that name is refused and left as it is`, async () => {
    await make();
    const kind = (await lstat(folder)).mode;
    assert.equal(
      await refusal(() => NewFolder.create(folder)),
      `${folder} exists already: name a directory that does not`,
    );
    assert.equal((await lstat(folder)).mode, kind);
    assert.deepEqual(await readdir(parent), ['recording']);
  });
}

test('a name with slashes at its end is the same name', async () => {
  await mkdir(folder);
  assert.match(await refusal(() => NewFolder.create(`${folder}//`)), /exists already/);
  const other = await NewFolder.create(`${folder}-2/`);
  await other.complete();
  await other.close();
  assert.deepEqual(await readdir(parent), ['recording', 'recording-2']);
});

test('what somebody else makes there meanwhile, even if it is empty, is not replaced', async () => {
  const one = await NewFolder.create(folder);
  await one.write('super.yaml', ['a: 1\n']);
  await mkdir(folder);
  assert.match(await refusal(() => one.complete()), /exists already: it was made meanwhile/);
  await one.close();
  assert.deepEqual(await readdir(parent), ['recording']);
  assert.deepEqual(await readdir(folder), []);
});

test('a parent that is not there, or is no directory, is told', async () => {
  assert.equal(
    await refusal(() => NewFolder.create(join(parent, 'a/b'))),
    `cannot write snapshot ${join(parent, 'a/b')}: directory ${join(parent, 'a')} does not exist`,
  );
  await writeFile(join(parent, 'file'), '');
  assert.match(
    await refusal(() => NewFolder.create(join(parent, 'file/b'))),
    /a part of the path is no directory/,
  );
  assert.match(await refusal(() => NewFolder.create('')), /needs the name of a directory/);
});
