/** The bundle and Node in one file, made by pkg with Node's single executable applications. */
import { transform } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeBinary, nodePackage } from './node-packages.ts';
import type { PackOrder } from './pack.ts';
import { binaryName, platformName, thisPlatform } from './platforms.ts';
import type { Platform } from './platforms.ts';
import type { Project } from './project.ts';
import { isElf, trimElf } from './trim-elf.ts';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('./', import.meta.url));
const NODE_FLAGS = [
  // Room for new objects, MiB. With less, V8 tidies up several times during a start: a tenth of a `check --from`.
  '--min-semi-space-size=16',
  // With NODE_USE_ENV_PROXY Node opens the user's proxy before anything of ours runs, and where it cannot read its address
  // it ends with exit code 1, which says "mismatch" here. Proxies are src/kube's matter.
  '--no-use-env-proxy',
  // Node's advice on variables that are meant for other programs, or of no effect here; it would mix with what we print.
  '--no-warnings',
];
/** Versions of Node that were seen to make the same blob of the same files, byte for byte. */
const SAME_BLOBS: ReadonlySet<string> = new Set(['v26.7.0', 'v26.10.0']);

/**
 * Makes one platform's binary, not signed.
 * @param bundle as makeBundle makes it
 * @param folder an empty one to work in
 * @returns the path of the binary, in that folder
 * @throws Error with what the failed program printed
 */
export async function makeExecutable(
  bundle: string,
  platform: Platform,
  project: Project,
  folder: string,
): Promise<string> {
  const version = project.nodeVersions[platform.nodePackage] ?? '';
  const assets: Record<string, string> = { bundle: join(folder, 'bundle.js') };
  await writeFile(join(folder, 'bundle.js'), bundle);
  if (platformName(platform) === platformName(thisPlatform())) {
    const cache = join(folder, 'code-cache');
    await makeCodeCache(join(folder, 'bundle.js'), cache);
    assets['code-cache'] = cache;
  }
  const main = join(folder, 'main.js');
  await writeFile(main, await embeddedMain());
  await offerNode(folder, platform, version, nodeBinary(await nodePackage(platform.nodePackage, version)));
  if (`v${version}` !== process.version) await offerNode(folder, thisPlatform(), version, blobMaker(version));
  const output = join(folder, binaryName(platform));
  const order: PackOrder = {
    main,
    assets,
    flags: NODE_FLAGS,
    target: {
      platform: platform.pkgPlatform,
      arch: platform.pkgArch,
      nodeRange: `node${version}`,
      output,
    },
  };
  await run(process.execPath, [join(HERE, 'pack.ts'), JSON.stringify(order)], {
    env: {
      ...process.env,
      HOME: folder,
      USERPROFILE: folder,
      TMPDIR: folder,
      TMP: folder,
      TEMP: folder,
    },
  });
  return output;
}

/** @throws Error where V8 would not use it: a binary says nothing then and only starts more slowly */
async function makeCodeCache(bundle: string, cache: string): Promise<void> {
  const script = join(HERE, 'code-cache.ts');
  await run(process.execPath, [
    ...NODE_FLAGS,
    '--hash-seed=1',
    '--single-threaded-gc',
    script,
    bundle,
    cache,
  ]);
  await run(process.execPath, [...NODE_FLAGS, join(HERE, 'check-code-cache.ts'), bundle, cache]);
}

async function embeddedMain(): Promise<string> {
  const source = await readFile(join(HERE, 'embedded-main.ts'), 'utf8');
  return (await transform(source, { loader: 'ts', format: 'cjs', target: 'node26' })).code;
}

/**
 * pkg has a binary's blob made by the same version of Node that will read it. npm may have an older one for a platform
 * than for this machine; then this machine's makes it, if both make the same.
 * @returns the path of a Node @throws Error where nobody has compared them
 */
function blobMaker(version: string): string {
  if (!SAME_BLOBS.has(`v${version}`) || !SAME_BLOBS.has(process.version)) {
    throw new Error(
      `Node ${version} and ${process.version}: compare their blobs (--experimental-sea-config), then add them to SAME_BLOBS`,
    );
  }
  return process.execPath;
}

/**
 * Lays a Node where pkg would look for one that it downloaded: its archive, which it never opens again, the binary that
 * came out of it, and beside each a mark that it is complete (pkg lib/sea.ts getNodejsExecutable, extract).
 */
async function offerNode(home: string, platform: Platform, version: string, node: string): Promise<void> {
  const os = platform.pkgPlatform === 'macos' ? 'darwin' : platform.pkgPlatform;
  const cache = join(home, '.pkg-cache', 'sea');
  const name = `node-v${version}-${os}-${platform.pkgArch}`;
  const archive = join(cache, os === 'win' ? `${name}.zip` : `${name}.tar.gz`);
  const binary = os === 'win' ? join(cache, `${name}.exe`) : join(cache, name, 'bin', 'node');
  await mkdir(dirname(binary), { recursive: true });
  const file = await readFile(node);
  await writeFile(binary, isElf(file) ? trimElf(file) : file, { mode: 0o755 });
  for (const path of [archive, `${archive}.ok`, `${binary}.ok`]) await writeFile(path, '');
}
