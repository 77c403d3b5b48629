/**
 * Settings from a tenant's kubeconfig. It comes from another trust domain: nothing in it is executed, no file of ours
 * is read for it, no proxy of its choice is used.
 */
import { createSecureContext } from 'node:tls';
import { UserError, oneLine } from '../errors.ts';
import { credentialSource } from '../kube/credentials/source.ts';
import { parseKubeconfigText } from '../kube/kubeconfig/parse.ts';
import { NO_CLUSTER } from '../kube/kubeconfig/model.ts';
import type { Cluster, Kubeconfig, User } from '../kube/kubeconfig/model.ts';
import type { ConnectionSettings } from '../kube/settings.ts';

/** Larger than any kubeconfig with inline certificates. Characters. */
const LARGEST = 1024 * 1024;

/** @throws UserError, one line, that names what is refused and none of what is secret */
export function inlineSettings(text: string, source: string, description: string): ConnectionSettings {
  if (text.length > LARGEST) throw new UserError(`${source}: a kubeconfig of more than 1 MiB`);
  const { cluster, user } = chosen(parseKubeconfigText(text, source), source);
  refuse(source, [
    ['an exec plugin', user.exec !== null],
    ['an auth-provider', user.authProvider !== null],
    ['a file path (tokenFile)', user.tokenFile !== ''],
    ['a file path (client-certificate)', user.clientCertificate !== ''],
    ['a file path (client-key)', user.clientKey !== ''],
    ['a file path (certificate-authority)', cluster.certificateAuthority !== ''],
    ['a proxy-url', cluster.proxyUrl !== ''],
    [
      'impersonation (as)',
      user.impersonate !== '' || user.impersonateUid !== '' || user.impersonateGroups.length > 0,
    ],
  ]);
  checkKeys(cluster, user, source);
  const server = serverOf(cluster, source);
  return {
    description,
    server,
    certificateAuthority: cluster.certificateAuthorityData || null,
    insecureSkipTLSVerify: cluster.insecureSkipTLSVerify,
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
    createSecureContext({ ...(ca === '' ? {} : { ca }), ...(cert === '' ? {} : { cert, key }) });
  } catch {
    // What OpenSSL says of a broken key may quote it.
    throw new UserError(
      `${source}: the certificates or the key in the kubeconfig cannot be read, or do not belong together`,
    );
  }
}

/** NodePort and LoadBalancer tenants are written as https://[name]:port; URL parsers allow brackets around IPv6 only. */
function serverOf(cluster: Cluster, source: string): string {
  const repaired = cluster.server.replace(/^(https?:\/\/)\[([^\]:]+)\]/, '$1$2');
  const url = URL.canParse(repaired) ? new URL(repaired) : null;
  if (url === null)
    throw new UserError(`${source}: server "${oneLine(cluster.server).slice(0, 200)}" is no URL`);
  if (
    url.protocol !== 'https:' ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new UserError(`${source}: server must be https://HOST[:PORT] and nothing else`);
  }
  return url.href.replace(/\/$/, '');
}
