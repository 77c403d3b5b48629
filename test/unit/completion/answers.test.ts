/** What is offered at the cursor: on recordings, and of a FAKE fleet that means harm. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { startFakeFleet } from '../../support/fake-fleet.ts';
import type { FakeFleet, FleetObjects } from '../../support/fake-fleet.ts';
import { runCli } from '../../support/run-cli.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));
let scratch = '';
let fake: FakeFleet;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-completion-'));
  fake = await startFakeFleet(scratch);
});
after(async () => {
  await fake.close();
  await rm(scratch, { recursive: true });
});

/** The lines printed for words of which the last is being typed, without descriptions. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runInProcess(['__complete', ...words]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(stdout.endsWith('\n'));
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

const FROM = ['--from', BROKEN];
const NO_FILES = ':4';
const GOES_ON = ':6';
const FILES = ':0';
const DIRECTORIES = ':16';
const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a command', ['s'], ['sync', 'snapshot', NO_FILES]],
  ['a command behind flags', ['-n', 'x', 'exp'], ['explain', NO_FILES]],
  ['a command behind help', ['help', 'ch'], ['check', NO_FILES]],
  ['a shell', ['completion', 'f'], ['fish', NO_FILES]],
  ['a flag', ['check', '--or'], ['--orphans', NO_FILES]],
  ['a flag of every command', ['check', '--request'], ['--request-timeout', NO_FILES]],
  ['no flag of another command', ['check', '--hol'], [NO_FILES]],
  ['no flag that was given already', ['check', '--all', '--al'], ['--all-namespaces', NO_FILES]],
  [
    'a flag that may be repeated',
    ['check', '--tenant-namespace=x', '--tenant-n'],
    ['--tenant-namespace', NO_FILES],
  ],
  ['no flag behind --', ['check', '--', '--al'], [NO_FILES]],
  ['an output format', ['check', '-o', 'js'], ['json', 'jsonpath=', GOES_ON]],
  ['an output format of explain', ['explain', '-o', 'm'], ['mermaid', NO_FILES]],
  ['a value behind =', ['check', '--output=ya'], ['yaml', NO_FILES]],
  ['a value behind -o=', ['check', '-o=ya'], ['yaml', NO_FILES]],
  ['a choice', ['sync', '--dry-run', ''], ['none', 'client', 'server', NO_FILES]],
  ['nothing for a time', ['check', '--grace', ''], [NO_FILES]],
  ['files', ['check', '--kubeconfig', ''], [FILES]],
  ['folders', ['check', '--from', ''], [DIRECTORIES]],
  ['a folder to write', ['snapshot', ''], [DIRECTORIES]],
  [
    'VirtualClusters',
    ['check', ...FROM, ''],
    ['default/vc-sample-1', 'team-b/new', 'team-b/staging', NO_FILES],
  ],
  ['a VirtualCluster by its name alone', ['sync', ...FROM, 'st'], ['staging', NO_FILES]],
  [
    'VirtualClusters of -n',
    ['check', ...FROM, '-n', 'team-b', ''],
    ['team-b/new', 'team-b/staging', NO_FILES],
  ],
  ['no VirtualCluster twice', ['check', ...FROM, 'team-b/new', 'team-b/'], ['team-b/staging', NO_FILES]],
  ['namespaces of VirtualClusters', ['check', ...FROM, '-n', ''], ['default', 'team-b', NO_FILES]],
  ['tenant namespaces', ['check', ...FROM, '--tenant-namespace', 's'], ['shop', NO_FILES]],
  ['tenant namespaces of one', ['sync', 'staging', ...FROM, '--tenant-namespace', ''], ['default', NO_FILES]],
  [
    'a tenant and then a file',
    ['check', ...FROM, '--tenant-kubeconfig', 'team-b/s'],
    ['team-b/staging=', GOES_ON],
  ],
  ['the file of a tenant', ['check', ...FROM, '--tenant-kubeconfig', 'team-b/staging='], [FILES]],
  ['claims up to the next slash', ['explain', ...FROM, ''], ['default/', 'shop/', 'team-b/', GOES_ON]],
  ['claims of a namespace', ['explain', ...FROM, 'shop/ca'], ['shop/cart-0', 'shop/cart-1', NO_FILES]],
  [
    'claims of a VirtualCluster',
    ['explain', ...FROM, 'team-b/staging/default/db-2'],
    ['team-b/staging/default/db-2', NO_FILES],
  ],
  ['claims by kind', ['explain', ...FROM, '-n', 'shop', 'pvc/ca'], ['pvc/cart-0', 'pvc/cart-1', NO_FILES]],
  ['one claim only', ['explain', ...FROM, 'shop/cart-0', ''], [NO_FILES]],
  ['nothing behind version', ['version', ''], [NO_FILES]],
  ['nothing behind what is no command', ['frob', ''], [NO_FILES]],
  ['nothing of a recording that is not there', ['check', '--from', '/nonexistent', ''], [NO_FILES]],
];
for (const [what, words, expected] of ROWS) {
  test(`${what}: ${words.join(' ').replace(BROKEN, 'DIR')}`, async () => {
    assert.deepEqual(await offered(...words), expected);
  });
}

test('no words at all offer the commands', async () => {
  assert.deepEqual((await offered()).slice(0, 2), ['check', 'explain']);
});

test('contexts, clusters and users come from the kubeconfig that the line names', async () => {
  const file = join(scratch, 'config');
  const names = ['prod', 'arn:aws:eks:x:1:cluster/y', 'kind@home', 'a b', '$(id)'];
  const named = names.map((name) => ({ name }));
  await writeFile(file, JSON.stringify({ kind: 'Config', contexts: named, clusters: named, users: named }));
  for (const kind of ['context', 'cluster', 'user']) {
    assert.deepEqual((await offered('check', '--kubeconfig', file, `--${kind}`, '')).toSorted(), [
      NO_FILES,
      'arn:aws:eks:x:1:cluster/y',
      'kind@home',
      'prod',
    ]);
  }
});

function virtualCluster(name: string): object {
  return {
    apiVersion: 'tenancy.x-k8s.io/v1alpha1',
    kind: 'VirtualCluster',
    metadata: { namespace: 'default', name, uid: `uid-${name}` },
    status: { phase: 'Running' },
  };
}

function claim(name: string, phase = 'Bound'): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name, uid: `uid-${name}` },
    spec: {},
    status: { phase },
  };
}

const FLEET: FleetObjects = {
  super: [virtualCluster('good'), virtualCluster('bad')],
  tenants: { 'default/good': [claim('cart-0')], 'default/bad': [claim('cart-1')] },
};

test('the order of what is offered is that of its names, whichever tenant answers first', async () => {
  const names = ['b', 'a', 'c'];
  const flags = await fake.serve({
    super: names.map(virtualCluster),
    tenants: Object.fromEntries(
      names.map((name) => [`default/${name}`, [claim(`of-${name}`), claim('same', 'Lost')]]),
    ),
  });
  const offers = 'shop/of-a\tdefault/a: Bound\nshop/of-b\tdefault/b: Bound\nshop/of-c\tdefault/c: Bound\n';
  for (const late of names) {
    fake.delays.set(`/tenants/default/${late}`, 50);
    const { stdout } = await runInProcess(['__complete', 'explain', ...flags, 'shop/']);
    assert.equal(stdout, `${offers}shop/same\t3 VirtualClusters have it\n:4\n`);
    fake.delays.clear();
  }
});

test('what a tenant calls its claims is never more than a name to the shell', async () => {
  const evil = [
    '$(reboot)',
    '`reboot`',
    'a;b',
    "a'b",
    'a"b',
    'a b',
    'a\nb',
    'a\tb',
    ':16',
    'a\\b',
    'a\u001b[2Jb',
  ];
  const flags = await fake.serve({
    super: [virtualCluster('bad')],
    tenants: { 'default/bad': [...evil.map((name) => claim(name)), claim('fine', '$(x)\n`y`\u001b[2J')] },
  });
  const { stdout } = await runInProcess(['__complete', 'explain', ...flags, 'shop/']);
  // ":16" begins with what cobra takes for a directive only where it stands alone; behind shop/ it is a name.
  assert.equal(stdout, 'shop/:16\tdefault/bad: Bound\nshop/fine\tdefault/bad: (x) y\n:4\n');
});

test('a tenant that refuses costs only its own names', async () => {
  const flags = await fake.serve(FLEET);
  fake.refusals.set('/tenants/default/bad', 500);
  assert.deepEqual(await offered('explain', ...flags, 'shop/'), ['shop/cart-0', NO_FILES]);
  fake.refusals.clear();
});

test('a tenant that does not answer costs only its own names, too', async () => {
  const flags = await fake.serve(FLEET);
  fake.refusals.set('/tenants/default/bad', 0);
  assert.deepEqual(await offered('explain', ...flags, 'shop/'), ['shop/cart-0', NO_FILES]);
  fake.refusals.clear();
});

test('a super cluster that does not answer offers nothing, and the process ends', async () => {
  const flags = await fake.serve(FLEET);
  fake.refusals.set('/super', 0);
  const { code, stdout, stderr } = await runCli(['__complete', 'check', ...flags, '']);
  fake.refusals.clear();
  assert.deepEqual([code, stdout, stderr], [0, ':4\n', '']);
});

test('a credential plugin that does not answer is not waited for, and ends with the process', async () => {
  const file = join(scratch, 'slow');
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', 'setTimeout(() => {}, 3600_000)'],
    interactiveMode: 'IfAvailable',
  };
  await writeFile(
    file,
    JSON.stringify({
      kind: 'Config',
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
      clusters: [{ name: 'x', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'x', user: { exec } }],
    }),
  );
  const { code, stdout } = await runCli(['__complete', 'check', '--kubeconfig', file, '']);
  assert.deepEqual([code, stdout], [0, ':4\n']);
});
