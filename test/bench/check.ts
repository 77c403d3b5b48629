/**
 * `make bench`: 10,000 pairs on real API servers; `check` beside `kubectl get pvc -A -o json` of both clusters, in
 * turn, in one run. Prints a table; nothing fails by time.
 */
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { binaries } from '../control-plane/build.ts';
import { createManyPairs } from '../control-plane/bulk.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import { createNamespace } from '../control-plane/syncer.ts';
import { measure, median } from './measure.ts';
import { benchReading } from './reading.ts';
import type { Run } from './measure.ts';

const PAIRS = Number(process.env['PAIRS'] ?? 10_000);
const RUNS = Number(process.env['RUNS'] ?? 7);
const LAUNCHER = fileURLToPath(new URL('../../plugin/kubectl-vc_pvc', import.meta.url));

const { kubectl } = await binaries();
const fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
try {
  const [tenant] = fleet.tenants;
  if (tenant === undefined) throw new Error('no tenant was started');
  await createNamespace(fleet, tenant, 'shop');
  await createManyPairs(fleet, tenant, 'shop', PAIRS, 1000, (done) =>
    process.stderr.write(`${done} of ${PAIRS} pairs\n`),
  );
  const tenantFile = await writeKubeconfig(fleet.storage, 'tenant', tenant.plane.adminKubeconfig);
  const environment = {
    KUBECONFIG: fleet.kubeconfig,
    HOME: fleet.storage.directory,
    NODE_COMPILE_CACHE: join(fleet.storage.directory, 'compile'),
  };
  const check = (): Promise<Run> => measure(LAUNCHER, ['check', '--grace=0', '-o', 'json'], environment);
  const get = async (): Promise<Run> => {
    const runs: Run[] = [];
    for (const file of [fleet.kubeconfig, tenantFile]) {
      runs.push(
        await measure(kubectl, ['get', 'pvc', '-A', '-o', 'json', '--kubeconfig', file], environment),
      );
    }
    return {
      wall: runs.reduce((sum, run) => sum + run.wall, 0),
      memory: Math.max(...runs.map((run) => run.memory)),
      code: runs[0]?.code ?? null,
    };
  };
  await check();
  await get();
  const ours: Run[] = [];
  const theirs: Run[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    ours.push(await check());
    theirs.push(await get());
  }
  print(ours, theirs);
  process.stdout.write(`\n${(await benchReading(fleet.super, RUNS)).join('\n')}\n`);
} finally {
  await fleet.stop();
}

function print(ours: readonly Run[], theirs: readonly Run[]): void {
  const row = (name: string, runs: readonly Run[]): string => {
    const walls = runs.map(({ wall }) => wall);
    const memory = median(runs.map((run) => run.memory)) / 1024 / 1024;
    return `| ${name} | ${Math.min(...walls).toFixed(2)} | ${median(walls).toFixed(2)} | ${memory.toFixed(0)} | ${runs[0]?.code} |`;
  };
  const ratio = (of: (run: Run) => number): string =>
    median(ours.map((run, index) => of(run) / of(theirs[index] ?? run))).toFixed(3);
  process.stdout.write(
    [
      `${PAIRS} pairs, ${RUNS} runs in turn`,
      '| command | min s | median s | peak MB | exit code |',
      '|---|---|---|---|---|',
      row('`kubectl vc-pvc check`', ours),
      row('`kubectl get pvc -A -o json`, both clusters', theirs),
      `| ratio, pair by pair, median | | ${ratio(({ wall }) => wall)} | ${ratio(({ memory }) => memory)} | |`,
      '',
    ].join('\n'),
  );
}
