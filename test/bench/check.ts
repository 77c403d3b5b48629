/**
 * `make bench`: 10,000 pairs on real API servers; `check` beside `kubectl get pvc -A -o json` of both clusters and, where
 * there is a jq, beside a script that joins the two, in turn, in one run. Prints a table; nothing fails by time.
 */
import { spawnSync } from 'node:child_process';
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
const SCRIPT = fileURLToPath(new URL('./kubectl-jq.sh', import.meta.url));
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
      cpu: runs.reduce((sum, run) => sum + run.cpu, 0),
      code: runs[0]?.code ?? null,
    };
  };
  const scriptArgs = [SCRIPT, kubectl, fleet.kubeconfig, tenantFile, fleet.storage.directory];
  const script = (): Promise<Run> => measure('sh', scriptArgs, environment);
  const withJq = spawnSync('jq', ['--version']).status === 0;
  await check();
  await get();
  if (withJq) sameAnswer(scriptArgs, environment);
  const runs: Record<'ours' | 'theirs' | 'scripted', Run[]> = { ours: [], theirs: [], scripted: [] };
  for (let run = 0; run < RUNS; run += 1) {
    runs.ours.push(await check());
    runs.theirs.push(await get());
    if (withJq) runs.scripted.push(await script());
  }
  print(runs);
  process.stdout.write(`\n${(await benchReading(fleet.super, RUNS)).join('\n')}\n`);
} finally {
  await fleet.stop();
}

/** A comparison of two programs that find different things would mean nothing. */
function sameAnswer(scriptArgs: readonly string[], environment: Record<string, string>): void {
  const options = { env: { ...process.env, ...environment }, encoding: 'utf8' } as const;
  const scripted = spawnSync('sh', scriptArgs, options).stdout.trim().split('\n');
  const ours = spawnSync(LAUNCHER, ['check', '--grace=0', '-o', 'name'], options).stdout.trim().split('\n');
  const found = ours.map((line) => line.split('/').slice(-2).join('/')).toSorted();
  const joined = scripted.map((line) => line.split(' ')[0] ?? '').toSorted();
  if (JSON.stringify(found) !== JSON.stringify(joined)) {
    throw new Error(
      `check found ${found.length} claims, kubectl and jq ${joined.length}: ${joined.slice(0, 3).join()}`,
    );
  }
}

function print({ ours, theirs, scripted }: Record<'ours' | 'theirs' | 'scripted', readonly Run[]>): void {
  const row = (name: string, runs: readonly Run[], memory = megabytes(runs)): string => {
    const walls = runs.map(({ wall }) => wall);
    return `| ${name} | ${Math.min(...walls).toFixed(2)} | ${median(walls).toFixed(2)} | ${memory} | ${runs[0]?.code} |`;
  };
  const ratio = (others: readonly Run[], of: (run: Run) => number): string =>
    median(ours.map((run, index) => of(run) / of(others[index] ?? run))).toFixed(3);
  const wall = (run: Run): number => run.wall;
  process.stdout.write(
    [
      `${PAIRS} pairs, ${RUNS} runs in turn`,
      '| command | min s | median s | peak MB | exit code |',
      '|---|---|---|---|---|',
      row('`kubectl vc-pvc check`', ours),
      row('`kubectl get pvc -A -o json`, both clusters', theirs),
      `| ratio, pair by pair, median | | ${ratio(theirs, wall)} | ${ratio(theirs, ({ memory }) => memory)} | |`,
      ...(scripted.length === 0
        ? []
        : [
            row('the same, joined by jq (`test/bench/kubectl-jq.sh`)', scripted, ''),
            `| ratio, pair by pair, median | | ${ratio(scripted, wall)} | | |`,
          ]),
      '',
    ].join('\n'),
  );
}

function megabytes(runs: readonly Run[]): string {
  return (median(runs.map((run) => run.memory)) / 1024 / 1024).toFixed(0);
}
