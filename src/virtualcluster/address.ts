/** Where a tenant's API server may be reached from outside the super cluster, when its own address cannot. */
import type { V1NodeList, V1Service } from '@kubernetes/client-node';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** What it is, for a message: `node 10.0.0.7:31443`. */
  readonly description: string;
}

/** Every node forwards a node port to the tenant; one that answers is enough. */
const MOST_NODES = 3;

/** Load balancer addresses of a Service, each with the Service's own port. */
export function loadBalancerAddresses(service: V1Service): Address[] {
  if (service.spec?.type !== 'LoadBalancer') return [];
  const port = service.spec.ports?.[0]?.port;
  if (port === undefined) return [];
  return (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
    const host = ip || hostname;
    return host ? [{ host, port, description: `load balancer ${host}:${port}` }] : [];
  });
}

/** The node port of a Service (LoadBalancer ones have one too), null where it has none. */
export function nodePort(service: V1Service): number | null {
  return service.spec?.ports?.[0]?.nodePort ?? null;
}

/** Addresses of some nodes with a node port, external ones first. */
export function nodeAddresses(nodes: V1NodeList, port: number): Address[] {
  const addresses = nodes.items.flatMap((node) => node.status?.addresses ?? []);
  return ['ExternalIP', 'InternalIP']
    .flatMap((kind) => addresses.filter(({ type }) => type === kind).slice(0, MOST_NODES))
    .map(({ address }) => ({ host: address, port, description: `node ${address}:${port}` }));
}
