import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import type { ConnectionFlags } from '../../../src/kube/kubeconfig/connection-flags.ts';
import { connectionFromFlags } from '../../../src/kube/kubeconfig/resolve.ts';
import type { ConnectionEnvironment, ResolvedConnection } from '../../../src/kube/kubeconfig/resolve.ts';
import { CERTIFICATE, KEY } from './certificate.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const CONFIG = `
current-context: prod
clusters:
- name: prod
  cluster: {server: 'https://prod.example:6443/prefix/', certificate-authority-data: ${base64('PROD CA')}, tls-server-name: kubernetes}
- name: plain
  cluster: {server: 'http://plain.example', proxy-url: 'http://proxy:3128'}
- name: insecure
  cluster: {server: 'https://insecure.example', insecure-skip-tls-verify: true, disable-compression: true}
- name: both
  cluster: {server: 'https://both.example', insecure-skip-tls-verify: true, certificate-authority-data: ${base64('CA')}}
- name: no-server
  cluster: {certificate-authority-data: ${base64('CA')}}
users:
- name: admin
  user: {token: admin-token}
- name: basic
  user: {username: me, password: 'p:w'}
- name: certificate
  user: {client-certificate-data: ${base64(CERTIFICATE)}, client-key-data: ${base64(KEY)}}
- name: file
  user: {tokenFile: token}
- name: plugin
  user: {exec: {command: does-not-exist, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}
- name: impersonating
  user: {token: t, as: jane, as-uid: '7', as-groups: [a], as-user-extra: {scope: [x], team: [z]}}
- name: half
  user: {client-certificate-data: ${base64(CERTIFICATE)}}
- name: gcp
  user: {auth-provider: {name: gcp}}
- name: two-ways
  user: {token: t, username: me, password: p}
contexts:
- {name: prod, context: {cluster: prod, user: admin, namespace: team}}
- {name: plain, context: {cluster: plain, user: admin}}
- {name: insecure, context: {cluster: insecure, user: certificate}}
- {name: both, context: {cluster: both, user: admin}}
- {name: no-server, context: {cluster: no-server, user: admin}}
- {name: lost-cluster, context: {cluster: gone, user: admin}}
- {name: lost-user, context: {cluster: prod, user: gone}}
- {name: no-user, context: {cluster: prod}}
`;

interface Place {
  readonly home: string;
  readonly pod: string;
  readonly resolve: (flags?: ConnectionFlags, env?: Record<string, string>) => Promise<ResolvedConnection>;
  readonly refusal: (flags?: ConnectionFlags, env?: Record<string, string>) => Promise<string>;
}

async function place(context: TestContext, config: string | null = CONFIG): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), 'resolve-'));
  context.after(() => rm(home, { recursive: true }));
  await mkdir(join(home, '.kube'));
  if (config !== null) await writeFile(join(home, '.kube', 'config'), config);
  await writeFile(join(home, '.kube', 'token'), 'token-of-file\n');
  await writeFile(join(home, 'ca.crt'), 'FLAG CA');
  const pod = join(home, 'pod');
  const resolve = (
    flags: ConnectionFlags = {},
    env: Record<string, string> = {},
  ): Promise<ResolvedConnection> => {
    const environment: ConnectionEnvironment = {
      env,
      homeDirectory: home,
      serviceAccountDirectory: pod,
      stdinIsTerminal: () => false,
      now: Date.now,
    };
    return connectionFromFlags(flags, environment);
  };
  const refusal = async (flags?: ConnectionFlags, env?: Record<string, string>): Promise<string> => {
    try {
      await resolve(flags, env);
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      assert.doesNotMatch(error.message, /\n/);
      return error.message;
    }
    return assert.fail('it was accepted');
  };
  return { home, pod, resolve, refusal };
}

async function asPod(pod: string): Promise<Record<string, string>> {
  await mkdir(pod);
  await writeFile(join(pod, 'token'), 'pod-token');
  await writeFile(join(pod, 'ca.crt'), 'POD CA');
  await writeFile(join(pod, 'namespace'), 'pod-namespace\n');
  return { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
}

async function authorization({ settings }: ResolvedConnection): Promise<string | undefined> {
  return (await settings.credentials.current()).authorization;
}

test('the current context names cluster, user and namespace', async (context) => {
  const { resolve } = await place(context);
  const connection = await resolve();
  const { settings } = connection;
  assert.equal(settings.description, 'context "prod"');
  assert.equal(settings.server, 'https://prod.example:6443/prefix');
  assert.equal(settings.certificateAuthority, 'PROD CA');
  assert.equal(settings.tlsServerName, 'kubernetes');
  assert.equal(settings.requestTimeout, 0);
  assert.equal(settings.impersonation, null);
  assert.equal(await authorization(connection), 'Bearer admin-token');
  assert.deepEqual([connection.namespace, connection.namespaceGiven], ['team', false]);
});

test('--context, --cluster, --user and -n choose others', async (context) => {
  const { resolve } = await place(context);
  const connection = await resolve({ context: 'insecure', user: 'basic', namespace: 'mine' });
  assert.equal(connection.settings.server, 'https://insecure.example');
  assert.equal(connection.settings.insecureSkipTLSVerify, true);
  assert.equal(connection.settings.disableCompression, true);
  assert.equal(await authorization(connection), `Basic ${base64('me:p:w')}`);
  assert.deepEqual([connection.namespace, connection.namespaceGiven], ['mine', true]);
  assert.equal((await resolve({ cluster: 'insecure' })).settings.server, 'https://insecure.example');
  assert.equal((await resolve({ context: 'no-user' })).namespace, 'default');
});

test('--server has its own name: the tls-server-name of the file no longer counts', async (context) => {
  const { resolve } = await place(context);
  const { settings } = await resolve({ server: 'https://other.example' });
  assert.deepEqual(
    [settings.server, settings.tlsServerName, settings.certificateAuthority],
    ['https://other.example', null, 'PROD CA'],
  );
  assert.equal(
    (await resolve({ server: 'https://o.example', tlsServerName: 'x' })).settings.tlsServerName,
    'x',
  );
  assert.equal((await resolve({ tlsServerName: 'x' })).settings.tlsServerName, 'x');
});

test('whom to trust is said by the flags alone where one of them is given', async (context) => {
  const { home, resolve, refusal } = await place(context);
  const insecure = (await resolve({ insecureSkipTLSVerify: true })).settings;
  assert.deepEqual([insecure.insecureSkipTLSVerify, insecure.certificateAuthority], [true, null]);
  const file = (await resolve({ context: 'insecure', certificateAuthority: join(home, 'ca.crt') })).settings;
  assert.deepEqual([file.insecureSkipTLSVerify, file.certificateAuthority], [false, 'FLAG CA']);
  assert.match(
    await refusal({ context: 'both' }),
    /insecure-skip-tls-verify and a certificate authority exclude each other/,
  );
  assert.match(
    await refusal({ certificateAuthority: join(home, 'gone.crt') }),
    /cannot read the certificate authority of context "prod" from ".*gone\.crt": there is no such file/,
  );
});

test('--token silences tokenFile and plugin, a client certificate stays', async (context) => {
  const { resolve } = await place(context);
  for (const user of ['file', 'plugin', 'admin', 'certificate']) {
    const connection = await resolve({ user, token: 'flag-token' });
    assert.equal(await authorization(connection), 'Bearer flag-token', user);
    const { clientCertificate } = await connection.settings.credentials.current();
    assert.equal(clientCertificate, user === 'certificate' ? CERTIFICATE : undefined, user);
  }
  assert.equal(await authorization(await resolve({ user: 'file' })), 'Bearer token-of-file');
});

test('over plain HTTP no secret is sent, as kubectl does', async (context) => {
  const { resolve } = await place(context);
  const connection = await resolve({ context: 'plain' });
  assert.equal(connection.settings.server, 'http://plain.example');
  assert.equal(connection.settings.proxyUrl, 'http://proxy:3128');
  assert.deepEqual(await connection.settings.credentials.current(), {});
  assert.equal((await resolve({ server: 'bare.example:8080' })).settings.server, 'http://bare.example:8080');
});

test('impersonation flags take the place of what the file says, extras key by key', async (context) => {
  const { resolve, refusal } = await place(context);
  const from = (flags: ConnectionFlags) =>
    resolve({ user: 'impersonating', ...flags }).then(({ settings }) => settings.impersonation);
  assert.deepEqual(await from({}), {
    user: 'jane',
    uid: '7',
    groups: ['a'],
    extra: { scope: ['x'], team: ['z'] },
  });
  assert.deepEqual(
    await from({ as: 'joe', asGroup: ['b', 'c'], asUserExtra: ['scope=1', 'scope=2=3', 'new='] }),
    {
      user: 'joe',
      uid: '7',
      groups: ['b', 'c'],
      extra: { scope: ['1', '2=3'], team: ['z'], new: [''] },
    },
  );
  assert.match(await refusal({ asGroup: ['b'] }), /without a user; give --as too/);
  assert.match(
    await refusal({ as: 'x', asUserExtra: ['novalue'] }),
    /--as-user-extra=novalue: give it as key=value/,
  );
});

test('a name that is nowhere is told with the nearest that is, and the files that were read', async (context) => {
  const { home, refusal } = await place(context);
  const file = join(home, '.kube', 'config');
  assert.equal(await refusal({ context: 'prd' }), `no context "prd" in "${file}", did you mean "prod"?`);
  assert.match(
    await refusal({ cluster: 'elsewhere' }),
    /no cluster "elsewhere" in .*; there is "prod", "plain", "insecure"/,
  );
  assert.match(await refusal({ user: 'admim' }), /no user "admim" in .*, did you mean "admin"\?/);
  assert.match(await refusal({ context: 'lost-cluster' }), /no cluster "gone"/);
  assert.match(await refusal({ context: 'lost-user' }), /no user "gone"/);
  assert.match(await refusal({ context: 'no-server' }), /cluster "no-server" has no server/);
});

test('an entry that is missing does no harm where the flags say it all', async (context) => {
  const { resolve } = await place(context);
  assert.equal(
    (await resolve({ context: 'lost-cluster', server: 'https://s.example' })).settings.server,
    'https://s.example',
  );
  assert.equal(await authorization(await resolve({ context: 'lost-user', token: 't' })), 'Bearer t');
  assert.equal(await authorization(await resolve({ context: 'no-user' })), undefined);
});

test('users that contradict themselves are refused without telling their secrets', async (context) => {
  const { refusal } = await place(context);
  assert.match(
    await refusal({ user: 'half' }),
    /user "half": it has a client certificate without client-key/,
  );
  assert.match(
    await refusal({ user: 'two-ways' }),
    /user "two-ways": a token and a username with password exclude each other/,
  );
  assert.match(
    await refusal({ user: 'gcp' }),
    /auth-provider "gcp" of user "gcp": it was removed from Kubernetes/,
  );
  assert.match(await refusal({ user: 'basic', token: 'secret' }), /^(?!.*secret).*exclude each other/);
});

test('servers that are no HTTP address are refused', async (context) => {
  const { refusal } = await place(context);
  for (const server of ['ftp://x', 'host/path', 'https://', 'https://user:secret@x', 'http://x:99999', ' ']) {
    assert.match(await refusal({ server }), /^(?!.*secret)cannot use (the )?server/, server);
  }
});

test('without any configuration it is said what was looked for', async (context) => {
  const { home, refusal } = await place(context, null);
  const message = await refusal();
  assert.match(message, /^no cluster to connect to: no kubeconfig \(looked for "/);
  assert.ok(message.includes(join(home, '.kube', 'config')));
  const listed = await refusal({}, { KUBECONFIG: 'one.yaml::two.yaml:one.yaml' });
  assert.match(listed, /looked for "one\.yaml", "two\.yaml"\)/);
  assert.match(
    await refusal({ kubeconfig: 'gone.yaml' }),
    /cannot read kubeconfig "gone\.yaml": there is no such file; check --kubeconfig/,
  );
  assert.match(await refusal({ context: 'x' }), /no context "x" in no kubeconfig at all/);
});

test('a kubeconfig without current context names the contexts to choose from', async (context) => {
  const { refusal } = await place(context, 'contexts: [{name: a, context: {}}, {name: b, context: {}}]\n');
  assert.match(await refusal(), /sets no current-context; give --context \(there is "a", "b"\)/);
  assert.match(await refusal({ context: 'a' }), /context "a" names no cluster/);
});

test('in a pod its own cluster is used where nothing else was found', async (context) => {
  const { home, pod, resolve } = await place(context, null);
  const env = await asPod(pod);
  const connection = await resolve({}, env);
  assert.equal(connection.settings.description, 'the cluster of this pod');
  assert.equal(connection.settings.server, 'https://[fd00::1]');
  assert.equal(connection.settings.certificateAuthority, 'POD CA');
  assert.equal(await authorization(connection), 'Bearer pod-token');
  assert.equal(connection.namespace, 'pod-namespace');
  assert.equal((await resolve({}, { ...env, POD_NAMESPACE: 'given' })).namespace, 'given');
  const changed = await resolve({ token: 't', as: 'jane', certificateAuthority: join(home, 'ca.crt') }, env);
  assert.equal(await authorization(changed), 'Bearer t');
  assert.deepEqual(
    [changed.settings.impersonation?.user, changed.settings.certificateAuthority],
    ['jane', 'FLAG CA'],
  );
  assert.equal(
    (await resolve({ server: 'https://other' }, env)).settings.description,
    'server https://other',
  );
});

test('in a pod a kubeconfig with a current context comes first', async (context) => {
  const { pod, resolve, refusal } = await place(context);
  const env = await asPod(pod);
  assert.equal((await resolve({}, env)).settings.description, 'context "prod"');
  assert.match(await refusal({ context: 'lost-cluster' }, env), /no cluster "gone"/);
});

test('proxies of the environment lead to the server that was resolved', async (context) => {
  const { resolve } = await place(context);
  const env = { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'insecure.example' };
  assert.equal((await resolve({}, env)).settings.proxyUrl, 'http://proxy:1');
  assert.equal((await resolve({ context: 'insecure' }, env)).settings.proxyUrl, null);
});
