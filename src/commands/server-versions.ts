/** The versions of the super cluster and of its tenants. */
import { UserError, oneLine } from '../errors.ts';
import { eachTenant } from '../fleet/each-tenant.ts';
import { ApiConnection } from '../kube/connection.ts';
import type { ConnectionFlags } from '../kube/kubeconfig/connection-flags.ts';
import { connectionFromFlags } from '../kube/kubeconfig/resolve.ts';
import { serverVersion } from '../kube/server-version.ts';
import type { ServerVersion } from '../kube/server-version.ts';
import type { FleetSource } from './source.ts';

export interface ServerVersionsOptions {
  /** Milliseconds, 0 for none. */
  readonly tenantTimeout: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

export interface ServerVersions {
  /** Of the super cluster; absent where it could not be asked. */
  readonly serverVersion?: ServerVersion;
  /** Those that can be seen, with the version of each that is Running and answers; absent where they could not be listed. */
  readonly virtualClusters?: readonly TenantVersion[];
  /** What could not be asked, and why: each one line. */
  readonly errors: readonly string[];
}

interface TenantVersion {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly serverVersion: ServerVersion | null;
}

/** Asks all, the tenants side by side; one that does not answer costs only itself. */
export async function serverVersions(
  connection: ConnectionFlags,
  source: FleetSource,
  options: ServerVersionsOptions,
): Promise<ServerVersions> {
  try {
    const own = await superVersion(connection, options.signal);
    try {
      return { serverVersion: own, ...(await tenantVersions(source, options)) };
    } catch (error) {
      return { serverVersion: own, errors: [told(error)] };
    }
  } catch (error) {
    return { errors: [told(error)] };
  }
}

/** Of a connection of its own: a cluster without VirtualClusters has a version, too. */
async function superVersion(flags: ConnectionFlags, signal: AbortSignal): Promise<ServerVersion> {
  const { settings } = await connectionFromFlags(flags);
  const api = new ApiConnection(settings);
  try {
    return await serverVersion(api, signal);
  } finally {
    await api.close();
  }
}

async function tenantVersions(
  source: FleetSource,
  options: ServerVersionsOptions,
): Promise<Required<Pick<ServerVersions, 'virtualClusters' | 'errors'>>> {
  const { virtualClusters, fleet, close } = await source(options.signal);
  try {
    const versions = new Map<string, ServerVersion>();
    const running = virtualClusters.filter(({ phase }) => phase === 'Running');
    const errors = await eachTenant(
      fleet,
      running,
      { ...options, onTenantDone: () => {} },
      async ({ namespace, name }, { api }, deadline) => {
        if (api === null) return [];
        versions.set(`${namespace}/${name}`, await deadline.bound(serverVersion(api, deadline.signal)));
        return [];
      },
    );
    return {
      virtualClusters: virtualClusters.map(({ namespace, name, phase }) => ({
        namespace: oneLine(namespace),
        name: oneLine(name),
        phase: oneLine(phase),
        serverVersion: versions.get(`${namespace}/${name}`) ?? null,
      })),
      errors: errors.map(({ virtualCluster, message }) =>
        oneLine(
          virtualCluster === null
            ? message
            : `${virtualCluster.namespace}/${virtualCluster.name}: ${message}`,
        ),
      ),
    };
  } finally {
    await close();
  }
}

function told(error: unknown): string {
  if (error instanceof UserError) return oneLine(error.message);
  throw error;
}
