/**
 * Programs that are built from their published Go modules, once. The result is kept outside the checkout, under a name
 * made from what it is built from, so that a fresh clone finds it again.
 */
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface GoBuild {
  /** Of the directory that holds the result. */
  readonly name: string;
  /** The folder with go.mod and go.sum; ends in a slash. */
  readonly module: URL;
  readonly ldflags: string;
  /** Build tags, separated by commas. */
  readonly tags?: string;
  readonly packages: readonly string[];
  /** Completes the new directory before it gets its name. */
  readonly finish?: (directory: string) => Promise<void>;
}

/**
 * The directory with the programs, built first where it is missing.
 * @throws Error with one clear line where Go is missing
 */
export async function goBuild(build: GoBuild): Promise<string> {
  const directory = join(cacheDirectory(), `${build.name}-${fingerprint(build)}`);
  if (!existsSync(directory)) await make(directory, build);
  return directory;
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubectl-vc-pvc');
}

function fingerprint({ ldflags, tags = '', module }: GoBuild): string {
  const hash = createHash('sha256').update(ldflags).update(tags);
  hash.update(process.platform).update(process.arch);
  const sources = readdirSync(module).filter((file) => file.endsWith('.go'));
  for (const file of ['go.mod', 'go.sum', ...sources.toSorted()]) {
    hash.update(readFileSync(new URL(file, module)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Built beside its place and renamed: the directory is complete or absent. */
async function make(directory: string, build: GoBuild): Promise<void> {
  const { name, module, ldflags, tags = '', packages, finish } = build;
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}.unfinished-`);
  const flags = ['-trimpath', '-tags', tags, '-ldflags', ldflags, '-o', `${unfinished}/`];
  const args = ['build', ...flags, ...packages];
  process.stderr.write(`building ${name}, once (minutes with an empty Go cache):\n$ go ${args.join(' ')}\n`);
  try {
    await run('go', args, module);
    await finish?.(unfinished);
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have finished the same build in the meantime.
    if (!existsSync(directory)) throw error;
  }
}

/** Runs a program in a module's folder, its output on ours. @throws Error */
export function run(program: string, args: readonly string[], module: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: fileURLToPath(module),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', () =>
      reject(
        new Error(`${program} cannot be run: the tests build programs from source with Go 1.26 or newer`),
      ),
    );
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args[0]} ended with exit code ${code}`)),
    );
  });
}
