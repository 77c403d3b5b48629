/** How a pod reaches the API server of its own cluster (client-go rest/config.go InClusterConfig). */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster, User } from './model.ts';
import { NO_CLUSTER, NO_USER } from './model.ts';

/** Where the kubelet mounts a service account's token. */
export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

type Environment = Readonly<Record<string, string | undefined>>;

/** The pod's own cluster and service account; null outside of a pod. */
export async function inClusterEntries(
  env: Environment,
  directory: string,
): Promise<{ cluster: Cluster; user: User } | null> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  const tokenFile = join(directory, 'token');
  if (host === '' || port === '' || !(await isFile(tokenFile))) return null;
  const certificateAuthority = join(directory, 'ca.crt');
  const trusted = await isFile(certificateAuthority);
  return {
    cluster: {
      ...NO_CLUSTER,
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: trusted ? certificateAuthority : '',
    },
    user: { ...NO_USER, tokenFile },
  };
}

/** The namespace that the pod runs in: client-go tools/clientcmd/client_config.go inClusterClientConfig. */
export async function inClusterNamespace(env: Environment, directory: string): Promise<string> {
  const given = env['POD_NAMESPACE'] ?? '';
  if (given !== '') return given;
  const mounted = await readFile(join(directory, 'namespace'), 'utf8').catch(() => '');
  return mounted.trim() || 'default';
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
