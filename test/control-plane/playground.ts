/** `make playground`: a super cluster and two tenants with healthy and broken claims, until Ctrl-C. */
import { dirname } from 'node:path';
import { binaries } from './build.ts';
import { FAULTS } from './faults.ts';
import { startFleet } from './fleet.ts';
import { createBoundPair, createClass, createNamespace, createPendingClaim } from './syncer.ts';

process.stdout.write('starting three control planes…\n');
const { kubectl } = await binaries();
const fleet = await startFleet({ tenants: ['default/vc-sample-1', 'team-b/staging'] });
const stopped = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.resolve());
try {
  await Promise.race([populate(), stopped.promise]);
  process.stdout.write(
    [
      '',
      'ready; in another terminal, from this directory:',
      '',
      `  export KUBECONFIG=${fleet.kubeconfig}`,
      // The kubectl that was built, behind any other: there may be none.
      `  export PATH=$PWD/plugin:$PATH:${dirname(kubectl)}`,
      '  kubectl vc-pvc check --grace=0',
      '  kubectl vc-pvc check --grace=0 -o wide --all',
      '  kubectl vc-pvc explain --grace=0 shop/volume-name-cleared',
      '  kubectl vc-pvc sync --grace=0 --hold',
      '  kubectl vc-pvc watch --grace=0 --ui',
      '  kubectl vc-pvc watch --grace=0 --sync --hold --output-watch-events',
      '',
      'Ctrl-C stops and removes everything.',
      '',
    ].join('\n'),
  );
  await stopped.promise;
} finally {
  process.stdout.write('stopping…\n');
  await fleet.stop();
}

async function populate(): Promise<void> {
  await Promise.all(
    [fleet.super, ...fleet.tenants.map(({ plane }) => plane)].map((plane) => createClass(plane)),
  );
  for (const tenant of fleet.tenants) {
    await createNamespace(fleet, tenant, 'shop');
    await createBoundPair(fleet, tenant, 'shop', 'healthy');
  }
  const [tenant, other] = fleet.tenants;
  if (tenant === undefined || other === undefined) return;
  await createPendingClaim(fleet, other, 'shop', 'too-large');
  for (const { name, make } of FAULTS) {
    process.stdout.write(`making ${name}\n`);
    await createBoundPair(fleet, tenant, 'shop', name);
    await make(fleet, tenant, 'shop', name);
  }
}
