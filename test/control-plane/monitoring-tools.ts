/** promtool, and the definitions of the Prometheus operator's kinds: built once from their Go modules. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { goBuild, run } from './go-build.ts';

export interface MonitoringTools {
  readonly promtool: string;
  /** A folder with one CustomResourceDefinition a file, `monitoring.coreos.com_<plural>.yaml`. */
  readonly definitions: string;
}

const MODULE = new URL('./monitoring-tools/', import.meta.url);
const KINDS = 'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1';

/** @throws Error with one clear line where Go is missing */
export async function monitoringTools(): Promise<MonitoringTools> {
  const directory = await goBuild({
    name: 'monitoring',
    module: MODULE,
    // promtool would bring the libraries of every cloud for service discovery.
    tags: 'remove_all_sd',
    ldflags: '-s -w',
    packages: [
      'github.com/prometheus/prometheus/cmd/promtool',
      'sigs.k8s.io/controller-tools/cmd/controller-gen',
    ],
    finish: async (unfinished) => {
      const generator = join(unfinished, 'controller-gen');
      const folder = join(unfinished, 'definitions');
      await run(generator, ['crd', `paths=${KINDS}`, `output:crd:dir=${folder}`], MODULE);
      await rm(generator);
    },
  });
  return { promtool: join(directory, 'promtool'), definitions: join(directory, 'definitions') };
}
