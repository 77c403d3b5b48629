/** A tenant namespace that no tenant has is told: otherwise a typo would look like a fleet without mismatches. */
import assert from 'node:assert/strict';
import { access, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { fleetOf, startFakeFleet } from '../../support/fake-fleet.ts';
import type { FakeFleet } from '../../support/fake-fleet.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));
const FROM = ['--from', BROKEN];
const TENANTS = ['default/vc-sample-1', 'team-b/staging'];
const MISTYPED = '--tenant-namespace=shpo';
const TOLD =
  'error: --tenant-namespace shpo: no VirtualCluster that was looked at has such a namespace, did you mean "shop"?';

let scratch = '';
let fake: FakeFleet;
let live: readonly string[];
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-tenant-namespaces-'));
  fake = await startFakeFleet(scratch);
  live = await fake.serve(await fleetOf(BROKEN, TENANTS));
});
after(async () => {
  await fake.close();
  await rm(scratch, { recursive: true });
});

const linesOf = (stderr: string): string[] => stderr.split('\n');

test('a mistyped tenant namespace is an error, with the one that was meant', async () => {
  for (const fleet of [FROM, live]) {
    for (const command of [['check'], ['check', '--orphans'], ['sync', '--dry-run=client']]) {
      const { code, stderr } = await runInProcess([...command, MISTYPED, ...fleet]);
      assert.equal(code, 2, stderr);
      assert.deepEqual(
        linesOf(stderr).filter((line) => line.startsWith('error: ')),
        [TOLD],
      );
    }
  }
});

test('beside it, what is right is still reported', async () => {
  const args = ['check', MISTYPED, '--tenant-namespace=shop', '-o', 'json', ...FROM];
  const { code, stdout } = await runInProcess(args);
  assert.equal(code, 2);
  const { items, errors } = JSON.parse(stdout) as { items: unknown[]; errors: unknown[] };
  assert.equal(items.length, 4);
  assert.deepEqual(errors, [{ virtualCluster: null, message: TOLD.slice('error: '.length) }]);
});

test('a namespace without claims is one, and so is one that only some tenants have', async () => {
  for (const fleet of [FROM, live]) {
    const empty = await runInProcess(['check', '--tenant-namespace=kube-public', ...fleet]);
    assert.equal(empty.code, 0, empty.stderr);
    assert.match(empty.stderr, /No resources found: 0 claims of 2 VirtualClusters/);
    const some = await runInProcess(['check', '--tenant-namespace=shop', '--grace=0', ...fleet]);
    assert.equal(some.code, 1, some.stderr);
  }
});

test('namespaces are not asked for where claims were found', async () => {
  const start = fake.requests.length;
  await runInProcess(['check', '--tenant-namespace=shop', '--grace=0', ...live]);
  const asked = fake.requests.slice(start).filter((request) => /tenants\/.*\/namespaces(\?|$)/.test(request));
  assert.deepEqual(asked, []);
});

test('where one tenant does not tell its namespaces, nothing is said of them', async () => {
  const path = 'team-b/staging/api/v1/namespaces';
  fake.meanwhile.set(path, null);
  try {
    const { code, stderr } = await runInProcess(['check', MISTYPED, ...live]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /No resources found: 0 claims of 2 VirtualClusters/);
    // Where it was not to be looked at, it need not be asked.
    assert.equal((await runInProcess(['check', 'vc-sample-1', MISTYPED, ...live])).code, 2);
  } finally {
    fake.meanwhile.delete(path);
  }
});

test('a tenant that cannot be read is the error that is told, once', async () => {
  const { code, stderr } = await runInProcess(['check', MISTYPED, '--from', await withoutTenant()]);
  assert.equal(code, 2);
  assert.equal(linesOf(stderr).filter((line) => line.startsWith('error: ')).length, 1, stderr);
  assert.match(stderr, /error: team-b\/staging: /);
});

async function withoutTenant(): Promise<string> {
  const directory = join(scratch, 'without-tenant');
  await cp(BROKEN, directory, { recursive: true });
  await rm(join(directory, 'tenants/team-b/staging.yaml'));
  return directory;
}

test("a recording that is without a tenant's namespaces says nothing of them", async () => {
  const directory = join(scratch, 'without-namespaces');
  await cp(BROKEN, directory, { recursive: true });
  const file = join(directory, 'tenants/team-b/staging.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll('kind: Namespace\n', 'kind: ConfigMap\n'));
  const { code, stderr } = await runInProcess(['check', MISTYPED, '--from', directory]);
  assert.equal(code, 0, stderr);
});

test('an orphan keeps the name of a namespace that its tenant has no more', async () => {
  const directory = join(scratch, 'orphans');
  await cp(BROKEN, directory, { recursive: true });
  for (const tenant of TENANTS) {
    const file = join(directory, `tenants/${tenant}.yaml`);
    const kept = (await readFile(file, 'utf8')).replaceAll(
      'kind: PersistentVolumeClaim\n',
      'kind: ConfigMap\n',
    );
    await writeFile(file, kept.replaceAll(/^    name: shop$/gm, '    name: moved'));
  }
  const args = ['check', '--tenant-namespace=shop', '--from', directory];
  const orphans = await runInProcess([...args, '--orphans', '-o', 'name']);
  assert.equal(orphans.code, 0, orphans.stderr);
  assert.match(orphans.stdout, /shop\/cart-0/);
  assert.equal((await runInProcess(args)).code, 2);
});

test('a snapshot of a mistyped tenant namespace is written, and told', async () => {
  const directory = join(scratch, 'recorded');
  const { code, stderr } = await runInProcess(['snapshot', directory, MISTYPED, ...live]);
  assert.equal(code, 2, stderr);
  assert.ok(linesOf(stderr).includes(TOLD), stderr);
  await access(join(directory, 'super.yaml'));
});
