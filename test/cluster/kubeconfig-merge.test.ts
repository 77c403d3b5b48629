import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import test from 'node:test';
import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { loadKubeconfig } from '../../src/kube/kubeconfig/load.ts';
import type { LoadedKubeconfig } from '../../src/kube/kubeconfig/load.ts';
import type { Cluster, User } from '../../src/kube/kubeconfig/model.ts';
import { binaries } from '../control-plane/build.ts';

const CASES = 250;
const PARALLEL = 3;
/** The places a kubeconfig may be at; `.kube/config` is read where KUBECONFIG is not set. */
const SLOTS = ['a.yaml', 'sub/b.yaml', 'sub/deeper/c.json', 'd.yaml', '.kube/config'] as const;

interface Scenario {
  /** Text for each of SLOTS, null where there is no such file. */
  readonly texts: readonly (string | null)[];
  /** Elements of KUBECONFIG relative to the case's directory; null where it is not set. */
  readonly list: readonly string[] | null;
  /** --kubeconfig, '' where not given. */
  readonly explicit: string;
}

type Json = Record<string, unknown>;

const NAME = fc.constantFrom('dev', 'prod', 'stage', 'with space', 'Ünïcode', 'null', '');

function unique(entry: fc.Arbitrary<Json>): fc.Arbitrary<unknown> {
  const list = fc.uniqueArray(entry, { maxLength: 4, selector: (value) => value['name'] });
  const twice = fc.array(entry, { minLength: 1, maxLength: 4 });
  return fc.oneof({ weight: 12, arbitrary: list }, { weight: 1, arbitrary: twice }, fc.constant(null));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function optional(shape: Record<string, fc.Arbitrary<unknown>>, required: string[] = []): fc.Arbitrary<Json> {
  return fc.record(shape, { requiredKeys: required }) as fc.Arbitrary<Json>;
}

/** Paths carry the number of their file, so that a value tells beside which file it has to be looked for. */
function clusters(slot: number): fc.Arbitrary<unknown> {
  const cluster = optional({
    server: fc.constantFrom(
      'https://127.0.0.1:6443',
      'http://a.example',
      `https://of-${slot}.example/path`,
      '',
      null,
    ),
    'tls-server-name': fc.constantFrom('kubernetes', ''),
    'insecure-skip-tls-verify': fc.boolean(),
    'certificate-authority': fc.constantFrom(`ca-${slot}.crt`, `./ca-${slot}.crt`, `../up-${slot}.crt`, ''),
    'proxy-url': fc.constantFrom('http://proxy:3128', 'socks5://proxy:1080'),
    'disable-compression': fc.boolean(),
    extensions: fc.constantFrom(
      [
        {
          name: 'client.authentication.k8s.io/exec',
          extension: { audience: `a${slot}`, nested: [1, { x: null }] },
        },
      ],
      [{ name: 'other', extension: { a: 1 } }],
      [],
    ),
    unknownField: fc.constant({ a: [1, 2] }),
  });
  const withData = cluster.map((value) => {
    const rest = { ...value };
    delete rest['certificate-authority'];
    return { ...rest, 'certificate-authority-data': base64(`CA of ${slot}`) };
  });
  return unique(optional({ name: NAME, cluster: fc.oneof(cluster, withData, fc.constant(null)) }, ['name']));
}

const API_VERSIONS = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
  'client.authentication.k8s.io/v1alpha1',
];

function execPlugin(slot: number): fc.Arbitrary<Json> {
  return optional({
    command: fc.constantFrom('plugin', `./bin/plugin-${slot}`, `bin/plugin-${slot}`, '/usr/bin/plugin'),
    args: fc.constantFrom(['get', 'token'], [], null),
    env: fc.constantFrom([{ name: 'A', value: 'b' }], [{ name: 'A' }], null),
    apiVersion: fc.constantFrom(...API_VERSIONS),
    installHint: fc.constantFrom('install it\nfrom here', ''),
    provideClusterInfo: fc.boolean(),
    interactiveMode: fc.constantFrom('Never', 'IfAvailable', 'Always'),
  });
}

function users(slot: number): fc.Arbitrary<unknown> {
  const user = optional({
    'client-certificate': fc.constantFrom(`client-${slot}.crt`, ''),
    'client-key': fc.constantFrom(`client-${slot}.key`, `../up-${slot}.key`),
    token: fc.constantFrom(`token of ${slot}`, '12345', 'yes', ''),
    tokenFile: fc.constantFrom(`tokens/token-${slot}`, ''),
    as: fc.constantFrom('jane', ''),
    'as-uid': fc.constant('1000'),
    'as-groups': fc.constantFrom(['a', 'b'], [], null),
    'as-user-extra': fc.constantFrom({ scopes: ['x', 'y'], none: [] }, null),
    username: fc.constantFrom('user', 'on'),
    password: fc.constantFrom('pass: word', '0x1f'),
    'auth-provider': fc.constantFrom({ name: 'oidc', config: { 'client-id': 'x', empty: null } }, null),
    exec: fc.option(execPlugin(slot)),
  });
  const withData = user.map((value) => {
    const rest = { ...value };
    delete rest['client-certificate'];
    delete rest['client-key'];
    return {
      ...rest,
      'client-certificate-data': base64(`cert ${slot}`),
      'client-key-data': base64(`key ${slot}`),
    };
  });
  return unique(optional({ name: NAME, user: fc.oneof(user, withData, fc.constant(null)) }, ['name']));
}

const CONTEXTS = unique(
  optional(
    {
      name: NAME,
      context: optional({ cluster: NAME, user: NAME, namespace: fc.constantFrom('kube-system', '', null) }),
    },
    ['name'],
  ),
);

function document(slot: number): fc.Arbitrary<Json> {
  return optional({
    apiVersion: fc.constantFrom('v1', ''),
    kind: fc.constantFrom('Config', ''),
    clusters: clusters(slot),
    users: users(slot),
    contexts: CONTEXTS,
    'current-context': fc.constantFrom('dev', 'prod', '', null),
    preferences: fc.constantFrom({}, { colors: true }, null),
    extensions: fc.constantFrom([{ name: 'x', extension: { y: 1 } }], null),
    unknown: fc.constant(7),
  });
}

/** What kubectl refuses, and what it takes although one would not think so. */
const ODD = fc.constantFrom(
  '[]',
  'just text',
  'a: [',
  'clusters: {}\n',
  'kind: Pod\napiVersion: v1\n',
  'apiVersion: v2\n',
  'users:\n\t- name: a\n',
  'users:\n- name: a\n  user: {token: 123}\n',
  'users:\n- name: a\n  user: {token: yes}\n',
  'users:\n- name: a\n  user: {token: 1e999}\n',
  'users:\n- name: a\n  user: {token: 2020-01-01}\n',
  'users:\n- name: a\n  user: {token: 1:20}\n',
  'users:\n- name: a\n  user: {token: 08}\n',
  'users:\n- name: a\n  user: {client-key-data: "YQ"}\n',
  'users:\n- name: a\n  user: {token: first, token: second}\n',
  'users:\n- name: a\n  user: {token: 0xffffffffffffffffff}\n',
  'users: [{name: a, user: {client-key-data: "YQ\\n==\\n"}}]\n',
  'clusters:\n- name: a\n  cluster: {insecure-skip-tls-verify: on}\n',
  'clusters:\n- name: a\n  cluster: {insecure-skip-tls-verify: "true"}\n',
  'clusters: [null, {name: a}]\n',
  'clusters: [{}, {}]\n',
  'x: &a {name: q}\nclusters: [{<<: *a}]\n',
  '\uFEFFclusters: []\n',
  'current-context: dev\n---\n: broken [\n',
  '---\n---\ncurrent-context: dev\n',
  '--- \ncurrent-context: stage\n...\nrubbish: [',
  '---\n# nothing\n',
  'extensions: [{name: a, extension: {}}, {name: a}]\n',
  'extensions: [{name: a}, {name: a}]\n',
  'preferences: {colors: red}\n',
  'Clusters: 3\nCURRENT-CONTEXT: prod\n',
  '1: 2\ntrue: 3\nnull: 4\n',
  'current-context: |\n  dev\n',
  'current-context: >-\n  de\n  v\n',
);

function fileText(slot: number): fc.Arbitrary<string | null> {
  const yaml = document(slot).map((value) => `# file ${slot}\n${dump(value)}`);
  const json = document(slot).map((value) => JSON.stringify(value, null, '\t'));
  return fc.oneof(
    { weight: 10, arbitrary: yaml },
    { weight: 4, arbitrary: json },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        null,
        '',
        '# only a comment\n',
        '  \n',
        'clusters: null\nusers: null\ncontexts: null\n',
      ),
    },
    { weight: 1, arbitrary: ODD },
  );
}

const ELEMENT = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...SLOTS) },
  fc.constantFrom('', 'absent.yaml', './a.yaml'),
);
const SCENARIO: fc.Arbitrary<Scenario> = fc.record({
  texts: fc.tuple(...SLOTS.map((_, slot) => fileText(slot))),
  list: fc.oneof({ weight: 6, arbitrary: fc.array(ELEMENT, { maxLength: 6 }) }, fc.constant(null)),
  explicit: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, ELEMENT),
});

async function write(root: string, scenario: Scenario): Promise<void> {
  for (const [slot, path] of SLOTS.entries()) {
    const directory = dirname(join(root, path));
    await mkdir(directory, { recursive: true });
    const content = scenario.texts[slot] ?? null;
    if (content !== null) await writeFile(join(root, path), content);
    for (const name of [
      `ca-${slot}.crt`,
      `../up-${slot}.crt`,
      `client-${slot}.crt`,
      `client-${slot}.key`,
      `../up-${slot}.key`,
    ]) {
      await writeFile(join(directory, name), `${name} beside ${path}`);
    }
  }
}

interface Answer {
  readonly config: Json | null;
  readonly error: string;
}

function kubectl(
  path: string,
  root: string,
  scenario: Scenario,
  env: Record<string, string>,
  flags: string[],
): Promise<Answer> {
  const { explicit } = scenario;
  // `config view` alone of all commands takes an explicit file that does not exist for an empty one.
  const command =
    explicit !== '' && !existsSync(join(root, explicit))
      ? ['get', '--raw', '/']
      : ['config', 'view', '-o', 'json', ...flags];
  const args = [...command, ...(explicit === '' ? [] : [`--kubeconfig=${explicit}`])];
  return new Promise((resolve) => {
    execFile(path, args, { cwd: root, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve(
        error === null ? { config: JSON.parse(stdout) as Json, error: '' } : { config: null, error: stderr },
      );
    });
  });
}

/** As kubectl prints a config: empty fields left out, names sorted, what no connection depends on dropped. */
function printed(config: LoadedKubeconfig): Json {
  return {
    clusters: sorted(config.clusters, printedCluster),
    users: sorted(config.users, printedUser),
    contexts: sorted(config.contexts, ({ cluster, user, namespace }) => lean({ cluster, user, namespace })),
    'current-context': config.currentContext,
  };
}

function sorted<T>(map: ReadonlyMap<string, T>, print: (value: T) => Json): [string, Json][] {
  return [...map]
    .map(([name, value]): [string, Json] => [name, print(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Only what has content, all the way down. */
function lean(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => {
      if (Array.isArray(field)) return field.length > 0;
      return field !== '' && field !== false && field !== null && field !== undefined;
    }),
  );
}

function printedCluster(cluster: Cluster): Json {
  return lean({
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTLSVerify,
    'certificate-authority': cluster.certificateAuthority,
    'certificate-authority-data': base64(cluster.certificateAuthorityData),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression,
    execConfig: cluster.execConfig,
  });
}

function printedUser(user: User): Json {
  return lean({
    'client-certificate': user.clientCertificate,
    'client-certificate-data': base64(user.clientCertificateData),
    'client-key': user.clientKey,
    'client-key-data': base64(user.clientKeyData),
    token: user.token,
    tokenFile: user.tokenFile,
    as: user.impersonate,
    'as-uid': user.impersonateUid,
    'as-groups': user.impersonateGroups,
    'as-user-extra': Object.keys(user.impersonateUserExtra).length === 0 ? null : user.impersonateUserExtra,
    username: user.username,
    password: user.password,
    'auth-provider': user.authProvider,
    exec:
      user.exec === null
        ? null
        : lean({ ...user.exec, env: user.exec.env.map((entry) => lean(entry as unknown as Json)) }),
  });
}

interface Named {
  readonly name: string;
  readonly cluster?: Json;
  readonly user?: Json;
  readonly context?: Json;
}

/** kubectl's output brought to the same shape; `resolve` makes a path absolute. */
function reference(config: Json, resolve: (path: string) => string): Json {
  const list = (field: string): Named[] => (config[field] ?? []) as Named[];
  const paths = (value: Json, fields: string[]): Json =>
    Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        key,
        fields.includes(key) ? resolve(field as string) : field,
      ]),
    );
  const cluster = (value: Json): Json => {
    const { extensions = [], ...rest } = value;
    const own = (extensions as { name: string; extension: unknown }[]).find(
      ({ name }) => name === 'client.authentication.k8s.io/exec',
    );
    return lean({ ...paths(rest, ['certificate-authority']), execConfig: own?.extension });
  };
  const user = (value: Json): Json => {
    const plugin = value['exec'] as (Json & { command: string; env: Json[] | null }) | undefined;
    const command = plugin?.command.includes('/') === true ? resolve(plugin.command) : plugin?.command;
    const exec =
      plugin === undefined ? null : lean({ ...plugin, command, env: (plugin.env ?? []).map(lean) });
    const extra = Object.entries((value['as-user-extra'] ?? {}) as Json).map(([key, field]) => [
      key,
      field ?? [],
    ]);
    return lean({
      ...paths(value, ['client-certificate', 'client-key', 'tokenFile']),
      exec,
      'as-user-extra': extra.length === 0 ? null : Object.fromEntries(extra),
    });
  };
  return {
    clusters: sorted(new Map(list('clusters').map((entry) => [entry.name, entry.cluster ?? {}])), cluster),
    users: sorted(new Map(list('users').map((entry) => [entry.name, entry.user ?? {}])), user),
    contexts: sorted(new Map(list('contexts').map((entry) => [entry.name, entry.context ?? {}])), lean),
    'current-context': config['current-context'] ?? '',
  };
}

/** Where a path of the generated files has to lead: its number says which file it came from. */
function besideOwnFile(root: string): (path: string) => string {
  return (path) => {
    const slot = /-(\d)/.exec(path)?.[1];
    return slot === undefined ? path : join(root, dirname(SLOTS[Number(slot)] ?? ''), path);
  };
}

async function content(path: string, data: string): Promise<string> {
  return path === '' ? data : readFile(path, 'utf8');
}

/** The content of every file that a cluster or user refers to, as `kubectl config view --flatten` embeds it. */
async function embedded(config: LoadedKubeconfig): Promise<Json> {
  const result: Json = {};
  for (const [name, cluster] of config.clusters) {
    result[`cluster ${name}`] = await content(cluster.certificateAuthority, cluster.certificateAuthorityData);
  }
  for (const [name, user] of config.users) {
    result[`certificate ${name}`] = await content(user.clientCertificate, user.clientCertificateData);
    result[`key ${name}`] = await content(user.clientKey, user.clientKeyData);
  }
  return result;
}

function plain(data: unknown): string {
  return Buffer.from((data as string | undefined) ?? '', 'base64').toString();
}

function embeddedByKubectl(config: Json): Json {
  const result: Json = {};
  for (const { name, cluster } of (config['clusters'] ?? []) as Named[]) {
    result[`cluster ${name}`] = plain(cluster?.['certificate-authority-data']);
  }
  for (const { name, user } of (config['users'] ?? []) as Named[]) {
    result[`certificate ${name}`] = plain(user?.['client-certificate-data']);
    result[`key ${name}`] = plain(user?.['client-key-data']);
  }
  return result;
}

async function compare(kubectlPath: string, root: string, scenario: Scenario): Promise<'same' | 'refused'> {
  await write(root, scenario);
  const list = scenario.list?.join(delimiter);
  const env = { HOME: root, ...(list === undefined ? {} : { KUBECONFIG: list }) };
  const [raw, flat] = await Promise.all([
    kubectl(kubectlPath, root, scenario, env, ['--raw']),
    kubectl(kubectlPath, root, scenario, env, ['--raw', '--flatten']),
  ]);
  // kubectl resolves a relative path from where it runs, which this process cannot imitate for each case.
  const inRoot = (path: string): string => (path === '' ? '' : join(root, path));
  const ours = loadKubeconfig({
    explicitPath: inRoot(scenario.explicit),
    env: list === undefined ? {} : { KUBECONFIG: (scenario.list ?? []).map(inRoot).join(delimiter) },
    homeDirectory: root,
  });
  if (raw.config === null) {
    assert.doesNotMatch(raw.error, /connection|refused/, 'kubectl got past its configuration');
    await assert.rejects(ours, { name: 'UserError' }, `kubectl refused: ${raw.error}`);
    return 'refused';
  }
  const config = await ours;
  assert.deepEqual(printed(config), reference(raw.config, besideOwnFile(root)));
  assert.ok(flat.config !== null, flat.error);
  assert.deepEqual(await embedded(config), embeddedByKubectl(flat.config));
  return 'same';
}

test(`${CASES} generated sets of kubeconfig files are merged as kubectl merges them`, async (context) => {
  const { kubectl: kubectlPath } = await binaries();
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  context.diagnostic(`seed ${seed}; run again with SEED=${seed}`);
  const scenarios = fc.sample(SCENARIO, { seed, numRuns: CASES });
  const root = await mkdtemp(join(tmpdir(), 'kubeconfig-merge-'));
  context.after(() => rm(root, { recursive: true }));
  const outcomes = { same: 0, refused: 0 };
  const next = scenarios.entries();
  const worker = async (): Promise<void> => {
    for (const [index, scenario] of next) {
      // Two levels down: files of one case lie above its own directory.
      const directory = join(root, String(index), 'home');
      await compare(kubectlPath, directory, scenario).then(
        (outcome) => (outcomes[outcome] += 1),
        (error: unknown) => {
          throw new Error(`seed ${seed}, case ${index}: ${JSON.stringify(scenario, null, 2)}`, {
            cause: error,
          });
        },
      );
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  context.diagnostic(`${outcomes.same} the same, ${outcomes.refused} refused by both`);
  assert.ok(outcomes.same > CASES / 4 && outcomes.refused > CASES / 50, 'the cases are of both kinds');
});
