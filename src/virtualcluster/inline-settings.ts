/**
 * Settings from a tenant's kubeconfig. It comes from another trust domain: nothing in it is executed, no file of ours
 * is read for it, no proxy of its choice is used.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { UserError } from '../errors.ts';
import { credentialSource } from '../kube/credentials/source.ts';
import { parseKubeconfigText } from '../kube/kubeconfig/parse.ts';
import { NO_CLUSTER } from '../kube/kubeconfig/model.ts';
import type { Cluster, Kubeconfig, User } from '../kube/kubeconfig/model.ts';
import { checkUser } from '../kube/kubeconfig/validate.ts';
import type { ConnectionSettings } from '../kube/settings.ts';

/** Larger than any kubeconfig with inline certificates. Characters. */
const LARGEST = 1024 * 1024;

/**
 * @param source where the text is from, for a message: `Secret default-6177e3-vc-sample-1/admin-kubeconfig`
 * @param description what to call the tenant in a message
 * @throws UserError, one line, that names what is refused and none of what is secret
 */
export function inlineSettings(text: string, source: string, description: string): ConnectionSettings {
  if (text.length > LARGEST) throw new UserError(`${source}: a kubeconfig of more than 1 MiB`);
  const { cluster, user } = chosen(parsed(text, source), source);
  refuse(source, [
    ['an exec plugin', user.exec !== null],
    ['an auth-provider', user.authProvider !== null],
    ['a file path (tokenFile)', user.tokenFile !== ''],
    ['a file path (client-certificate)', user.clientCertificate !== ''],
    ['a file path (client-key)', user.clientKey !== ''],
    ['a file path (certificate-authority)', cluster.certificateAuthority !== ''],
    ['a proxy-url', cluster.proxyUrl !== ''],
    // Whoever answers in the tenant's place would get its token, and have us believe any state.
    ['insecure-skip-tls-verify', cluster.insecureSkipTLSVerify],
    ['impersonation (as)', impersonates(user)],
  ]);
  checkKeys(cluster, user, source);
  checkUser(user, `the user in ${source}`);
  checkServerName(cluster.tlsServerName, source);
  const server = serverOf(cluster, source);
  return {
    description,
    server,
    certificateAuthority: cluster.certificateAuthorityData || null,
    insecureSkipTLSVerify: false,
    tlsServerName: cluster.tlsServerName || null,
    proxyUrl: null,
    disableCompression: cluster.disableCompression,
    // What reaches for files, commands or a network was refused above, so nothing here depends on the surroundings.
    credentials: credentialSource(
      user,
      { ...NO_CLUSTER, config: null },
      { who: description, now: Date.now, env: {}, stdinIsTerminal: () => false },
    ),
    impersonation: null,
    requestTimeout: 0,
  };
}

/** A YAML error may quote the text where it breaks, and a password may stand there: only its line is told. */
function parsed(text: string, source: string): Kubeconfig {
  try {
    return parseKubeconfigText(text, source);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const line = /^cannot read .*?: (line \d+): /.exec(error.message)?.[1];
    throw line === undefined ? error : new UserError(`cannot read ${source}: ${line} is not YAML`);
  }
}

function impersonates(user: User): boolean {
  return (
    user.impersonate !== '' ||
    user.impersonateUid !== '' ||
    user.impersonateGroups.length > 0 ||
    Object.keys(user.impersonateUserExtra).length > 0
  );
}

function chosen(config: Kubeconfig, source: string): { cluster: Cluster; user: User } {
  const only = config.contexts.size === 1 ? [...config.contexts.values()][0] : undefined;
  const context =
    config.contexts.get(config.currentContext) ?? (config.currentContext === '' ? only : undefined);
  if (context === undefined)
    throw new UserError(`${source}: the kubeconfig's current-context names no context in it`);
  const cluster = config.clusters.get(context.cluster);
  const user = config.users.get(context.user);
  if (cluster === undefined)
    throw new UserError(`${source}: the kubeconfig's context names no cluster in it`);
  if (user === undefined) throw new UserError(`${source}: the kubeconfig's context names no user in it`);
  return { cluster, user };
}

function refuse(source: string, findings: readonly (readonly [string, boolean])[]): void {
  for (const [what, found] of findings) {
    if (found) {
      throw new UserError(
        `${source}: the tenant's kubeconfig holds ${what}, which is refused: only inline certificates, tokens and passwords are taken from a tenant; --tenant-kubeconfig names a file of your own`,
      );
    }
  }
}

function checkKeys(cluster: Cluster, user: User, source: string): void {
  const ca = cluster.certificateAuthorityData;
  const { clientCertificateData: cert, clientKeyData: key } = user;
  if ((cert === '') !== (key === '')) {
    throw new UserError(
      `${source}: client-certificate-data and client-key-data must both be there, or neither`,
    );
  }
  try {
    checkAuthorities(ca);
    createSecureContext(cert === '' ? {} : { cert, key });
  } catch {
    // What OpenSSL says of a broken key may quote it.
    throw new UserError(
      `${source}: the certificates or the key in the kubeconfig cannot be read, or do not belong together`,
    );
  }
}

/** OpenSSL takes a bundle that it cannot read for an empty one. @throws Error for one without a certificate, or a broken one */
function checkAuthorities(bundle: string): void {
  if (bundle === '') return;
  const certificates = bundle.match(/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g);
  if (certificates === null) throw new Error('no PEM');
  for (const pem of certificates) void new X509Certificate(pem);
}

function checkServerName(name: string, source: string): void {
  if (name === '' || isIP(name) !== 0 || /^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/i.test(name)) return;
  throw new UserError(`${source}: tls-server-name is no host name`);
}

/**
 * NodePort and LoadBalancer tenants are written as https://[name]:port; URL parsers allow brackets around IPv6 only.
 * The server itself is not told: what is no URL may hold a password all the same.
 */
function serverOf(cluster: Cluster, source: string): string {
  const repaired = cluster.server.replace(/^(https?:\/\/)\[([^\]:]+)\]/i, '$1$2');
  const url = URL.canParse(repaired) ? new URL(repaired) : null;
  if (url === null) throw new UserError(`${source}: its server is no URL such as https://HOST:6443`);
  // A bare "?" or "#" leaves nothing in `search` and `hash`.
  const more = url.username !== '' || url.password !== '' || /[?#]/.test(url.href);
  if (url.protocol !== 'https:' || more) {
    throw new UserError(`${source}: server must be https://HOST[:PORT] and nothing else`);
  }
  return url.href.replace(/\/+$/, '');
}
