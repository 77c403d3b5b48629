/**
 * Node's own binaries, from npm's packages and nowhere else. npm installs only the one of this machine; the others are
 * fetched with `npm pack` and have to be what package-lock.json says they are.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ROOT } from './project.ts';

const run = promisify(execFile);

/** Where a package's files lie: in node_modules, or in this checkout's cache. @throws Error where it cannot be had */
export async function nodePackage(name: string, version: string): Promise<string> {
  const installed = join(ROOT, 'node_modules', name);
  if ((await installedVersion(installed)) === version) return installed;
  const directory = join(ROOT, '.cache', 'node', `${name}-${version}`);
  if (!existsSync(directory)) await fetchPackage(name, version, directory);
  return directory;
}

/** The path of Node's binary in a package's folder. */
export function nodeBinary(directory: string): string {
  const windows = join(directory, 'bin', 'node.exe');
  return existsSync(windows) ? windows : join(directory, 'bin', 'node');
}

async function installedVersion(directory: string): Promise<string | null> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    return (manifest as { version: string }).version;
  } catch {
    return null;
  }
}

/** Unpacked beside its place and renamed: the folder is complete or absent. */
async function fetchPackage(name: string, version: string, directory: string): Promise<void> {
  process.stderr.write(`fetching ${name}@${version} with npm\n`);
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}.unfinished-`);
  try {
    // A shell, because npm is a .cmd file on Windows; what it is given comes from package.json alone.
    await run('npm', ['pack', '--silent', '--pack-destination', unfinished, `${name}@${version}`], {
      cwd: ROOT,
      shell: process.platform === 'win32',
    });
    const tarball = join(unfinished, `${name}-${version}.tgz`);
    await verify(tarball, name, version);
    await unpack(tarball, unfinished);
    await rm(tarball);
    await rename(unfinished, directory);
  } catch (error) {
    // Another process may have fetched the same package in the meantime.
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** @throws Error where it is not what package-lock.json pins */
async function verify(tarball: string, name: string, version: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const hash = createHash('sha512');
  await pipeline(createReadStream(tarball), hash);
  const pinned = lock.packages[`node_modules/${name}`];
  if (pinned?.version !== version || pinned.integrity !== `sha512-${hash.digest('base64')}`) {
    throw new Error(
      `${name}@${version} from npm is not what package-lock.json pins: nothing was built with it`,
    );
  }
}

/** Only Node itself and its licence: headers and manuals are not needed. */
async function unpack(tarball: string, directory: string): Promise<void> {
  const entries = extract();
  const reading = pipeline(createReadStream(tarball), createGunzip(), entries);
  await mkdir(join(directory, 'bin'));
  for await (const entry of entries) {
    const path = /^package\/(bin\/node(?:\.exe)?|LICENSE)$/.exec(entry.header.name)?.[1];
    if (path === undefined) entry.resume();
    else await pipeline(entry, createWriteStream(join(directory, path), { mode: 0o755 }));
  }
  await reading;
}
