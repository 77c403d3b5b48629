import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { UserError } from '../../src/errors.ts';
import { ApiConnection } from '../../src/kube/connection.ts';
import type { ConnectionFlags } from '../../src/kube/kubeconfig/connection-flags.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { binaries } from '../control-plane/build.ts';
import { CERTIFICATE, KEY } from '../unit/kubeconfig/certificate.ts';

/** What a server sees of a client, null where the client never got through. */
type Seen = Record<string, unknown> | null;

interface Place {
  readonly root: string;
  /** https://localhost:PORT */
  readonly secure: string;
  /** http://localhost:PORT */
  readonly plain: string;
  /** What was seen since the last call. */
  readonly take: () => Seen;
}

async function listen(server: Server, context: TestContext): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function place(context: TestContext): Promise<Place> {
  let seen: Seen = null;
  const record = (request: IncomingMessage): void => {
    const headers = Object.entries(request.headers).filter(([name]) =>
      /^(authorization$|impersonate-)/.test(name),
    );
    const socket = request.socket as Partial<TLSSocket>;
    seen = {
      // kubectl repeats --request-timeout in the query.
      path: request.url?.replace(/\?timeout=.*/, ''),
      ...Object.fromEntries(headers),
      certificate: socket.getPeerCertificate?.().fingerprint256 ?? null,
      servername: socket.servername ?? null,
    };
  };
  const secure = createServer(
    { cert: CERTIFICATE, key: KEY, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      record(request);
      response.end('{}');
    },
  );
  const plain = createHttpServer((request, response) => {
    record(request);
    response.end('{}');
  });
  const root = await mkdtemp(join(tmpdir(), 'kubeconfig-flags-'));
  context.after(() => rm(root, { recursive: true }));
  return {
    root,
    secure: `https://localhost:${await listen(secure, context)}`,
    plain: `http://localhost:${await listen(plain, context)}`,
    take: () => {
      const last = seen;
      seen = null;
      return last;
    },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function writeFiles({ root, secure, plain }: Place): Promise<void> {
  const cluster = (name: string, fields: object): object => ({
    name,
    cluster: { server: secure, ...fields },
  });
  const data = { 'certificate-authority-data': base64(CERTIFICATE) };
  const exec = {
    command: './plugin',
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
  };
  const certificate = { 'client-certificate': 'c.crt', 'client-key-data': base64(KEY) };
  const users: Record<string, object> = {
    token: { token: 'of-file' },
    basic: { username: 'me', password: 'p:w' },
    file: { tokenFile: 'token' },
    'both-tokens': { token: 'of-file', tokenFile: 'token' },
    'gone-token': { token: 'of-file', tokenFile: 'gone' },
    certificate,
    'certificate-token': { ...certificate, token: 'of-file' },
    'certificate-exec': { ...certificate, exec },
    'certificate-twice': { ...certificate, 'client-certificate-data': base64(CERTIFICATE) },
    'no-key': { 'client-certificate': 'c.crt' },
    'gone-certificate': { 'client-certificate': 'gone.crt', 'client-key-data': base64(KEY) },
    exec: { exec },
    'exec-token': { exec, token: 'of-file' },
    'exec-old': { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
    'exec-undecided': { exec: { ...exec, interactiveMode: '' } },
    as: {
      token: 'of-file',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['a', 'b'],
      'as-user-extra': { scope: ['x'], 'a.b/C': ['y'] },
    },
    'as-half': { 'as-groups': ['a'] },
    gcp: { 'auth-provider': { name: 'gcp' } },
    'two-ways': { token: 't', username: 'me', password: 'p' },
  };
  const config = {
    'current-context': 'main',
    clusters: [
      cluster('main', data),
      cluster('prefix', { ...data, server: `${secure}/a/b/` }),
      cluster('query', { ...data, server: `${secure}/a?b=c#d` }),
      cluster('plain', { server: plain }),
      cluster('bare', { server: plain.replace('http://', '') }),
      cluster('insecure', { 'insecure-skip-tls-verify': true }),
      cluster('insecure-ca', { ...data, 'insecure-skip-tls-verify': true }),
      cluster('ca-twice', { ...data, 'certificate-authority': 'ca.crt' }),
      cluster('ca-file', { 'certificate-authority': 'ca.crt' }),
      cluster('ca-gone', { 'certificate-authority': 'gone.crt' }),
      cluster('named', {
        ...data,
        server: secure.replace('localhost', '127.0.0.1'),
        'tls-server-name': 'localhost',
      }),
      cluster('misnamed', { ...data, 'tls-server-name': 'other' }),
      cluster('proxied', { ...data, 'proxy-url': 'ftp://x' }),
      cluster('unknown-ca', {}),
    ],
    users: Object.entries(users).map(([name, user]) => ({ name, user })),
    contexts: [
      { name: 'main', context: { cluster: 'main', user: 'token' } },
      { name: 'anonymous', context: { cluster: 'main' } },
      { name: 'lost-cluster', context: { cluster: 'gone', user: 'token' } },
      { name: 'lost-user', context: { cluster: 'main', user: 'gone' } },
    ],
  };
  await writeFile(join(root, 'config'), JSON.stringify(config));
  await writeFile(join(root, 'token'), 'of-token-file\n');
  await writeFile(join(root, 'ca.crt'), CERTIFICATE);
  await writeFile(join(root, 'c.crt'), CERTIFICATE);
  await writeFile(join(root, 'c.key'), KEY);
  const answer = { kind: 'ExecCredential', apiVersion: exec.apiVersion, status: { token: 'of-plugin' } };
  await writeFile(join(root, 'plugin'), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(answer)}\nEND\n`, {
    mode: 0o755,
  });
}

const USERS = [
  'token',
  'basic',
  'file',
  'both-tokens',
  'gone-token',
  'certificate',
  'certificate-token',
  'certificate-exec',
  'certificate-twice',
  'no-key',
  'gone-certificate',
  'exec',
  'exec-token',
  'exec-old',
  'exec-undecided',
  'as',
  'as-half',
  'gcp',
  'two-ways',
  'nobody',
];
const CLUSTERS = [
  'main',
  'prefix',
  'query',
  'plain',
  'bare',
  'insecure',
  'insecure-ca',
  'ca-twice',
  'ca-file',
  'ca-gone',
  'named',
  'misnamed',
  'proxied',
  'unknown-ca',
  'nowhere',
];

/** Every flag, alone and with what it could contradict. */
function commandLines({ root, secure, plain }: Place): string[][] {
  const ca = `--certificate-authority=${join(root, 'ca.crt')}`;
  const insecure = '--insecure-skip-tls-verify';
  const certificate = [`--client-certificate=${join(root, 'c.crt')}`, `--client-key=${join(root, 'c.key')}`];
  return [
    [],
    ...USERS.map((user) => [`--user=${user}`]),
    ...CLUSTERS.map((cluster) => [`--cluster=${cluster}`]),
    ...['main', 'lost-cluster', 'elsewhere'].map((name) => [`--context=${name}`]),
    ...['token', 'basic', 'certificate', 'exec', 'gcp', 'as'].map((user) => [
      `--user=${user}`,
      '--token=of-flag',
    ]),
    ...['token', 'certificate', 'exec', 'certificate-twice', 'basic'].map((user) => [
      `--user=${user}`,
      ...certificate,
    ]),
    ...CLUSTERS.flatMap((cluster) => [
      [`--cluster=${cluster}`, ca],
      [`--cluster=${cluster}`, insecure],
    ]),
    ...['main', 'misnamed', 'named'].flatMap((cluster) => [
      [`--cluster=${cluster}`, `--server=${secure}`],
      [`--cluster=${cluster}`, '--tls-server-name=localhost'],
      [`--cluster=${cluster}`, `--server=${secure}`, '--tls-server-name=other'],
    ]),
    [ca, insecure],
    [`--server=${plain}`],
    [`--server=${plain}`, '--as=jane'],
    [`--server=${plain.replace('http://', '')}`],
    [`--server=${plain.replace('http://', '')}`, ca],
    ['--context=lost-cluster', `--server=${secure}`, ca],
    ['--context=lost-user', '--token=of-flag'],
    ['--context=anonymous', '--token=of-flag'],
    ['--server=ftp://localhost'],
    ['--server=localhost/path'],
    ['--as=joe'],
    ['--as-group=a'],
    [
      '--as=joe',
      '--as-group=a',
      '--as-group=b',
      '--as-uid=1',
      '--as-user-extra=k=v',
      '--as-user-extra=k=w=x',
      '--as-user-extra=é/K=v',
    ],
    ['--user=as', '--as=joe', '--as-group=c', '--as-user-extra=scope=z'],
    ...['30', '0', '1m30s', '-1', 'soon', '1.5'].map((time) => [`--request-timeout=${time}`]),
    ['--disable-compression'],
    ['--kubeconfig=gone'],
  ];
}

/** The flags as our command line hands them over: --as-group becomes asGroup, a list where it may be repeated. */
function flagsOf(args: readonly string[]): ConnectionFlags {
  const flags: Record<string, unknown> = {};
  for (const arg of args) {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const key =
      name === insecureFlag
        ? 'insecureSkipTLSVerify'
        : name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const list = ['asGroup', 'asUserExtra'].includes(key);
    flags[key] = list ? [...((flags[key] ?? []) as string[]), value] : (value ?? true);
  }
  return flags;
}

const insecureFlag = 'insecure-skip-tls-verify';

function seenByKubectl(path: string, { root, take }: Place, args: readonly string[]): Promise<Seen> {
  const env = { HOME: root, KUBECONFIG: join(root, 'config'), PATH: '/usr/bin:/bin' };
  return new Promise((resolve) => {
    const child = execFile(path, ['get', '--raw=/test', ...args], { cwd: root, env, timeout: 20_000 }, () =>
      resolve(take()),
    );
    // It asks for a name and password where it has nothing else to tell.
    child.stdin?.end();
  });
}

async function seenFromUs({ root, take }: Place, args: readonly string[]): Promise<Seen> {
  try {
    const { settings } = await connectionFromFlags(flagsOf(args), {
      env: { KUBECONFIG: join(root, 'config'), PATH: '/usr/bin:/bin' },
      homeDirectory: root,
      serviceAccountDirectory: join(root, 'no-pod'),
      stdinIsTerminal: () => false,
      now: Date.now,
    });
    const connection = new ApiConnection(settings);
    try {
      await connection.getJson('/test');
    } finally {
      await connection.close();
    }
  } catch (error) {
    assert.ok(error instanceof UserError, `${args.join(' ')}: ${String(error)}`);
    assert.equal(take(), null);
    return null;
  }
  return take();
}

test('for every connection flag a server sees of us what it sees of kubectl, and what kubectl refuses we refuse', async (context) => {
  const { kubectl } = await binaries();
  const here = await place(context);
  await writeFiles(here);
  const differing: unknown[] = [];
  let refused = 0;
  for (const args of commandLines(here)) {
    const theirs = await seenByKubectl(kubectl, here, args);
    const ours = await seenFromUs(here, args);
    if (theirs === null) refused += 1;
    try {
      assert.deepEqual(ours, theirs);
    } catch {
      differing.push({ args: args.join(' '), ours, theirs });
    }
  }
  context.diagnostic(`${commandLines(here).length} command lines, ${refused} refused by both`);
  assert.deepEqual(differing, []);
});

test('where kubectl would ask for a name and password we are nobody, and --token wins over tokenFile', async (context) => {
  const here = await place(context);
  await writeFiles(here);
  const nobody = { path: '/test', certificate: null, servername: 'localhost' };
  assert.deepEqual(await seenFromUs(here, ['--context=anonymous']), nobody);
  const expected = { ...nobody, authorization: 'Bearer of-flag' };
  assert.deepEqual(await seenFromUs(here, ['--user=file', '--token=of-flag']), expected);
});
