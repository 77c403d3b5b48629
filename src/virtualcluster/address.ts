/** Where a tenant's API server may be reached from outside the super cluster, when its own address cannot. */

export interface Address {
  readonly host: string;
  readonly port: number;
  /** What it is, for a message: `node 10.0.0.7:31443`. */
  readonly description: string;
}

/** Every node forwards a node port to the tenant; one that answers is enough. */
const MOST_NODES = 3;

/** Load balancer addresses of a Service, each with the Service's own port. The object is untrusted JSON. */
export function loadBalancerAddresses(service: unknown): Address[] {
  const { spec, status } = fields(service);
  if (fields(spec)['type'] !== 'LoadBalancer') return [];
  const port = portNumber(fields(list(fields(spec)['ports'])[0])['port']);
  if (port === null) return [];
  return list(fields(fields(status)['loadBalancer'])['ingress']).flatMap((entry) => {
    const { ip, hostname } = fields(entry);
    const host = typeof ip === 'string' && ip !== '' ? ip : hostname;
    if (typeof host !== 'string' || host === '') return [];
    return [{ host, port, description: `load balancer ${host}:${port}` }];
  });
}

/** The node port of a Service (LoadBalancer ones have one too), null where it has none. */
export function nodePort(service: unknown): number | null {
  return portNumber(fields(list(fields(fields(service)['spec'])['ports'])[0])['nodePort']);
}

/** Addresses of some nodes with a node port, external ones first. `nodes` is an untrusted v1.NodeList. */
export function nodeAddresses(nodes: unknown, port: number): Address[] {
  const addresses = list(fields(nodes)['items'])
    .flatMap((node) => list(fields(fields(node)['status'])['addresses']))
    .map(fields);
  const hosts = ['ExternalIP', 'InternalIP'].flatMap((type) =>
    addresses.filter((address) => address['type'] === type).slice(0, MOST_NODES),
  );
  return hosts.flatMap(({ address }) =>
    typeof address === 'string' && address !== ''
      ? [{ host: address, port, description: `node ${address}:${port}` }]
      : [],
  );
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function portNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536 ? value : null;
}
