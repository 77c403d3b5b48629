import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import type { ExecCluster } from '../../../src/kube/credentials/exec-info.ts';
import { ExecPlugin } from '../../../src/kube/credentials/exec-plugin.ts';
import type { ExecDependencies } from '../../../src/kube/credentials/exec-plugin.ts';
import type { ExecConfig } from '../../../src/kube/kubeconfig/model.ts';
import { CERTIFICATE, KEY, OTHER_KEY } from './certificate.ts';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

const CLUSTER: ExecCluster = {
  server: 'https://c.example:6443',
  tlsServerName: 'kubernetes',
  insecureSkipTLSVerify: false,
  certificateAuthorityData: 'CA',
  proxyUrl: '',
  disableCompression: false,
  config: { audience: 'x' },
};

/** Writes what it was told to info-N, and then prints the file `answer`. */
const SCRIPT = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const count = readdirSync('.').filter((name) => name.startsWith('info-')).length;
const { KUBERNETES_EXEC_INFO, FROM_CONFIG, INHERITED } = process.env;
writeFileSync('info-' + count, JSON.stringify({ info: JSON.parse(KUBERNETES_EXEC_INFO), FROM_CONFIG, INHERITED, args: process.argv.slice(2) }));
process.stdout.write(readFileSync('answer', 'utf8').replace('COUNT', String(count)));
`;

interface Place {
  readonly root: string;
  readonly plugin: (
    config?: Partial<ExecConfig>,
    dependencies?: Partial<ExecDependencies>,
    cluster?: ExecCluster,
  ) => ExecPlugin;
  readonly answer: (status: object | null, apiVersion?: string) => Promise<void>;
  /** What the plugin was told on each of its runs. */
  readonly told: (run: number) => Promise<Record<string, unknown>>;
  readonly runs: () => Promise<number>;
}

async function place(context: TestContext): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'exec-plugin-'));
  context.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, 'plugin.mjs'), SCRIPT);
  await mkdir(join(root, 'bin'));
  // A plugin runs where we run; this one goes where its test is.
  await writeFile(
    join(root, 'bin', 'plugin'),
    `#!/bin/sh\ncd '${root}' && exec '${process.execPath}' plugin.mjs "$@"\n`,
  );
  await chmod(join(root, 'bin', 'plugin'), 0o755);
  const told = async (run: number): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(root, `info-${run}`), 'utf8')) as Record<string, unknown>;
  return {
    root,
    told,
    plugin: (config = {}, dependencies = {}, cluster = CLUSTER) =>
      new ExecPlugin(
        {
          command: 'plugin',
          args: [],
          env: [],
          apiVersion: V1,
          installHint: '',
          provideClusterInfo: false,
          interactiveMode: 'Never',
          ...config,
        },
        cluster,
        {
          who: 'user "a"',
          env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, INHERITED: 'yes', FROM_CONFIG: 'overridden' },
          stdinIsTerminal: () => false,
          now: () => Date.parse('2026-01-01T00:00:00Z'),
          ...dependencies,
        },
      ),
    answer: (status, apiVersion = V1) =>
      writeFile(
        join(root, 'answer'),
        JSON.stringify({ kind: 'ExecCredential', apiVersion, ...(status === null ? {} : { status }) }),
      ),
    runs: async () => {
      for (let run = 0; ; run += 1) if (!(await told(run).catch(() => null))) return run;
    },
  };
}

async function refusal(plugin: ExecPlugin): Promise<string> {
  try {
    await plugin.current();
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    assert.doesNotMatch(error.message, /\n|s3cret/);
    return error.message;
  }
  return assert.fail('it was accepted');
}

test('a plugin from PATH is told its version and gives a token', async (context) => {
  const { plugin, answer, told } = await place(context);
  await answer({ token: 'from-plugin' });
  const config = { args: ['get', 'a b'], env: [{ name: 'FROM_CONFIG', value: 'config' }] };
  assert.deepEqual(await plugin(config).current(), { authorization: 'Bearer from-plugin' });
  assert.deepEqual(await told(0), {
    info: { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } },
    FROM_CONFIG: 'config',
    INHERITED: 'yes',
    args: ['get', 'a b'],
  });
});

test('a plugin that wants it is told of the cluster, without what is empty', async (context) => {
  const { plugin, answer, told } = await place(context);
  await answer({ token: 't' }, V1BETA1);
  await plugin({ provideClusterInfo: true, apiVersion: V1BETA1 }).current();
  assert.deepEqual((await told(0))['info'], {
    kind: 'ExecCredential',
    apiVersion: V1BETA1,
    spec: {
      interactive: false,
      cluster: {
        server: 'https://c.example:6443',
        'tls-server-name': 'kubernetes',
        'certificate-authority-data': Buffer.from('CA').toString('base64'),
        config: { audience: 'x' },
      },
    },
  });
});

test('a plugin may give a certificate, which must fit its key', async (context) => {
  const { plugin, answer } = await place(context);
  await answer({ clientCertificateData: CERTIFICATE, clientKeyData: KEY });
  assert.deepEqual(await plugin().current(), { clientCertificate: CERTIFICATE, clientKey: KEY });
  await answer({ clientCertificateData: CERTIFICATE, clientKeyData: OTHER_KEY });
  assert.match(
    await refusal(plugin()),
    /^cannot use the certificate that exec plugin "plugin" of user "a" gave/,
  );
  await answer({ clientCertificateData: CERTIFICATE, token: 't' });
  assert.match(await refusal(plugin()), /only one of certificate and key/);
});

test('a plugin runs once for many requests, again when its answer has expired and after a 401', async (context) => {
  const { plugin, answer, runs } = await place(context);
  await answer({ token: 'COUNT', expirationTimestamp: '2026-01-01T01:00:00Z' });
  let now = Date.parse('2026-01-01T00:00:00Z');
  const source = plugin({}, { now: () => now });
  const [first, second] = await Promise.all([source.current(), source.current()]);
  assert.deepEqual(
    [first, second, await source.current()],
    Array.from({ length: 3 }, () => ({ authorization: 'Bearer 0' })),
  );
  now = Date.parse('2026-01-01T01:00:01Z');
  await answer({ token: 'COUNT' });
  const renewed = await source.current();
  assert.equal(renewed.authorization, 'Bearer 1');
  assert.equal(source.invalidate(renewed), true);
  assert.equal((await source.current()).authorization, 'Bearer 2');
  assert.equal(source.invalidate(renewed), true, 'a late 401 for what is no longer used');
  assert.equal((await source.current()).authorization, 'Bearer 2');
  assert.equal(source.invalidate(), true);
  assert.equal((await source.current()).authorization, 'Bearer 3');
  assert.equal(await runs(), 4);
});

test('interactiveMode says whether a plugin may ask', async (context) => {
  const { plugin, answer, told } = await place(context);
  await answer({ token: 't' });
  const interactive = async (run: number): Promise<unknown> =>
    ((await told(run))['info'] as { spec: { interactive: boolean } }).spec.interactive;
  const terminal = { stdinIsTerminal: () => true };
  await plugin({ interactiveMode: 'Never' }, terminal).current();
  await plugin({ interactiveMode: 'IfAvailable' }).current();
  await plugin({ interactiveMode: 'IfAvailable' }, terminal).current();
  await plugin({ interactiveMode: 'Always' }, terminal).current();
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map(interactive)), [false, false, true, true]);
  assert.match(
    await refusal(plugin({ interactiveMode: 'Always' })),
    /interactiveMode: Always.*standard input is not a terminal/,
  );
});

test('a command that is missing is told with the install hint, escapes removed', async (context) => {
  const { root, plugin } = await place(context);
  const hint = '\u001b[1mbrew install it\u001b[0m\nor \u0007else';
  assert.equal(
    await refusal(plugin({ command: 'absent', installHint: hint })),
    'cannot run exec plugin "absent" of user "a": there is no such command: brew install it or else',
  );
  assert.match(
    await refusal(plugin({ command: join(root, 'bin', 'absent') })),
    /there is no such command; install it$/,
  );
  const lookup = { env: { PATH: `${relative(process.cwd(), join(root, 'bin'))}:.:${root}` } };
  assert.match(
    await refusal(plugin({ env: [{ name: 'PATH', value: join(root, 'bin') }] }, lookup)),
    /there is no such command/,
  );
  assert.match(await refusal(plugin({ command: root })), /^cannot run exec plugin .*: EACCES$/);
});

test('a plugin that fails is told by its exit code, never by its output', async (context) => {
  const { root, plugin } = await place(context);
  await writeFile(join(root, 'bin', 'failing'), '#!/bin/sh\necho s3cret\nexit 7\n', { mode: 0o755 });
  await writeFile(join(root, 'bin', 'killed'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  await writeFile(join(root, 'bin', 'endless'), '#!/bin/sh\nexec yes s3cret\n', { mode: 0o755 });
  assert.equal(
    await refusal(plugin({ command: 'failing' })),
    'exec plugin "failing" of user "a" failed: exit code 7',
  );
  assert.match(await refusal(plugin({ command: 'killed' })), /failed: ended by SIGKILL$/);
  assert.match(await refusal(plugin({ command: 'endless' })), /it printed more than 4 MiB$/);
});

test('an answer that is no credential of the version asked for is refused without telling it', async (context) => {
  const { root, plugin, answer } = await place(context);
  const raw = (text: string): Promise<void> => writeFile(join(root, 'answer'), text);
  await answer({ token: 's3cret' }, V1BETA1);
  assert.match(
    await refusal(plugin()),
    /its apiVersion is "client\.authentication\.k8s\.io\/v1beta1" where the kubeconfig asks for "client\.authentication\.k8s\.io\/v1"/,
  );
  await answer(null);
  assert.match(await refusal(plugin()), /it has no status$/);
  await answer({});
  assert.match(await refusal(plugin()), /neither a token nor a certificate$/);
  await answer({ token: 's3cret', expirationTimestamp: 'tomorrow' });
  assert.match(await refusal(plugin()), /expirationTimestamp is no RFC 3339 time$/);
  await answer({ token: 's3cret\n' });
  assert.match(await refusal(plugin()), /^cannot use the token that exec plugin "plugin" of user "a" gave/);
  await raw('"s3cret');
  assert.match(await refusal(plugin()), /it is neither JSON nor YAML$/);
  await raw('*s3cret');
  assert.match(await refusal(plugin()), /it is neither JSON nor YAML$/);
  await raw('s3cret');
  assert.match(await refusal(plugin()), /must be an object, not a string$/);
  assert.match(
    await refusal(plugin({ apiVersion: 'client.authentication.k8s.io/v1alpha1' })),
    /its apiVersion ".*v1alpha1" in the kubeconfig is none of/,
  );
});

test('a plugin that failed is asked again by the next request', async (context) => {
  const { plugin, answer } = await place(context);
  const source = plugin();
  await answer(null);
  await refusal(source);
  await answer({ token: 'late' });
  assert.deepEqual(await source.current(), { authorization: 'Bearer late' });
});
