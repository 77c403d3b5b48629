/**
 * The second half of `make bench`: broken claims written by `sync --hold` (compared, judged, written, told by an Event,
 * watched for a second) and by as many `kubectl patch --subresource=status`, eight at a time, in turn, in one run.
 */
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { binaries } from '../control-plane/build.ts';
import { createManyPairs } from '../control-plane/bulk.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import { createNamespace } from '../control-plane/syncer.ts';
import { measure, median } from './measure.ts';
import type { Run } from './measure.ts';

const CLAIMS = Number(process.env['CLAIMS'] ?? 300);
const RUNS = Number(process.env['SYNC_RUNS'] ?? 5);
const LAUNCHER = fileURLToPath(new URL('../../plugin/kubectl-vc_pvc', import.meta.url));
const CONDITION = 'tenancy.x-k8s.io/SuperClaimBound';

const { kubectl } = await binaries();
const fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
try {
  const [tenant] = fleet.tenants;
  if (tenant === undefined) throw new Error('no tenant was started');
  await createNamespace(fleet, tenant, 'shop');
  await createManyPairs(fleet, tenant, 'shop', CLAIMS, 1, () => {});
  const tenantFile = await writeKubeconfig(fleet.storage, 'tenant', tenant.plane.adminKubeconfig);
  const environment = {
    KUBECONFIG: fleet.kubeconfig,
    HOME: fleet.storage.directory,
    NODE_COMPILE_CACHE: join(fleet.storage.directory, 'compile'),
  };
  const sync = (...args: readonly string[]): Promise<Run> =>
    measure(LAUNCHER, ['sync', '--grace=0', '-o', 'json', ...args], environment);
  const patch = JSON.stringify({
    status: { phase: 'Lost', conditions: [{ type: CONDITION, status: 'False', reason: 'Undetermined' }] },
  });
  const patchAll = (): Promise<Run> =>
    measure(
      'sh',
      [
        '-c',
        `seq 0 ${CLAIMS - 1} | xargs -P 8 -I N "$0" --kubeconfig "$1" -n shop patch pvc data-N --subresource=status --type=strategic -p "$2"`,
        kubectl,
        tenantFile,
        patch,
      ],
      environment,
    );
  const ours: Run[] = [];
  const theirs: Run[] = [];
  await sync('--hold');
  await sync('--release-all');
  for (let run = 0; run < RUNS; run += 1) {
    ours.push(await sync('--hold'));
    await sync('--release-all');
    theirs.push(await patchAll());
    await sync('--release-all');
  }
  print(ours, theirs);
} finally {
  await fleet.stop();
}

function print(ours: readonly Run[], theirs: readonly Run[]): void {
  const row = (name: string, runs: readonly Run[]): string => {
    const walls = runs.map(({ wall }) => wall);
    return `| ${name} | ${Math.min(...walls).toFixed(2)} | ${median(walls).toFixed(2)} | ${runs[0]?.code} |`;
  };
  const ratio = median(ours.map(({ wall }, index) => wall / (theirs[index]?.wall ?? wall)));
  process.stdout.write(
    [
      `${CLAIMS} broken claims, ${RUNS} runs in turn`,
      '| command | min s | median s | exit code |',
      '|---|---|---|---|',
      row('`kubectl vc-pvc sync --hold`', ours),
      row('`kubectl patch --subresource=status`, one process a claim, 8 at a time', theirs),
      `| ratio, pair by pair, median | | ${ratio.toFixed(3)} | |`,
      '',
    ].join('\n'),
  );
}
