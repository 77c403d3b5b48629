import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeBundle } from '../../plugin/build/bundle.ts';
import { binaryName, thisPlatform } from '../../plugin/build/platforms.ts';
import { readProject } from '../../plugin/build/project.ts';
import { buildRelease } from '../../plugin/build/release.ts';
import { runCli, runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const RECORDING = fileURLToPath(new URL('../data/captures/broken', import.meta.url));
const CHECK = ['check', '--from', RECORDING, '-o', 'json'];
let directory: string;
let first: string;
let binary: string;
let expected: Finished;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'binary-'));
  first = join(directory, 'first');
  await buildRelease([thisPlatform()], first, () => {});
  binary = join(first, binaryName(thisPlatform()));
  expected = await runCli(CHECK);
});
after(() => rm(directory, { recursive: true, force: true }));

test('the binary says what the sources say, with nothing on PATH and no environment', async () => {
  assert.equal(expected.code, 1, expected.stderr);
  assert.deepEqual(await runProcess(binary, CHECK, { PATH: '' }), expected);
  const help = await runCli(['check', '--help']);
  assert.deepEqual(await runProcess(binary, ['check', '--help'], { PATH: '' }), help);
});

test('the binary knows its version, its commit and its Node without reading any file', async () => {
  const { stdout } = await runProcess(binary, ['version', '--client', '-o', 'json'], {}, '/');
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: Record<string, string> };
  assert.match(clientVersion['gitVersion'] ?? '', /^v\d+\.\d+\.\d+$/);
  assert.match(clientVersion['gitCommit'] ?? '', /^([0-9a-f]{40}(-dirty)?|unknown)$/);
  assert.equal(clientVersion['gitCommit'], readProject().commit);
  assert.equal(clientVersion['nodeVersion'], process.version);
});

test("what is meant for a user's own Node does not reach the binary", async () => {
  const trap = join(directory, 'trap.js');
  const sprung = join(directory, 'sprung');
  await writeFile(trap, `require('node:fs').writeFileSync(${JSON.stringify(sprung)}, '');process.exit(99);`);
  const environments: Record<string, string>[] = [
    { NODE_OPTIONS: `--require ${trap}` },
    { NODE_OPTIONS: '--no-such-option' },
    { NODE_PATH: directory },
    { NODE_PENDING_DEPRECATION: '1', NODE_TEST_CONTEXT: 'child' },
    // What curl and Go take for a proxy, Node does not.
    { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'proxy.example:3128' },
    { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'nonsense' },
    { NO_COLOR: '1', FORCE_COLOR: '3' },
    { NODE_DISABLE_COLORS: '1', FORCE_COLOR: '3' },
    { NODE_EXTRA_CA_CERTS: '/nonexistent', NODE_REDIRECT_WARNINGS: join(directory, 'warnings') },
    { SSL_CERT_FILE: '/nonexistent', NODE_USE_SYSTEM_CA: '1' },
    { PKG_EXECPATH: 'PKG_INVOKE_NODEJS', DEBUG_PKG: '2', PKG_NATIVE_CACHE_PATH: directory },
    { NODE_PRESERVE_SYMLINKS: '1', NODE_PRESERVE_SYMLINKS_MAIN: '1', NODE_UNIQUE_ID: '1' },
    { NODE_COMPILE_CACHE: join(directory, 'compile-cache'), NODE_V8_COVERAGE: join(directory, 'coverage') },
  ];
  for (const environment of environments) {
    assert.deepEqual(await runProcess(binary, CHECK, environment), expected, JSON.stringify(environment));
  }
  const left = await readdir(directory);
  assert.ok(!left.includes('sprung'), 'nothing of NODE_OPTIONS was loaded');
});

test('a package.json, node_modules and a sea-config in the working directory are not looked at', async () => {
  const folder = join(directory, 'project');
  const library = join(folder, 'node_modules', 'undici');
  await mkdir(library, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type": "module", "main": "trap.js", "imports": 7');
  await writeFile(join(folder, '.env'), 'NODE_OPTIONS=--no-such-option');
  await writeFile(join(library, 'package.json'), '{"name": "undici", "main": "index.js"}');
  await writeFile(join(library, 'index.js'), 'process.exit(99)');
  assert.deepEqual(await runProcess(binary, CHECK, { PATH: '' }, folder), expected);
  const live = await runProcess(
    binary,
    ['check', '--server=http://127.0.0.1:1', '--request-timeout=5s'],
    { HOME: folder, PATH: '' },
    folder,
  );
  assert.equal(live.code, 2);
  assert.match(
    live.stderr,
    /^error: .*127\.0\.0\.1:1/,
    'its own HTTP library was used, and found nobody there',
  );
});

test('the binary works where its working directory has been removed', async () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const line = [binary, ...CHECK];
  assert.deepEqual(await runProcess('sh', ['-c', script, 'sh', ...line], {}, directory), expected);
});

test('where a pipe that nobody writes to is called package.json, the binary does not wait for it', async () => {
  const folder = join(directory, 'pipe');
  await mkdir(folder);
  await runProcess('mkfifo', [join(folder, 'package.json')]);
  const { code, stderr } = await runProcess('timeout', ['--signal=KILL', '10', binary, 'chekc'], {}, folder);
  assert.deepEqual([code, stderr], [2, 'error: unknown command chekc, did you mean "check"?\n']);
});

test('what is bundled takes its place for a path where paths are those of Windows', async () => {
  const { code } = await makeBundle(readProject());
  const program = join(directory, 'as-on-windows.cjs');
  await writeFile(
    program,
    `const url = require('node:url');
     const fileURLToPath = (one) => url.fileURLToPath(one, { windows: true });
     const createRequire = (one) => (fileURLToPath(one), require);
     const changed = { url: { ...url, fileURLToPath }, module: { ...require('node:module'), createRequire } };
     const main = ${code};
     main((name) => changed[name.replace(/^node:/, '')] ?? require(name));`,
  );
  assert.deepEqual(await runProcess(process.execPath, [program, ...CHECK]), expected);
});

if (process.platform === 'linux') {
  test('the libraries and the glibc that the binary needs are those that docs/release.md names', async () => {
    const document = await readFile(new URL('../../docs/release.md', import.meta.url), 'utf8');
    const { stdout } = await runProcess('ldd', [binary]);
    const needed = [...stdout.matchAll(/^\s*(\S+) => /gm)].map(([, name = '']) => name);
    const named = [...document.matchAll(/`(lib[\w+]+\.so\.\d+)`/g)].map(([, name = '']) => name);
    assert.deepEqual(needed.sort(), named.sort());
    const versions = (await readFile(binary, 'latin1')).matchAll(/\0GLIBC_2\.(\d+)/g);
    const newest = Math.max(...[...versions].map(([, minor]) => Number(minor)));
    assert.ok(document.includes(`glibc 2.${newest})`), `2.${newest}`);
  });
}

test('arguments that Node would take for its own are the plugin’s', async () => {
  for (const argument of ['--eval=1', '--inspect', '--experimental-sea-config=x', '--node-options=x']) {
    const finished = await runProcess(binary, [argument]);
    assert.equal(finished.code, 2, argument);
    assert.match(finished.stderr, /^error: unknown flag/, argument);
  }
});

test('two builds of one commit give the same bytes, in whatever folder, zone and language', async () => {
  const second = join(directory, 'a second, longer folder');
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Pacific/Chatham';
  try {
    await buildRelease([thisPlatform()], second, () => {});
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
  const names = (await readdir(first)).sort();
  assert.deepEqual((await readdir(second)).sort(), names);
  assert.ok(names.length >= 6, names.join());
  for (const name of names) {
    const [one, other] = await Promise.all([readFile(join(first, name)), readFile(join(second, name))]);
    assert.ok(one.equals(other), `${name} differs`);
  }
});

test('the bill of materials and the licences name every library that was bundled, and Node', async () => {
  const names = await readdir(first);
  const sbom = JSON.parse(
    await readFile(join(first, names.find((name) => name.endsWith('.cdx.json')) ?? ''), 'utf8'),
  ) as { components: { purl: string; hashes: { content: string }[]; licenses: unknown[] }[] };
  const licenses = await readFile(join(first, 'THIRD_PARTY_LICENSES.txt'), 'utf8');
  const parts = sbom.components.map(({ purl }) => purl.slice('pkg:npm/'.length).replace('%40', '@'));
  for (const name of ['undici', 'js-yaml', 'openid-client', thisPlatform().nodePackage]) {
    assert.ok(
      parts.some((part) => part.startsWith(`${name}@`)),
      `${name} is bundled`,
    );
  }
  // Each module in the bundle has its path for a name.
  const { code } = await makeBundle(readProject());
  const modules = code.matchAll(/"(?:[^"\s]*\/)?node_modules\/((?:@[^/"]+\/)?[^/"]+)\/[^"]+"\(/g);
  assert.deepEqual(
    [...new Set([...modules].map(([, name = '']) => name))].sort(),
    [...new Set(parts.map((part) => part.replace(/@[^@]+$/, '')))]
      .filter((name) => name !== thisPlatform().nodePackage)
      .sort(),
    'what is in it, and nothing else',
  );
  for (const part of parts) assert.ok(licenses.includes(part.replace(/@([^@]+)$/, ' $1 (')), part);
  for (const { hashes, licenses: own } of sbom.components) {
    assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/);
    assert.equal(own.length, 1);
  }
  assert.match(licenses, /V8 JavaScript engine|OpenSSL/, "Node's licence names what Node embeds");
});
