import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstat, mkdtemp, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { PLATFORMS, platformName, thisPlatform } from '../../plugin/build/platforms.ts';
import type { Platform } from '../../plugin/build/platforms.ts';
import { buildRelease } from '../../plugin/build/release.ts';
import { runProcess } from '../support/run-cli.ts';
import { Krew, installedProgram } from './krew.ts';
import { isSigned, machineOf } from './program-header.ts';

interface Manifest {
  spec: { version: string; platforms: { uri: string; sha256: string; bin: string }[] };
}

const RECORDING = fileURLToPath(new URL('../data/captures/broken', import.meta.url));
let directory: string;
let dist: string;
let krew: Krew;
let released: Platform[];
const said: string[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'release-'));
  dist = join(directory, 'dist');
  released = await buildRelease(PLATFORMS, dist, (line) => said.push(line));
  krew = await Krew.at(directory);
});
after(() => rm(directory, { recursive: true, force: true }));

const manifestPath = (): string => join(dist, 'vc-pvc.yaml');
const readManifest = async (): Promise<Manifest> => load(await readFile(manifestPath(), 'utf8')) as Manifest;
const archiveOf = ({ os, arch }: Platform, { spec }: Manifest): string =>
  join(dist, `vc-pvc_${spec.version.slice(1)}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`);

test('a release has every platform, and one of macOS only where it could be signed', () => {
  const unsigned = said.filter((line) => line.startsWith('left out darwin/')).length;
  assert.deepEqual(
    released.map(platformName),
    PLATFORMS.filter(({ os }) => unsigned === 0 || os !== 'darwin').map(platformName),
  );
  assert.equal(said.length, PLATFORMS.length, 'a line for each platform');
});

test('the bill of materials has the Node of each platform of the release, and of no other', async () => {
  const name = (await readdir(dist)).find((file) => file.endsWith('.cdx.json')) ?? '';
  const { components } = JSON.parse(await readFile(join(dist, name), 'utf8')) as {
    components: { name: string }[];
  };
  const every = new Set(PLATFORMS.map(({ nodePackage }) => nodePackage));
  assert.deepEqual(
    components.map((component) => component.name).filter((one) => every.has(one)),
    released.map(({ nodePackage }) => nodePackage).sort(),
  );
});

test('an archive is of 45 MB at most, where symbols can be left out', async () => {
  const manifest = await readManifest();
  for (const platform of released.filter(({ os }) => os !== 'darwin')) {
    const { size } = await stat(archiveOf(platform, manifest));
    assert.ok(size <= 45_000_000, `${platformName(platform)}: ${size} bytes`);
  }
});

test('krew refuses an archive that is not the one that the manifest names', async () => {
  const here = thisPlatform();
  const spoilt = join(directory, 'spoilt.tar.gz');
  await writeFile(spoilt, (await readFile(archiveOf(here, await readManifest()))).subarray(0, -1));
  const { code, stderr } = await krew.install(manifestPath(), spoilt, here.os, here.arch);
  assert.equal(code, 1);
  assert.match(stderr, /checksum does not match/);
});

test("krew installs each platform's archive: the right program under the right name, and plain files only", async () => {
  const manifest = await readManifest();
  for (const platform of released) {
    const installed = await krew.install(
      manifestPath(),
      archiveOf(platform, manifest),
      platform.os,
      platform.arch,
    );
    assert.equal(installed.code, 0, installed.stderr);
    const store = join(dirname(installed.bin), 'store', 'vc-pvc', manifest.spec.version);
    const names = (await readdir(store)).sort();
    const windows = platform.os === 'windows';
    assert.deepEqual(
      names,
      windows
        ? ['LICENSE', 'THIRD_PARTY_LICENSES.txt', 'kubectl-vc_pvc.exe']
        : ['LICENSE', 'THIRD_PARTY_LICENSES.txt', 'kubectl-vc_pvc', 'kubectl_complete-vc_pvc'],
    );
    for (const name of names) {
      const file = await lstat(join(store, name));
      assert.ok(file.isFile(), `${name} is a plain file`);
      const program = name.startsWith('kubectl');
      assert.equal((file.mode & 0o111) !== 0, program, `${name} is executable where it is a program`);
    }
    const start = await startOf(join(store, windows ? 'kubectl-vc_pvc.exe' : 'kubectl-vc_pvc'));
    assert.equal(machineOf(start), platformName(platform));
    if (platform.os === 'darwin') assert.ok(isSigned(start), 'macOS starts nothing unsigned');
    await rm(dirname(installed.bin), { recursive: true });
  }
});

test("the checker of krew's index installs every platform of the manifest", async () => {
  const server = createServer((request, response) => {
    void readFile(join(dist, request.url?.split('/').at(-1) ?? '')).then((content) => response.end(content));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const copy = join(directory, 'vc-pvc.yaml');
  const rendered = await readFile(manifestPath(), 'utf8');
  await writeFile(copy, rendered.replaceAll(/uri: .*\//g, `uri: http://127.0.0.1:${port}/`));
  const finished = await krew.validate(copy);
  server.close();
  assert.equal(finished.code, 0, finished.stderr);
  assert.match(finished.stderr, new RegExp(`all ${released.length} spec.platforms installed fine`));
});

test('the installed plugin runs through kubectl with nothing else: no home, no node, in the root folder', async () => {
  const here = thisPlatform();
  const manifest = await readManifest();
  const installed = await krew.install(manifestPath(), archiveOf(here, manifest), here.os, here.arch);
  const finished = await runProcess(
    join(krew.tools, 'kubectl'),
    ['vc-pvc', 'check', '--from', RECORDING, '--no-headers'],
    { PATH: [installed.bin, krew.tools].join(delimiter), HOME: '/dev/null/home' },
    '/',
  );
  assert.equal(finished.code, 1, finished.stderr);
  assert.match(finished.stdout, /^default\/vc-sample-1 +shop +cart-0 +Bound +Lost +SuperNotBound/m);
  assert.match(finished.stderr, /6 mismatches, 3 consistent/);
  const version = await runProcess(await installedProgram(installed), ['version', '--client', '-o', 'json']);
  const { clientVersion } = JSON.parse(version.stdout) as { clientVersion: { gitVersion: string } };
  assert.equal(clientVersion.gitVersion, manifest.spec.version);
});

test('SHA256SUMS and the manifest name the files that lie beside them', async () => {
  const sums = new Map(
    (await readFile(join(dist, 'SHA256SUMS'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  ') as [string, string])
      .map(([sum, name]) => [name, sum]),
  );
  for (const [name, sum] of sums) assert.equal(await sha256(join(dist, name)), sum, name);
  const files = (await readdir(dist)).filter((name) => name !== 'SHA256SUMS' && !/^kubectl-/.test(name));
  assert.deepEqual([...sums.keys()].sort(), files.sort());
  const { spec } = await readManifest();
  assert.deepEqual(
    spec.platforms.map(({ uri, sha256: sum }) => [uri.split('/').at(-1), sum]),
    spec.platforms.map(({ uri }) => [uri.split('/').at(-1), sums.get(uri.split('/').at(-1) ?? '')]),
  );
});

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    return (await file.read(Buffer.alloc(32_768), 0, 32_768, 0)).buffer;
  } finally {
    await file.close();
  }
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
