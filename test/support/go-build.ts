/**
 * Builds programs from their published Go modules, once. The result is kept outside the checkout, under a name made from
 * what it is built from, so that a fresh clone finds it again.
 */
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface GoPrograms {
  /** What the cache and the messages call them. */
  readonly name: string;
  /** The folder with go.mod and go.sum. */
  readonly module: string;
  readonly packages: readonly string[];
  readonly linkerFlags: string;
  /** Go names a program after its package; here, by that name, those that are to be called something else. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The folder that holds the programs, built first where they are missing. @throws Error, in one line where Go is missing */
export async function goPrograms(programs: GoPrograms): Promise<string> {
  const directory = join(cacheDirectory(), `${programs.name}-${fingerprint(programs)}`);
  if (!existsSync(directory)) await build(programs, directory);
  return directory;
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubectl-vc-pvc');
}

function fingerprint({ linkerFlags, module }: GoPrograms): string {
  const hash = createHash('sha256').update(linkerFlags).update(process.platform).update(process.arch);
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module, file)));
  return hash.digest('hex').slice(0, 12);
}

/** Built beside its place and renamed: the directory is complete or absent. */
async function build(programs: GoPrograms, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}.unfinished-`);
  const { linkerFlags, packages, renamed = {} } = programs;
  try {
    await go(programs, ['build', '-trimpath', '-ldflags', linkerFlags, '-o', `${unfinished}/`, ...packages]);
    for (const [from, to] of Object.entries(renamed))
      await rename(join(unfinished, from), join(unfinished, to));
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have finished the same build in the meantime.
    if (!existsSync(directory)) throw error;
  }
}

function go({ name, module }: GoPrograms, args: readonly string[]): Promise<void> {
  process.stderr.write(`building ${name}, once (minutes with an empty Go cache):\n$ go ${args.join(' ')}\n`);
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd: module, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () =>
      reject(new Error(`go is not on PATH: the tests build ${name} from source with Go 1.26 or newer`)),
    );
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`go build ended with exit code ${code}`)),
    );
  });
}
