import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { binaryName, thisPlatform } from '../../plugin/build/platforms.ts';
import { buildRelease } from '../../plugin/build/release.ts';
import type { ClaimReport } from '../../src/reconcile/report.ts';
import type { SyncReport } from '../../src/reconcile/sync-report.ts';
import { createManyPairs } from '../control-plane/bulk.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import { createNamespace, paths, phaseOf } from '../control-plane/syncer.ts';
import { runCli, runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const CLAIMS = 20;
let directory: string;
let fleet: Fleet;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'live-'));
  await buildRelease([thisPlatform()], directory, () => {});
  fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
  const [tenant] = fleet.tenants;
  assert.ok(tenant !== undefined);
  await createNamespace(fleet, tenant, 'shop');
  await createManyPairs(fleet, tenant, 'shop', CLAIMS, 1, () => {});
});
after(async () => {
  await fleet?.stop();
  await rm(directory, { recursive: true, force: true });
});

const binary = (...args: readonly string[]): Promise<Finished> => binaryIn({}, ...args);
const binaryIn = (environment: Record<string, string>, ...args: readonly string[]): Promise<Finished> =>
  runProcess(
    join(directory, binaryName(thisPlatform())),
    args,
    { KUBECONFIG: fleet.kubeconfig, PATH: '', HOME: '/dev/null/home', ...environment },
    '/',
  );

test('on real clusters the binary finds what the sources find, and explains it alike', async () => {
  const environment = { KUBECONFIG: fleet.kubeconfig };
  for (const args of [
    ['check', '--grace=0', '-o', 'json'],
    ['explain', 'shop/data-0', '-o', 'json'],
  ]) {
    const fromSources = await runCli(args, environment);
    assert.ok(fromSources.code === 0 || fromSources.code === 1, fromSources.stderr);
    assert.deepEqual(await binary(...args), fromSources);
  }
});

test('sync of the binary holds the phases, and a snapshot by it is compared without any cluster', async () => {
  const synced = await binary('sync', '--grace=0', '--hold', '-o', 'json');
  assert.equal(synced.code, 0, synced.stderr);
  assert.equal((JSON.parse(synced.stdout) as SyncReport).summary.held, CLAIMS);
  const [tenant] = fleet.tenants;
  assert.ok(tenant !== undefined);
  await phaseOf(tenant.plane, paths(tenant, 'shop', 'data-0').tenant, 'Lost');
  const recording = join(directory, 'recording');
  const snapshot = await binary('snapshot', recording);
  assert.equal(snapshot.code, 0, snapshot.stderr);
  const live = await binary('check', '--all', '-o', 'json');
  const recorded = await binary('check', '--from', recording, '--all', '-o', 'json');
  const items = ({ stdout }: Finished): readonly unknown[] => (JSON.parse(stdout) as ClaimReport).items;
  assert.equal(items(recorded).length, CLAIMS);
  assert.deepEqual(items(recorded), items(live));
});

test('NODE_TLS_REJECT_UNAUTHORIZED does not switch verification of a server off', async () => {
  const { code, stderr } = await binaryIn(
    { KUBECONFIG: '', HOME: directory, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    'check',
    `--server=https://127.0.0.1:${fleet.super.port}`,
    '--request-timeout=10s',
  );
  assert.equal(code, 2);
  assert.match(stderr, /^error: .*: its certificate is signed by an authority that neither .* knows$/m);
});
