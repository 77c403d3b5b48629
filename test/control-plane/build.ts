/**
 * Builds the real control plane from its Go modules, once: `node test/control-plane/build.ts`. The result is kept
 * outside the checkout, under a name made from what it is built from, so that a fresh clone finds it again.
 */
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubectl: string;
}

const MODULE = fileURLToPath(new URL('./binaries/', import.meta.url));
const VERSION = 'k8s.io/component-base/version';
/** Without these /version says v0.0.0-master. */
const FLAGS = `-s -w -X ${VERSION}.gitVersion=v1.37.2 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=37`;
const PACKAGES = [
  'go.etcd.io/etcd/server/v3',
  ...['kube-apiserver', 'kube-controller-manager', 'kubectl'].map((name) => `k8s.io/kubernetes/cmd/${name}`),
];

/** Paths of the binaries, built first where they are missing. @throws Error with one clear line where Go is missing */
export async function binaries(): Promise<Binaries> {
  const directory = join(cacheDirectory(), `control-plane-${fingerprint()}`);
  if (!existsSync(directory)) await build(directory);
  return {
    etcd: join(directory, 'etcd'),
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubectl: join(directory, 'kubectl'),
  };
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubectl-vc-pvc');
}

function fingerprint(): string {
  const hash = createHash('sha256').update(FLAGS).update(process.platform).update(process.arch);
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(MODULE, file)));
  return hash.digest('hex').slice(0, 12);
}

/** Built beside its place and renamed: the directory is complete or absent. */
async function build(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}.unfinished-`);
  try {
    await go(['build', '-trimpath', '-ldflags', FLAGS, '-o', `${unfinished}/`, ...PACKAGES]);
    await rename(join(unfinished, 'server'), join(unfinished, 'etcd'));
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have finished the same build in the meantime.
    if (!existsSync(directory)) throw error;
  }
}

function go(args: readonly string[]): Promise<void> {
  process.stderr.write(
    `building the control plane, once (minutes with an empty Go cache):\n$ go ${args.join(' ')}\n`,
  );
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd: MODULE, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () =>
      reject(
        new Error('go is not on PATH: the tests build etcd and Kubernetes from source with Go 1.26 or newer'),
      ),
    );
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`go build ended with exit code ${code}`)),
    );
  });
}

if (import.meta.main) {
  try {
    process.stdout.write(`${Object.values(await binaries()).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
