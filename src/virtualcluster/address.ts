/** Where a tenant's API server may be reached from outside the super cluster, when its own address cannot. */
import type { V1NodeList, V1Service } from '@kubernetes/client-node';

/** VirtualCluster pkg/controller/constants: the Service of a tenant's API server in its root namespace. */
export const SERVICE = 'apiserver-svc';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** What it is, for a message: `node 10.0.0.7:31443`. */
  readonly description: string;
}

/** Every node forwards a node port to the tenant; one that answers is enough. The same for load balancers. */
const MOST_TRIED = 3;

/** Where upstream's samples let the tenant's API server listen. */
const DEFAULT_POD_PORT = 6443;

/** Load balancer addresses of a Service, each with the Service's own port. */
export function loadBalancerAddresses(service: V1Service): Address[] {
  if (service.spec?.type !== 'LoadBalancer') return [];
  const port = service.spec.ports?.[0]?.port;
  if (port === undefined) return [];
  return (service.status?.loadBalancer?.ingress ?? [])
    .flatMap(({ ip, hostname }) => ip || hostname || [])
    .slice(0, MOST_TRIED)
    .map((host) => addressOf('load balancer', host, port));
}

/** The node port of a Service (LoadBalancer ones have one too), null where it has none. */
export function nodePort(service: V1Service): number | null {
  return service.spec?.ports?.[0]?.nodePort ?? null;
}

/** Addresses of some nodes with a node port, external ones first. */
export function nodeAddresses(nodes: V1NodeList, port: number): Address[] {
  const addresses = nodes.items.flatMap((node) => node.status?.addresses ?? []);
  return ['ExternalIP', 'InternalIP']
    .flatMap((kind) => addresses.filter(({ type }) => type === kind).slice(0, MOST_TRIED))
    .map(({ address }) => addressOf('node', address, port));
}

/**
 * The port to forward to in the tenant's pod: what the Service says as a number, else that of the in-cluster name.
 * @param service null where it could not be read
 * @param server the kubeconfig's; any other host than the Service's name has a port of its own
 */
export function podPort(service: V1Service | null, server: URL): number {
  const target = service?.spec?.ports?.[0]?.targetPort;
  if (typeof target === 'number') return target;
  return server.hostname.startsWith(`${SERVICE}.`) ? Number(server.port || 443) : DEFAULT_POD_PORT;
}

function addressOf(kind: string, host: string, port: number): Address {
  return { host, port, description: `${kind} ${bracketed(host)}:${port}` };
}

/** As a host stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
