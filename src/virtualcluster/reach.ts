/** Finds a way to a tenant's API server: its own address, its Service, a node port, a port-forward. */
import type { V1NodeList, V1Service } from '@kubernetes/client-node';
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { ConnectionSettings } from '../kube/settings.ts';
import { StatusError } from '../kube/status-error.ts';
import { SERVICE, bracketed, loadBalancerAddresses, nodeAddresses, nodePort, podPort } from './address.ts';
import type { Address } from './address.ts';
import { PORT_FORWARD_PROTOCOL, portForwardStream } from './port-forward.ts';
import { whyUnreachable } from './probe.ts';

/** The first pod of the tenant's StatefulSet "apiserver". */
const POD = 'apiserver-0';
/** Enough to find an address among them; a large cluster has thousands, each of many kilobytes. */
const NODES_READ = 50;
/** Role vc-pvc-tenant-addresses of plugin/deploy/rbac-super.yaml grants all of them. */
const SERVICE_READ = 'get services';
const NODES_LISTED = 'list nodes';
const PORT_FORWARD = 'get and create pods/portforward';

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
  const own = { host, port: Number(url.port || 443), description: url.host };
  const search = { rootNamespace, superApi, signal, failures: [] };
  if ((await firstThatConnects([own], search)) !== null) return settings;
  const service = await readService(search);
  const tlsServerName = settings.tlsServerName ?? host;
  const address = service === null ? null : await serviceAddress(service, search);
  if (address !== null) {
    const path = url.pathname.replace(/\/$/, '');
    const server = `https://${bracketed(address.host)}:${address.port}${path}`;
    return { ...settings, tlsServerName, server };
  }
  return { ...settings, tlsServerName, dial: await portForward(podPort(service, url), search) };
}

/** What every step of one search needs. */
interface Search {
  readonly rootNamespace: string;
  readonly superApi: ApiConnection;
  readonly signal: AbortSignal;
  /** What was tried so far, and why it failed. */
  readonly failures: string[];
}

function readService(search: Search): Promise<V1Service | null> {
  const { rootNamespace } = search;
  const path = `/api/v1/namespaces/${rootNamespace}/services/${SERVICE}`;
  return readOr<V1Service>(path, {}, `Service ${rootNamespace}/${SERVICE}`, SERVICE_READ, search);
}

async function serviceAddress(service: V1Service, search: Search): Promise<Address | null> {
  const balanced = await firstThatConnects(loadBalancerAddresses(service), search);
  const port = nodePort(service);
  if (balanced !== null || port === null) return balanced;
  const limit = { limit: String(NODES_READ) };
  const nodes = await readOr<V1NodeList>('/api/v1/nodes', limit, 'nodes', NODES_LISTED, search);
  return nodes === null ? null : firstThatConnects(nodeAddresses(nodes, port), search);
}

async function firstThatConnects(addresses: readonly Address[], search: Search): Promise<Address | null> {
  for (const address of addresses) {
    const why = await whyUnreachable(address, search.signal);
    if (why === null) return address;
    search.failures.push(`${address.description}: ${why}`);
  }
  return null;
}

/** A way that is not there or not allowed is no reason to stop: the next one may do. */
async function readOr<T>(
  path: string,
  query: Readonly<Record<string, string>>,
  what: string,
  permission: string,
  { superApi, signal, failures }: Search,
): Promise<T | null> {
  try {
    // The super cluster's own API server is trusted to send what its API promises.
    return (await superApi.getJson(path, { query, signal })) as T;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    failures.push(`${what}: ${refusal(error, permission)}`);
    return null;
  }
}

/** A 403 may come without its reason: the permission is named in any case. */
function refusal(error: StatusError, permission: string): string {
  if (error.code === 404) return 'not found';
  const why = error.statusMessage.replace(/: *$/, '') || `HTTP ${error.code}`;
  if (error.code !== 403) return why;
  return `${why} (needs "${permission}", as ClusterRole vc-pvc-tenant-addresses grants)`;
}

/** @returns how to open a stream to the port of the tenant's pod. @throws UserError, the search's last, where none opens */
async function portForward(port: number, search: Search): Promise<NonNullable<ConnectionSettings['dial']>> {
  const { rootNamespace, superApi, signal, failures } = search;
  const what = `port-forward to pod ${rootNamespace}/${POD}`;
  const path = `/api/v1/namespaces/${rootNamespace}/pods/${POD}/portforward`;
  const query = { ports: String(port) };
  const dial = async () =>
    portForwardStream(await superApi.openWebSocket(path, query, PORT_FORWARD_PROTOCOL), what);
  try {
    (await dial()).destroy();
    return dial;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const why = await whyRefused(superApi, path, query, signal);
    failures.push(why === null ? error.message : `${what}: ${why}`);
    throw new UserError(
      `cannot reach the tenant's API server: ${failures.join('; ')}; --tenant-kubeconfig names another way`,
    );
  }
}

/**
 * A WebSocket does not tell why it was refused, but the same request without an upgrade is refused for the same
 * reason (kubernetes pkg/registry/core/pod/rest/subresources.go: the permission, then the pod, then the upgrade).
 * @returns null where that tells nothing
 */
async function whyRefused(
  superApi: ApiConnection,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await superApi.getJson(path, { query, signal });
    return null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (!(error instanceof StatusError) || /upgrade request required/i.test(error.statusMessage)) return null;
    return refusal(error, PORT_FORWARD);
  }
}
