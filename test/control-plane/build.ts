/** Builds the real control plane from its Go modules, once: `node test/control-plane/build.ts`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goPrograms } from '../support/go-build.ts';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubectl: string;
}

const VERSION = 'k8s.io/component-base/version';

/** Paths of the binaries, built first where they are missing. @throws Error with one clear line where Go is missing */
export async function binaries(): Promise<Binaries> {
  const directory = await goPrograms({
    name: 'control-plane',
    module: fileURLToPath(new URL('./binaries/', import.meta.url)),
    packages: [
      'go.etcd.io/etcd/server/v3',
      ...['kube-apiserver', 'kube-controller-manager', 'kubectl'].map(
        (name) => `k8s.io/kubernetes/cmd/${name}`,
      ),
    ],
    // Without these /version says v0.0.0-master.
    linkerFlags: `-s -w -X ${VERSION}.gitVersion=v1.37.2 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=37`,
    renamed: { server: 'etcd' },
  });
  return {
    etcd: join(directory, 'etcd'),
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubectl: join(directory, 'kubectl'),
  };
}

if (import.meta.main) {
  try {
    process.stdout.write(`${Object.values(await binaries()).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
