/** `snapshot` on real control planes: with every fault there is, under a knife, and with the published roles. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimReport } from '../../src/reconcile/report.ts';
import { eventually } from '../control-plane/eventually.ts';
import { FAULTS } from '../control-plane/faults.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import {
  createBoundPair,
  createClass,
  createNamespace,
  createPendingClaim,
  paths,
} from '../control-plane/syncer.ts';
import { bindRole, createRoles } from '../control-plane/roles.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';
import { assertRedacted } from '../support/redaction.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const REPORT = ['--all', '--orphans', '-o', 'json'];
/** Both names are long enough that the syncer hashes the super namespace of "shop-of-the-whole-company". */
const LONG_TENANT = 'payments-team/production-eu-west-1';
const LONG_NAMESPACE = 'shop-of-the-whole-company';
const KILLS = 20;

let fleet: Fleet;
let scratch = '';
let number = 0;

function newDirectory(): string {
  number += 1;
  return join(scratch, `recording-${number}`);
}

function cli(args: readonly string[], kubeconfig = fleet.kubeconfig): Promise<Finished> {
  return runCli(args, { KUBECONFIG: kubeconfig });
}

async function live(args: readonly string[] = []): Promise<string> {
  return (await cli(['check', '--grace=0', ...REPORT, ...args])).stdout;
}

async function recorded(directory: string): Promise<string> {
  return (await runCli(['check', '--from', directory, ...REPORT])).stdout;
}

/** What is left of recordings that were not completed. */
async function unfinished(): Promise<string[]> {
  return (await readdir(scratch)).filter((name) => name.startsWith('.'));
}

describe('snapshot on real control planes', () => {
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-snapshot-cluster-'));
    fleet = await startFleet({ tenants: ['default/vc-sample-1', LONG_TENANT] });
    await Promise.all(
      [fleet.super, ...fleet.tenants.map(({ plane }) => plane)].map((plane) => createClass(plane)),
    );
    const [first, second] = fleet.tenants;
    assert.ok(first !== undefined && second !== undefined);
    await createNamespace(fleet, first, 'shop');
    for (const { name, make } of FAULTS) {
      await createBoundPair(fleet, first, 'shop', name);
      await make(fleet, first, 'shop', name);
    }
    await createBoundPair(fleet, first, 'shop', 'healthy');
    await createPendingClaim(fleet, first, 'shop', 'too-large');
    await createNamespace(fleet, second, LONG_NAMESPACE);
    await createBoundPair(fleet, second, LONG_NAMESPACE, 'healthy');
    assert.match(paths(second, LONG_NAMESPACE, 'healthy').superNamespace, /^.{57}-[0-9a-f]{5}$/);
  });
  after(async () => {
    await fleet?.stop();
    await rm(scratch, { recursive: true });
  });

  test('check says of the recording, byte for byte, what it says of the clusters, whatever is broken in them', async () => {
    const directory = newDirectory();
    const { code, stderr } = await cli(['snapshot', directory]);
    assert.equal(code, 0, stderr);
    const report = await live();
    assert.equal(await recorded(directory), report);
    const items = (JSON.parse(report) as ClaimReport).items;
    for (const { name, verdict, cause } of FAULTS) {
      const item = items.find(({ tenant }) => tenant?.name === name);
      assert.deepEqual([item?.verdict, item?.cause?.code], [verdict, cause]);
    }
  });

  test('under other names it says the same, and no name is left', async () => {
    const [plain, redacted] = [newDirectory(), newDirectory()];
    await cli(['snapshot', plain]);
    const { code, stderr } = await cli(['snapshot', redacted, '--redact']);
    assert.equal(code, 0, stderr);
    await assertRedacted(plain, redacted);
  });

  test('one VirtualCluster, one tenant namespace: as check of the same', async () => {
    for (const args of [['vc-sample-1'], ['-n', 'default'], ['--tenant-namespace=shop']]) {
      const directory = newDirectory();
      const { code, stderr } = await cli(['snapshot', directory, ...args]);
      assert.equal(code, 0, stderr);
      assert.equal(await recorded(directory), await live(args), args.join(' '));
    }
  });

  test("no tenant's credentials are in it, not even those in a VirtualCluster's annotation", async () => {
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    const path = '/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/vc-sample-1';
    const annotation = 'tenancy.x-k8s.io/admin-kubeconfig';
    const secret = Buffer.from(first.plane.adminKubeconfig).toString('base64');
    await fleet.super.api.patch(path, { metadata: { annotations: { [annotation]: secret } } });
    const directory = newDirectory();
    const { code, stderr } = await cli(['snapshot', directory]);
    assert.equal(code, 0, stderr);
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'utf8');
      assert.doesNotMatch(text, /kubeconfig|PRIVATE KEY|client-key|managedFields/);
      assert.ok(!text.includes(secret.slice(0, 40)));
    }
    await fleet.super.api.patch(path, { metadata: { annotations: { [annotation]: null } } });
  });

  test('the published roles are enough', async () => {
    const kubeconfig = await writeKubeconfig(
      fleet.storage,
      'recorder',
      await fleet.super.kubeconfigFor('recorder'),
    );
    await createRoles(fleet.super, 'rbac-super.yaml');
    for (const name of ['vc-pvc-reader', 'vc-pvc-tenant-kubeconfigs']) {
      await bindRole(fleet.super, name, 'recorder');
    }
    const directory = newDirectory();
    const { code, stderr } = await eventually('the roles to be in force', async () => {
      const finished = await cli(['snapshot', directory], kubeconfig);
      return finished.code === 0 && finished;
    });
    assert.equal(code, 0, stderr);
    assert.equal(await recorded(directory), await live());
  });

  test(`killed ${KILLS} times, it is whole or not there`, async () => {
    const report = await live();
    const outcomes = { whole: 0, absent: 0 };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const directory = newDirectory();
      const child = spawn(process.execPath, [MAIN, 'snapshot', directory], {
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], KUBECONFIG: fleet.kubeconfig },
      });
      const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
      // Reading takes most of the time: every other one dies while it writes.
      if (kill % 2 === 1) {
        const begun = async (): Promise<boolean> =>
          (await readdir(scratch, { recursive: true })).some(
            (name) => name.endsWith('.yaml') && name.startsWith('.'),
          );
        await Promise.race([eventually('a file to be written', begun), ended]);
      }
      await Promise.race([delay(Math.random() * (kill % 2 === 1 ? 30 : 800)), ended]);
      child.kill('SIGKILL');
      await ended;
      if ((await readdir(scratch)).includes(directory.slice(scratch.length + 1))) {
        assert.equal(await recorded(directory), report);
        outcomes.whole += 1;
      } else outcomes.absent += 1;
      for (const name of await unfinished()) await rm(join(scratch, name), { recursive: true });
    }
    assert.equal(outcomes.whole + outcomes.absent, KILLS);
    assert.ok(outcomes.absent > 0, JSON.stringify(outcomes));
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} while it reads leaves nothing, with exit code 130`, async () => {
      const directory = newDirectory();
      const child = spawn(process.execPath, [MAIN, 'snapshot', directory], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env['PATH'], KUBECONFIG: fleet.kubeconfig },
      });
      const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
      const begun = async (): Promise<boolean> => (await unfinished()).length > 0;
      await eventually('the recording to be begun', begun);
      child.kill(signal);
      assert.equal(await ended, 130);
      assert.deepEqual(await unfinished(), []);
      assert.ok(!(await readdir(scratch)).includes(directory.slice(scratch.length + 1)));
    });
  }

  test('a stopped tenant costs only itself: the rest is recorded, with exit code 2', async () => {
    const [, second] = fleet.tenants;
    await second?.plane.stopApiserver();
    const directory = newDirectory();
    const { code, stderr } = await cli(['snapshot', directory]);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^error: ${LONG_TENANT}: cannot reach the tenant's API server`, 'm'));
    const report = JSON.parse(await recorded(directory)) as ClaimReport;
    assert.deepEqual(
      report.errors.map(({ virtualCluster }) => virtualCluster?.name),
      ['production-eu-west-1'],
    );
    assert.equal(report.summary.claims, FAULTS.length + 2);
  });
});
