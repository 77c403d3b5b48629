/** `snapshot` against servers that refuse, hang or change, which only a fake one does on demand. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, beforeEach, test } from 'node:test';
import { load } from 'js-yaml';
import type { ClaimReport } from '../../../src/reconcile/report.ts';
import type { Json } from '../../control-plane/api.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { fleetOf, startFakeFleet } from '../../support/fake-fleet.ts';
import type { FakeFleet, FleetObjects } from '../../support/fake-fleet.ts';
import { runProcess } from '../../support/run-cli.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));
const CLAIMED_BY_OTHER = fileURLToPath(new URL('../../data/cases/volume-claimed-by-other', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const TENANTS = ['default/vc-sample-1', 'team-b/staging'];

let scratch = '';
let fake: FakeFleet;
let fleet: FleetObjects;
let flags: readonly string[];
let number = 0;
/** A folder for the recordings of one test. */
let parent = '';
let directory = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-snapshot-command-'));
  fake = await startFakeFleet(scratch);
  fleet = await fleetOf(BROKEN, TENANTS);
});
beforeEach(async () => {
  fake.refusals.clear();
  fake.meanwhile.clear();
  flags = await fake.serve(fleet);
  number += 1;
  parent = await mkdtemp(join(scratch, `test-${number}-`));
  directory = join(parent, 'recording');
});
after(async () => {
  await fake.close();
  await rm(scratch, { recursive: true });
});

async function reportOf(args: readonly string[]): Promise<ClaimReport> {
  const { stdout, stderr } = await runInProcess(['check', '--all', '--orphans', '-o', 'json', ...args]);
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ClaimReport;
}

async function objects(file: string): Promise<readonly Json[]> {
  return (load(await readFile(join(directory, file), 'utf8')) as { items: Json[] }).items;
}

async function refused(args: readonly string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runInProcess(args);
  assert.equal(code, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
  assert.deepEqual(await readdir(parent), []);
}

test('says on stderr what was recorded and how to look at it, and nothing on stdout', async () => {
  assert.deepEqual(await runInProcess(['snapshot', directory, ...flags]), {
    code: 0,
    stdout: '',
    stderr: `skipped team-b/new: phase Pending, only Running VirtualClusters are synced\n${directory}: 9 claims of 2 VirtualClusters recorded; compare with: kubectl vc-pvc check --from ${directory}\n`,
  });
});

test('a VirtualCluster that is not Running is recorded without a tenant, and skipped again', async () => {
  await runInProcess(['snapshot', directory, ...flags]);
  assert.deepEqual(
    (await reportOf(['--from', directory])).skipped,
    (await reportOf(['--from', BROKEN])).skipped,
  );
  assert.deepEqual(await readdir(join(directory, 'tenants/team-b')), ['staging.yaml']);
});

test('a tenant that cannot be read is told, and the recording is complete without it', async () => {
  fake.refusals.set('/tenants/team-b/staging/api/v1/persistentvolumes', 403);
  const { code, stderr } = await runInProcess(['snapshot', directory, ...flags]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: team-b\/staging: cannot get .*persistentvolumes.*: refused/m);
  assert.match(stderr, /claims of 1 VirtualCluster recorded, without 1 tenant that could not be read;/);
  assert.deepEqual(await readdir(join(directory, 'tenants')), ['default']);
  const report = await reportOf(['--from', directory]);
  assert.deepEqual(
    report.errors.map(({ virtualCluster }) => virtualCluster?.name),
    ['staging'],
  );
  assert.equal(report.summary.virtualClusters, 1);
});

for (const path of [
  'apis/tenancy.x-k8s.io/v1alpha1/virtualclusters',
  'api/v1/namespaces',
  'api/v1/persistentvolumeclaims',
  'api/v1/persistentvolumes',
  'apis/storage.k8s.io/v1/storageclasses',
]) {
  test(`without the super cluster's ${path} there is no recording, and nothing is left`, async () => {
    fake.refusals.set(`/super/${path}`, 403);
    await refused(['snapshot', directory, ...flags], new RegExp(`^error: cannot .*${path}.*refused`));
  });
}

test('a claim that changed while the lists were read is recorded as it is then', async () => {
  const name = 'cart-0';
  const superClaim: Json = fleet.super.find(
    (one) => one.kind === 'PersistentVolumeClaim' && one.metadata.name === name,
  );
  const changed = structuredClone(superClaim);
  changed.metadata.resourceVersion = '999999';
  changed.status.phase = 'Bound';
  changed.spec.volumeName = 'elsewhere';
  fake.meanwhile.set(`${superClaim.metadata.namespace}/persistentvolumeclaims/${name}`, changed);
  const live = await reportOf(['--grace=0', ...flags]);
  await runInProcess(['snapshot', directory, ...flags]);
  const recorded = await reportOf(['--from', directory]);
  assert.deepEqual(recorded, live);
  const item = recorded.items.find((one) => one.super?.name === name);
  assert.deepEqual([item?.verdict, item?.super?.volumeName], ['VolumeMismatch', 'elsewhere']);
});

test('a super claim that went away while the lists were read is not recorded', async () => {
  fake.meanwhile.set('-shop/persistentvolumeclaims/cart-0', null);
  await runInProcess(['snapshot', directory, ...flags]);
  const claims = (await objects('super.yaml')).filter(({ kind }) => kind === 'PersistentVolumeClaim');
  assert.ok(claims.some(({ metadata }) => metadata.name === 'cart-1'));
  assert.ok(claims.every(({ metadata }) => metadata.name !== 'cart-0'));
});

test('of a chosen VirtualCluster nothing of another one is recorded', async () => {
  await runInProcess(['snapshot', directory, 'team-b/staging', ...flags]);
  assert.deepEqual(
    await reportOf(['--from', directory]),
    await reportOf(['--grace=0', 'team-b/staging', ...flags]),
  );
  const text = await readFile(join(directory, 'super.yaml'), 'utf8');
  assert.match(text, /team-b-aa5a72-staging-default/);
  assert.doesNotMatch(text, /vc-sample-1|cart|name: new/);
  assert.deepEqual(await readdir(join(directory, 'tenants')), ['team-b']);
});

test('-n records the VirtualClusters of a namespace, and -A takes it back', async () => {
  const own = flags.filter((flag) => !flag.includes('team-b/staging'));
  await runInProcess(['snapshot', directory, '-n', 'default', ...own]);
  assert.deepEqual(
    await reportOf(['--from', directory]),
    await reportOf(['--grace=0', '-n', 'default', ...own]),
  );
  await runInProcess(['snapshot', `${directory}-all`, '-n', 'default', '-A', ...flags]);
  assert.deepEqual(await reportOf(['--from', `${directory}-all`]), await reportOf(['--from', BROKEN]));
});

test('--tenant-namespace records the claims of that namespace, with their super claims and volumes', async () => {
  const narrowed = ['--tenant-namespace=shop', ...flags];
  await runInProcess(['snapshot', directory, ...narrowed]);
  const live = await reportOf(['--grace=0', ...narrowed]);
  assert.ok(live.items.length > 0);
  assert.deepEqual(await reportOf(['--from', directory]), live);
  const namespaces = (await objects('tenants/default/vc-sample-1.yaml'))
    .filter(({ kind }) => kind === 'PersistentVolumeClaim')
    .map(({ metadata }) => metadata.namespace);
  assert.deepEqual([...new Set(namespaces)], ['shop']);
  for (const { kind, metadata } of await objects('super.yaml')) {
    if (kind === 'PersistentVolumeClaim') assert.match(metadata.namespace, /-shop$/);
  }
});

/** A fleet in which a claim of nobody's recording has the volume that a tenant's asks for. */
async function claimedElsewhere(holders: readonly Json[]): Promise<FleetObjects> {
  const objectsOfCase = await fleetOf(CLAIMED_BY_OTHER, ['default/vc-sample-1']);
  const superObjects: Json[] = structuredClone([...objectsOfCase.super]);
  const volume = superObjects.find(({ kind }) => kind === 'PersistentVolume');
  volume.spec.claimRef = { ...volume.spec.claimRef, namespace: 'elsewhere', name: 'other' };
  return { ...objectsOfCase, super: [...superObjects, ...holders] };
}

const HOLDER: Json = {
  kind: 'PersistentVolumeClaim',
  metadata: {
    namespace: 'elsewhere',
    name: 'other',
    uid: 'e8a0c2b4-4b0e-4f8b-a409-8004beb779a5',
    labels: { app: 'hunter2' },
    annotations: { 'volume.kubernetes.io/selected-node': 'hunter2' },
  },
  spec: { volumeName: 'pv-data', storageClassName: 'hunter2' },
  status: { phase: 'Bound' },
};

test("a claim of somebody else's that holds a recorded volume is recorded as being there, and not more", async () => {
  const own = await fake.serve(await claimedElsewhere([HOLDER]));
  const explain = ['explain', 'default/vc-sample-1/default/data'];
  const live = await runInProcess([...explain, '--grace=0', ...own]);
  await runInProcess(['snapshot', directory, 'default/vc-sample-1', ...own]);
  const { stdout } = await runInProcess([...explain, '--from', directory]);
  const holder = /elsewhere\/other\s+has\s+it/;
  assert.match(live.stdout, holder);
  assert.match(stdout, holder);
  assert.doesNotMatch(stdout, /elsewhere\/other\s+is\s+gone/);
  const { namespace, name, uid } = HOLDER.metadata;
  assert.deepEqual(
    (await objects('super.yaml')).find(({ metadata }) => metadata.namespace === namespace),
    {
      apiVersion: 'v1',
      kind: HOLDER.kind,
      metadata: { name, namespace, uid },
      spec: { volumeName: 'pv-data' },
      status: HOLDER.status,
    },
  );
  assert.deepEqual(await reportOf(['--from', directory]), await reportOf(['--grace=0', ...own]));
});

test('under another name such a claim still is the one that the volume names', async () => {
  const own = await fake.serve(await claimedElsewhere([HOLDER]));
  await runInProcess(['snapshot', directory, '--redact', ...own]);
  const all = await objects('super.yaml');
  const { claimRef } = all.find(({ kind }) => kind === 'PersistentVolume').spec;
  const claim = all.find(({ kind, metadata }) => kind === HOLDER.kind && metadata.name === claimRef.name);
  assert.equal(claim.metadata.namespace, claimRef.namespace);
  assert.doesNotMatch(JSON.stringify(all), /elsewhere|other\b|hunter2/);
});

test('of such a claim that is gone explain says so', async () => {
  const own = await fake.serve(await claimedElsewhere([]));
  await runInProcess(['snapshot', directory, ...own]);
  const { stdout } = await runInProcess(['explain', 'default/vc-sample-1/default/data', '--from', directory]);
  assert.match(stdout, /elsewhere\/other\s+is\s+gone/);
});

test('under other names a phase, mode or size that Kubernetes does not know gives the same verdicts and causes', async () => {
  const changed = structuredClone(fleet);
  const all: Json[] = [...changed.super, ...Object.values(changed.tenants).flat()];
  for (const [index, { kind, spec, status }] of all.entries()) {
    if (kind !== 'PersistentVolumeClaim' && kind !== 'PersistentVolume') continue;
    if (index % 2 === 0) status.phase = 'AcmePhase';
    spec.volumeMode = index % 3 === 0 ? 'AcmeMode' : 'Block';
    spec.accessModes = ['AcmeWritesMany'];
    if (index % 5 === 0) (spec.capacity ?? spec.resources.requests).storage = 'acme-size';
  }
  flags = await fake.serve(changed);
  await runInProcess(['snapshot', directory, '--redact', ...flags]);
  assert.doesNotMatch(await readFile(join(directory, 'super.yaml'), 'utf8'), /acme/i);
  const judged = ({ items, summary }: ClaimReport): unknown => ({
    summary,
    items: items.map(({ verdict, cause }) => `${verdict} ${cause?.code}`).toSorted(),
  });
  const live = await reportOf(['--grace=0', ...flags]);
  assert.ok(live.items.some(({ verdict }) => verdict !== 'Consistent'));
  assert.deepEqual(judged(await reportOf(['--from', directory])), judged(live));
});

test('two recordings under other names have no name in common', async () => {
  const texts = await Promise.all(
    ['a', 'b'].map(async (name) => {
      await runInProcess(['snapshot', join(parent, name), '--redact', ...flags]);
      return readFile(join(parent, name, 'super.yaml'), 'utf8');
    }),
  );
  const names = texts.map((text) => new Set(text.match(/\b(?:claim|volume|ns|vc)-[0-9a-v]{8,}\b/g)));
  assert.ok((names[0]?.size ?? 0) > 10);
  assert.deepEqual(names[0]?.intersection(names[1] ?? new Set()), new Set());
});

test('a fleet without a VirtualCluster is recorded as that', async () => {
  flags = await fake.serve({ super: [], tenants: {} });
  const { code, stderr } = await runInProcess(['snapshot', directory, ...flags]);
  assert.deepEqual(
    [code, stderr],
    [
      0,
      `No resources found: no VirtualCluster is visible here.\n${directory}: an empty recording, of no VirtualCluster\n`,
    ],
  );
  const again = await runInProcess(['check', '--from', directory]);
  assert.deepEqual(
    [again.code, again.stderr],
    [0, 'No resources found: no VirtualCluster is visible here.\n'],
  );
});

test('of a namespace that holds no VirtualCluster the recording is empty, and says so', async () => {
  const own = flags.filter((flag) => flag.startsWith('--kubeconfig'));
  const { code, stderr } = await runInProcess(['snapshot', directory, '-n', 'nons', ...own]);
  assert.deepEqual(
    [code, stderr.split('\n')[0]],
    [0, 'No resources found: no VirtualCluster is visible here.'],
  );
  assert.deepEqual(await readdir(directory), ['super.yaml']);
});

test('a place that is taken is refused before any cluster is asked', async () => {
  const asked = fake.requests.length;
  const { code, stderr } = await runInProcess(['snapshot', parent, ...flags]);
  assert.deepEqual([code, stderr], [2, `error: ${parent} exists already: name a directory that does not\n`]);
  assert.equal(fake.requests.length, asked);
});

test('what a recording cannot be made with is refused, with the reason', async () => {
  await refused(['snapshot', ...flags], /snapshot needs the directory to write: kubectl vc-pvc snapshot DIR/);
  await refused(
    ['snapshot', directory, '-l', 'a=b', ...flags],
    /-l cannot be used with snapshot: .*--tenant-namespace/,
  );
  await refused(['snapshot', directory, '--from', BROKEN], /--from cannot be used with snapshot/);
  await refused(['snapshot', directory, 'nosuch', ...flags], /VirtualCluster nosuch not found; visible are/);
  await refused(
    ['snapshot', directory, '--redcat', ...flags],
    /unknown flag --redcat, did you mean "--redact"\?/,
  );
  await refused(
    ['snapshot', directory, '--concurrency=no', ...flags],
    /--concurrency=no: give a whole number/,
  );
});

test('a tenant that does not answer costs no more than --tenant-timeout', async () => {
  fake.refusals.set('/tenants/team-b/staging', 0);
  const { code, stderr } = await runInProcess(['snapshot', directory, '--tenant-timeout=200ms', ...flags]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: team-b\/staging: not done within --tenant-timeout \(0\.2s\)/m);
  assert.deepEqual(await readdir(join(directory, 'tenants')), ['default']);
});

for (const where of ['/tenants/team-b/staging', '/super/api/v1/persistentvolumes']) {
  test(`Ctrl-C while ${where} does not answer leaves nothing`, async () => {
    fake.refusals.set(where, 0);
    const controller = new AbortController();
    const before = fake.requests.length;
    const running = runInProcess(['snapshot', directory, ...flags], controller.signal);
    await eventually(`a request to ${where}`, async () =>
      fake.requests.slice(before).some((request) => request.includes(where)),
    );
    controller.abort(new Error('interrupted'));
    assert.equal((await running).code, 130);
    assert.deepEqual(await readdir(parent), []);
  });
}

test('a disk that is full is told, and nothing is left', async () => {
  // A limit on the size of files fails as a full disk does: in the middle of a write.
  const limited = `ulimit -f 8; exec "$0" "$@"`;
  const { code, stderr } = await runProcess('sh', [
    '-c',
    limited,
    process.execPath,
    MAIN,
    'snapshot',
    directory,
    ...flags,
  ]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^error: cannot write snapshot .*recording: a file may not be that large\n$/);
  assert.deepEqual(await readdir(parent), []);
});
