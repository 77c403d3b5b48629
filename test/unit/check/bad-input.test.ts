/** Whatever is wrong with the input is told in one line, with exit code 2, and nothing on stdout. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { runCli, runProcess } from '../../support/run-cli.ts';

const BROKEN = fileURLToPath(new URL('../../data/captures/broken', import.meta.url));
let scratch = '';

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-bad-input-'));
});
after(() => rm(scratch, { recursive: true }));

async function refused(
  args: readonly string[],
  message: RegExp,
  environment: Record<string, string> = {},
): Promise<void> {
  const { code, stdout, stderr } = await runCli(args, { HOME: scratch, ...environment });
  assert.equal(code, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.equal(stderr.split('\n').length, 2, `one line, not:\n${stderr}`);
}

async function snapshotWith(name: string, file: string, text: string): Promise<string> {
  const directory = join(scratch, name);
  await cp(BROKEN, directory, { recursive: true });
  await writeFile(join(directory, file), text);
  return directory;
}

test('an unknown flag is answered with the nearest one', () =>
  refused(['check', '--form', BROKEN], /unknown flag --form, did you mean "--from"\?/));

test('an unknown command is answered with the nearest one', () =>
  refused(['chekc'], /unknown command chekc, did you mean "check"\?/));

test('a flag without its value is named', () => refused(['check', '--from'], /flag from needs a value/));

test('an unknown output format is answered with those there are', () =>
  refused(['check', '--from', BROKEN, '-o', 'jsn'], /did you mean "json".*custom-columns/));

test('a duration that is none is named with its flag', () =>
  refused(['check', '--from', BROKEN, '--grace=soon'], /--grace=soon: not a time/));

test('an empty --from is refused', () =>
  refused(['check', '--from='], /--from needs the directory of a recording/));

test('what stands after -- is the name of a VirtualCluster', () =>
  refused(['check', '--from', BROKEN, '--', 'nosuch'], /VirtualCluster nosuch not found/));

test('a snapshot that does not exist is named, with the command that writes one', () =>
  refused(
    ['check', '--from', join(scratch, 'none')],
    /none\/super\.yaml does not exist: write it with kubectl get/,
  ));

test('broken YAML is told with file and line', async () => {
  const directory = await snapshotWith(
    'broken-yaml',
    'super.yaml',
    'kind: List\nitems:\n- kind: [unclosed\nfoo: bar\n',
  );
  await refused(['check', '--from', directory], /super\.yaml:\d+: broken YAML/);
});

test('a pipe in the place of a file is refused, and not waited for', async () => {
  const directory = join(scratch, 'pipe');
  await mkdir(directory);
  await runProcess('mkfifo', [join(directory, 'super.yaml')]);
  await refused(['check', '--from', directory], /super\.yaml: it is a pipe or a device, not a file/);
});

test('a file that holds no Kubernetes objects is refused', async () => {
  const directory = await snapshotWith('no-objects', 'super.yaml', 'hello: world\n');
  await refused(['check', '--from', directory], /super\.yaml: holds something that is no Kubernetes object/);
});

const SNAPSHOTS: readonly (readonly [string, string, RegExp])[] = [
  ['an empty file, as a failed export leaves it', '', /super\.yaml is empty: export it/],
  ['nothing but null', 'null\n', /super\.yaml is empty/],
  ['a list of nulls', '{"kind":"List","items":[null]}', /no Kubernetes object/],
  [
    'an object without a name',
    'kind: PersistentVolumeClaim\nmetadata: {}\n',
    /PersistentVolumeClaim without a name/,
  ],
  ['a list that holds itself', '&a\nkind: List\nitems: [*a]\n', /lists within lists/],
  [
    'one object in two states',
    'kind: Namespace\nmetadata: {name: x, uid: a}\n---\nkind: Namespace\nmetadata: {name: x, uid: b}\n',
    /Namespace x stands in it twice, in two states/,
  ],
];
for (const [what, text, message] of SNAPSHOTS) {
  test(`a recording of ${what} is refused`, async () => {
    await refused(['check', '--from', await snapshotWith('odd', 'super.yaml', text)], message);
  });
}

test('an unknown word is called a command, not a flag', () => refused(['frob'], /unknown command frob/));

test('a value that is no choice is answered with the choices', () =>
  refused(['check', '--from', BROKEN, '--color=foo'], /--color=foo: allowed are .*auto.*never/));

test('a VirtualCluster that is named but absent is told, with those there are', () =>
  refused(
    ['check', 'nosuch', '--from', BROKEN],
    /VirtualCluster nosuch not found; visible are default\/vc-sample-1/,
  ));

test('a jsonpath with an unclosed brace is told with its place', () =>
  refused(['check', '--from', BROKEN, '-o', 'jsonpath={.items'], /unclosed brace at character 1/));

test('--sort-by a field that no item has is refused', () =>
  refused(['check', '--from', BROKEN, '--sort-by=.nothing'], /--sort-by=\.nothing: no item has this field/));

test('a tenant without a file costs only itself', async () => {
  const directory = await snapshotWith('no-tenant', 'super.json', '');
  await rm(join(directory, 'super.json'));
  await rm(join(directory, 'tenants/team-b/staging.yaml'));
  const { code, stdout, stderr } = await runCli(['check', '--from', directory, '-o', 'name']);
  assert.equal(code, 2);
  assert.match(stdout, /default\/vc-sample-1\/shop\/cart-0/);
  assert.match(stderr, /error: team-b\/staging: snapshot file .*staging\.yaml does not exist/);
});

test('-owide is taken as -o wide, and -n with nothing as no namespace', async () => {
  const { code, stdout } = await runCli(['check', '--from', BROKEN, '-owide', '-n', '']);
  assert.equal(code, 1);
  assert.match(stdout, /SUPER VOLUME/);
});

test('sync of a recording is refused but as a dry run by the client', async () => {
  await refused(
    ['sync', '--from', BROKEN],
    /a recording cannot be written to: use --dry-run=client with --from/,
  );
  await refused(['sync', '--from', BROKEN, '--dry-run=server'], /use --dry-run=client/);
});

test('flags of sync that contradict each other are named together', async () => {
  await refused(['sync', '--hold', '--release-all'], /--hold and --release-all exclude each other/);
  await refused(
    ['sync', '--release-all', '-l', 'a=b'],
    /--release-all cannot be narrowed by -l or --tenant-namespace/,
  );
  await refused(['sync', '--dry-run'], /flag dry-run needs a value/);
  await refused(['sync', '--dry-run='], /--dry-run=: allowed are/);
  await refused(['sync', '--dry-run', 'team-b/staging'], /--dry-run=team-b\/staging: allowed are/);
  await refused(['sync', '--dry-run=maybe'], /--dry-run=maybe: allowed are "none", "client", "server"/);
});

test('a switch that is given anything but true or false is refused: it must not be taken for its opposite', async () => {
  await refused(['sync', '--hold=yes'], /--hold=yes: a switch takes true or false, or nothing/);
  await refused(['sync', '--release-all='], /--release-all=: a switch takes/);
  await refused(['check', '--all=banana'], /--all=banana: a switch takes/);
  await refused(['check', '-A=2'], /-A=2: a switch takes/);
  const { code } = await runCli(['check', '--from', BROKEN, '--all=1', '-o', 'name'], { HOME: scratch });
  assert.equal(code, 1);
});
