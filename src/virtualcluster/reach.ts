/** Finds a way to a tenant's API server: its own address, its Service, a node port, a port-forward. */
import { connect } from 'node:net';
import type { V1NodeList, V1Service } from '@kubernetes/client-node';
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { ConnectionSettings } from '../kube/settings.ts';
import { StatusError } from '../kube/status-error.ts';
import { loadBalancerAddresses, nodeAddresses, nodePort } from './address.ts';
import type { Address } from './address.ts';
import { PORT_FORWARD_PROTOCOL, portForwardStream } from './port-forward.ts';

/** VirtualCluster pkg/controller/constants: the tenant's API server in its root namespace. */
const SERVICE = 'apiserver-svc';
const POD = 'apiserver-0';
/** A host that does not answer a TCP connection by then is taken for unreachable. Milliseconds. */
const PROBE_TIMEOUT = 3_000;

/**
 * The settings with a server that answers. Whatever address serves, the certificate is checked against the name in
 * the tenant's kubeconfig.
 * @param rootNamespace the tenant's root namespace in the super cluster
 * @throws UserError that names every way that was tried, and why it failed
 */
export async function reachable(
  settings: ConnectionSettings,
  rootNamespace: string,
  superApi: ApiConnection,
  signal: AbortSignal,
): Promise<ConnectionSettings> {
  const url = new URL(settings.server);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || 443);
  const failures: string[] = [];
  const own = await probe({ host, port, description: `${url.hostname}:${port}` }, failures);
  if (own !== null) return settings;
  const tlsServerName = settings.tlsServerName ?? host;
  for await (const address of otherAddresses(rootNamespace, superApi, signal, failures)) {
    if ((await probe(address, failures)) === null) continue;
    const bracketed = address.host.includes(':') ? `[${address.host}]` : address.host;
    return {
      ...settings,
      tlsServerName,
      server: `https://${bracketed}:${address.port}${url.pathname.replace(/\/$/, '')}`,
    };
  }
  const dial = portForward(rootNamespace, port, superApi);
  try {
    (await dial()).destroy();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    failures.push(error.message);
    throw new UserError(
      `cannot reach the tenant's API server: ${failures.join('; ')}; --tenant-kubeconfig names another way`,
    );
  }
  return { ...settings, tlsServerName, dial };
}

async function* otherAddresses(
  rootNamespace: string,
  superApi: ApiConnection,
  signal: AbortSignal,
  failures: string[],
): AsyncGenerator<Address> {
  const path = `/api/v1/namespaces/${encodeURIComponent(rootNamespace)}/services/${SERVICE}`;
  const service = await readOr<V1Service>(
    superApi,
    path,
    `Service ${rootNamespace}/${SERVICE}`,
    signal,
    failures,
  );
  if (service === null) return;
  yield* loadBalancerAddresses(service);
  const port = nodePort(service);
  if (port === null) return;
  const nodes = await readOr<V1NodeList>(superApi, '/api/v1/nodes', 'nodes', signal, failures);
  if (nodes !== null) yield* nodeAddresses(nodes, port);
}

/** A way that is not there or not allowed is no reason to stop: the next one may do. */
async function readOr<T>(
  superApi: ApiConnection,
  path: string,
  what: string,
  signal: AbortSignal,
  failures: string[],
): Promise<T | null> {
  try {
    // The super cluster's own API server is trusted to send what its API promises.
    return (await superApi.getJson(path, { signal })) as T;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    failures.push(
      error.code === 404 ? `${what} not found` : `${what}: ${error.statusMessage || `HTTP ${error.code}`}`,
    );
    return null;
  }
}

/** @returns the address if something accepts a connection there, else null, with a line in `failures`. */
function probe(address: Address, failures: string[]): Promise<Address | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address.host, port: address.port });
    const finish = (why: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      if (why !== null) failures.push(`${address.description}: ${why}`);
      resolve(why === null ? address : null);
    };
    const timer = setTimeout(() => finish('no answer within 3 s'), PROBE_TIMEOUT);
    socket.once('connect', () => finish(null));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      finish(WHY[error.code ?? ''] ?? error.code ?? 'no connection'),
    );
  });
}

const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
};

function portForward(
  rootNamespace: string,
  port: number,
  superApi: ApiConnection,
): NonNullable<ConnectionSettings['dial']> {
  const path = `/api/v1/namespaces/${encodeURIComponent(rootNamespace)}/pods/${POD}/portforward`;
  return async () => {
    const socket = await superApi.openWebSocket(path, { ports: String(port) }, PORT_FORWARD_PROTOCOL);
    return portForwardStream(
      socket,
      `port-forward to pod ${rootNamespace}/${POD} (permission: create pods/portforward)`,
    );
  };
}
