import { oneLine } from '../../errors.ts';
import { Fields } from './fields.ts';
import type { AuthProvider, Cluster, Context, ExecConfig, Kubeconfig, User } from './model.ts';
import { parseYaml } from './yaml.ts';

/** Reserved for what a cluster has to tell an exec plugin (client-go tools/clientcmd/client_config.go). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * Reads the text of one kubeconfig (YAML or JSON) as client-go's tools/clientcmd Load does. Paths are left as they
 * are written, and nothing is looked up or run; whoever has a kubeconfig from elsewhere than the user's own files
 * has to refuse what reaches for local files and commands.
 * @param source names the text in an error, for example `kubeconfig "config"` or `Secret "a/b"`
 * @throws UserError for broken YAML, a wrong type, another kind of object, or a name that stands twice.
 */
export function parseKubeconfigText(text: string, source: string): Kubeconfig {
  const fields = new Fields(parseYaml(text, source), source, '');
  checkKind(fields);
  checkUnused(fields);
  return {
    clusters: named(fields, 'clusters', (entry) => cluster(entry.object('cluster'))),
    users: named(fields, 'users', (entry) => user(entry.object('user'))),
    contexts: named(fields, 'contexts', (entry) => context(entry.object('context'))),
    currentContext: fields.string('current-context'),
  };
}

function checkKind(fields: Fields): void {
  const kind = fields.string('kind') || 'Config';
  const apiVersion = fields.string('apiVersion') || 'v1';
  if (kind === 'Config' && apiVersion === 'v1') return;
  throw fields.error(`it is a "${oneLine(kind)}" of "${oneLine(apiVersion)}", not a "Config" of "v1"`);
}

/** What we have no use for, but kubectl would not accept. */
function checkUnused(fields: Fields): void {
  extensions(fields);
  const preferences = fields.object('preferences');
  preferences.boolean('colors');
  extensions(preferences);
}

/** client-go tools/clientcmd/api/v1/conversion.go: a name may stand only once in a file. */
function named<T>(fields: Fields, list: string, read: (entry: Fields) => T): Map<string, T> {
  const entries = new Map<string, T>();
  for (const entry of fields.objects(list)) {
    const name = entry.string('name');
    const value = read(entry);
    if (entries.has(name)) throw entry.error(`the name "${oneLine(name)}" stands twice`);
    entries.set(name, value);
  }
  return entries;
}

/** As conversion.go: an extension without content may be followed by another of its name. */
function extensions(fields: Fields): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const entry of fields.objects('extensions')) {
    const name = entry.string('name');
    if ((values.get(name) ?? null) !== null)
      throw entry.error(`the extension "${oneLine(name)}" stands twice`);
    values.set(name, entry.any('extension'));
  }
  return values;
}

function cluster(fields: Fields): Cluster {
  return {
    server: fields.string('server'),
    tlsServerName: fields.string('tls-server-name'),
    insecureSkipTLSVerify: fields.boolean('insecure-skip-tls-verify'),
    certificateAuthority: fields.string('certificate-authority'),
    certificateAuthorityData: fields.base64('certificate-authority-data'),
    proxyUrl: fields.string('proxy-url'),
    disableCompression: fields.boolean('disable-compression'),
    execConfig: extensions(fields).get(EXEC_EXTENSION) ?? null,
  };
}

function user(fields: Fields): User {
  const authProviderFields = fields.optional('auth-provider');
  const execFields = fields.optional('exec');
  extensions(fields);
  return {
    clientCertificate: fields.string('client-certificate'),
    clientCertificateData: fields.base64('client-certificate-data'),
    clientKey: fields.string('client-key'),
    clientKeyData: fields.base64('client-key-data'),
    token: fields.string('token'),
    tokenFile: fields.string('tokenFile'),
    impersonate: fields.string('as'),
    impersonateUid: fields.string('as-uid'),
    impersonateGroups: fields.strings('as-groups'),
    impersonateUserExtra: fields.stringListMap('as-user-extra'),
    username: fields.string('username'),
    password: fields.string('password'),
    authProvider: authProviderFields === null ? null : authProvider(authProviderFields),
    exec: execFields === null ? null : execConfig(execFields),
  };
}

function authProvider(fields: Fields): AuthProvider {
  return { name: fields.string('name'), config: fields.stringMap('config') };
}

function execConfig(fields: Fields): ExecConfig {
  const apiVersion = fields.string('apiVersion');
  return {
    command: fields.string('command'),
    args: fields.strings('args'),
    env: fields.objects('env').map((entry) => ({ name: entry.string('name'), value: entry.string('value') })),
    apiVersion,
    installHint: fields.string('installHint'),
    provideClusterInfo: fields.boolean('provideClusterInfo'),
    interactiveMode: fields.string('interactiveMode') || defaultInteractiveMode(apiVersion),
  };
}

/** client-go tools/clientcmd/api/v1/defaults.go: only the versions before v1 may leave it open. */
function defaultInteractiveMode(apiVersion: string): string {
  return /^client\.authentication\.k8s\.io\/v1(alpha1|beta1)$/.test(apiVersion) ? 'IfAvailable' : '';
}

function context(fields: Fields): Context {
  extensions(fields);
  return {
    cluster: fields.string('cluster'),
    user: fields.string('user'),
    namespace: fields.string('namespace'),
  };
}
