import { UserError, oneLine } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import type { LoadedKubeconfig } from './load.ts';
import { NO_CLUSTER, NO_USER } from './model.ts';
import type { Cluster, User } from './model.ts';

/** The entries of the kubeconfig that a connection is made from; '' and empty entries where none is named. */
export interface Chosen {
  readonly contextName: string;
  readonly clusterName: string;
  readonly cluster: Cluster;
  readonly userName: string;
  readonly user: User;
  /** Of the context, '' where it has none. */
  readonly namespace: string;
}

/** More names than this help nobody. */
const MOST_NAMES = 10;

/**
 * The context, cluster and user that --context, --cluster and --user or the current context name (client-go
 * tools/clientcmd/client_config.go).
 * @throws UserError for a name that is nowhere, where kubectl would say so or quietly do without the entry: it connects
 *   to localhost:8080 then, or as nobody.
 */
export function chooseEntries(flags: ConnectionFlags, config: LoadedKubeconfig): Chosen {
  const contextName = flags.context || config.currentContext;
  const context = config.contexts.get(contextName);
  if (context === undefined && contextName !== '')
    throw unknown('context', contextName, config.contexts, config);
  const clusterName = flags.cluster || context?.cluster || '';
  const cluster = config.clusters.get(clusterName);
  if (
    cluster === undefined &&
    clusterName !== '' &&
    ((flags.cluster ?? '') !== '' || (flags.server ?? '') === '')
  ) {
    throw unknown('cluster', clusterName, config.clusters, config);
  }
  const userName = flags.user || context?.user || '';
  const user = config.users.get(userName);
  if (user === undefined && userName !== '' && ((flags.user ?? '') !== '' || !identifies(flags))) {
    throw unknown('user', userName, config.users, config);
  }
  return {
    contextName,
    clusterName,
    cluster: cluster ?? NO_CLUSTER,
    userName,
    user: user ?? NO_USER,
    namespace: context?.namespace ?? '',
  };
}

/** The flags alone say who we are. */
function identifies({ token = '', clientCertificate = '' }: ConnectionFlags): boolean {
  return token !== '' || clientCertificate !== '';
}

function unknown(
  kind: string,
  name: string,
  known: ReadonlyMap<string, unknown>,
  config: LoadedKubeconfig,
): UserError {
  const hint = nearest(name, [...known.keys()]) || `; there is ${listed([...known.keys()])}`;
  return new UserError(`no ${kind} "${oneLine(name)}" in ${describeFiles(config)}${oneLine(hint)}`);
}

/** The names in quotes, the first few of many. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, MOST_NAMES).map((name) => `"${oneLine(name)}"`);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The files that were read, for an error; those that were looked for where there is none. */
export function describeFiles({ files, missing }: LoadedKubeconfig): string {
  if (files.length > 0) return files.map((path) => `"${oneLine(path)}"`).join(', ');
  return `no kubeconfig at all (looked for ${listed(missing)})`;
}
