/** From flags and environment to what a connection needs, as kubectl does it (client-go tools/clientcmd). */
import { homedir } from 'node:os';
import process from 'node:process';
import { isatty } from 'node:tty';
import { parseDuration } from '../../duration.ts';
import { UserError, oneLine } from '../../errors.ts';
import { readCredentialFile } from '../credentials/read-file.ts';
import { credentialSource } from '../credentials/source.ts';
import type { ConnectionSettings, Impersonation } from '../settings.ts';
import { chooseEntries, describeFiles, listed } from './choose.ts';
import type { Chosen } from './choose.ts';
import { clusterWithFlags, userWithFlags } from './connection-flags.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import { SERVICE_ACCOUNT_DIRECTORY, inClusterEntries, inClusterNamespace } from './in-cluster.ts';
import { loadKubeconfig } from './load.ts';
import type { LoadedKubeconfig } from './load.ts';
import { NO_USER } from './model.ts';
import type { Cluster, User } from './model.ts';
import { proxyFor } from './proxy.ts';
import { serverUrl } from './server-url.ts';
import { checkCluster, checkUser } from './validate.ts';

/** What a connection may know of the outside. */
export interface ConnectionEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Where the token of a pod's service account is mounted. */
  readonly serviceAccountDirectory: string;
  readonly stdinIsTerminal: () => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface ResolvedConnection {
  readonly settings: ConnectionSettings;
  /** --context, else the current one; "" where neither is. */
  readonly contextName: string;
  /** -n, else the context's, else the pod's, else "default". */
  readonly namespace: string;
  /** -n was given. */
  readonly namespaceGiven: boolean;
}

/** The environment of this process. */
function processEnvironment(): ConnectionEnvironment {
  return {
    env: process.env,
    homeDirectory: homedir(),
    serviceAccountDirectory: SERVICE_ACCOUNT_DIRECTORY,
    stdinIsTerminal: () => isatty(0),
    now: Date.now,
  };
}

/**
 * Loads the user's kubeconfig and resolves it. Nothing is connected to, and no plugin runs.
 * @throws UserError, one line: a file that cannot be read, a name that is nowhere, settings that contradict each other.
 */
export async function connectionFromFlags(
  flags: ConnectionFlags,
  environment: ConnectionEnvironment = processEnvironment(),
): Promise<ResolvedConnection> {
  const { env, homeDirectory } = environment;
  const config = await loadKubeconfig({ explicitPath: flags.kubeconfig ?? '', env, homeDirectory });
  return resolveConnection(flags, config, environment);
}

/** As `connectionFromFlags`, from a kubeconfig that is loaded already. */
async function resolveConnection(
  flags: ConnectionFlags,
  config: LoadedKubeconfig,
  environment: ConnectionEnvironment,
): Promise<ResolvedConnection> {
  const { env, serviceAccountDirectory } = environment;
  const chosen = chooseEntries(flags, config);
  const cluster = clusterWithFlags(chosen.cluster, flags);
  const user = userWithFlags(chosen.user, flags);
  const own = await inClusterEntries(env, serviceAccountDirectory);
  const entries =
    cluster.server === '' && chosen.clusterName === '' && own !== null
      ? {
          cluster: clusterWithFlags(own.cluster, flags),
          user: userWithFlags(own.user, flags),
          description: 'the cluster of this pod',
        }
      : { cluster: withServer(cluster, chosen, config, env), user, description: describe(chosen, cluster) };
  const inherited =
    chosen.namespace || (own === null ? 'default' : await inClusterNamespace(env, serviceAccountDirectory));
  return {
    settings: await settingsOf(entries, chosen.userName, flags, environment),
    contextName: chosen.contextName,
    namespace: flags.namespace || inherited,
    namespaceGiven: (flags.namespace ?? '') !== '',
  };
}

function describe({ contextName }: Chosen, { server }: Cluster): string {
  return contextName === '' ? `server ${oneLine(server)}` : `context "${oneLine(contextName)}"`;
}

/** KUBERNETES_MASTER is the server where nothing else is; kubectl would try localhost:8080 after that. */
function withServer(
  cluster: Cluster,
  chosen: Chosen,
  config: LoadedKubeconfig,
  env: ConnectionEnvironment['env'],
): Cluster {
  const server = cluster.server || env['KUBERNETES_MASTER'] || '';
  if (server !== '') return { ...cluster, server };
  const { clusterName, contextName } = chosen;
  if (clusterName !== '')
    throw new UserError(`cluster "${oneLine(clusterName)}" has no server in ${describeFiles(config)}`);
  if (contextName !== '')
    throw new UserError(`context "${oneLine(contextName)}" names no cluster in ${describeFiles(config)}`);
  if (config.files.length === 0) {
    throw new UserError(
      `no cluster to connect to: no kubeconfig (looked for ${listed(config.missing)}), and this is no pod with a service account; give --kubeconfig or set KUBECONFIG`,
    );
  }
  throw new UserError(
    `no cluster to connect to: ${describeFiles(config)} sets no current-context; give --context (there is ${listed([...config.contexts.keys()])})`,
  );
}

interface Entries {
  readonly cluster: Cluster;
  readonly user: User;
  readonly description: string;
}

async function settingsOf(
  { cluster, user, description }: Entries,
  userName: string,
  flags: ConnectionFlags,
  environment: ConnectionEnvironment,
): Promise<ConnectionSettings> {
  const who = userName === '' ? `the user of ${description}` : `user "${oneLine(userName)}"`;
  checkUser(user, who);
  checkCluster(cluster, description);
  const server = serverUrl(cluster.server, description);
  // As kubectl, which tells no secret and trusts no certificate over plain HTTP.
  const secure = server.startsWith('https:');
  const certificateAuthority = secure ? await authorityOf(cluster, description) : null;
  const execCluster = {
    ...cluster,
    server: cluster.server,
    certificateAuthorityData: certificateAuthority ?? '',
    config: cluster.execConfig,
  };
  return {
    description,
    server,
    certificateAuthority,
    insecureSkipTLSVerify: secure && cluster.insecureSkipTLSVerify,
    tlsServerName: cluster.tlsServerName || null,
    proxyUrl: proxyFor(server, cluster.proxyUrl, description, environment.env),
    disableCompression: cluster.disableCompression,
    credentials: credentialSource(secure ? user : NO_USER, execCluster, { ...environment, who }),
    impersonation: impersonationOf(user),
    requestTimeout: parseDuration(flags.requestTimeout || '0', '--request-timeout'),
  };
}

/** PEM; null for the system's roots. */
async function authorityOf(cluster: Cluster, description: string): Promise<string | null> {
  const { certificateAuthority: file, certificateAuthorityData: data } = cluster;
  if (data !== '') return data;
  return file === '' ? null : readCredentialFile(file, `the certificate authority of ${description}`);
}

function impersonationOf(user: User): Impersonation | null {
  if (user.impersonate === '') return null;
  return {
    user: user.impersonate,
    uid: user.impersonateUid,
    groups: user.impersonateGroups,
    extra: user.impersonateUserExtra,
  };
}
