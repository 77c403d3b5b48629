/** A super cluster and its tenants, on real control planes. The syncer's part is played in syncer.ts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from './api.ts';
import { ControlPlane } from './control-plane.ts';
import type { ControlPlaneOptions } from './control-plane.ts';
import { eventually } from './eventually.ts';
import { startStorage } from './storage.ts';
import type { Storage } from './storage.ts';
import { installVirtualCluster } from './virtual-cluster-kinds.ts';

export interface Tenant {
  readonly namespace: string;
  readonly name: string;
  /** Cluster key, and the name of the root namespace in the super cluster. */
  readonly key: string;
  readonly plane: ControlPlane;
}

export interface Fleet {
  readonly storage: Storage;
  readonly super: ControlPlane;
  readonly tenants: readonly Tenant[];
  /** A file with the super cluster's admin kubeconfig. */
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

export interface FleetOptions {
  /** Each NAMESPACE/NAME. */
  readonly tenants: readonly string[];
  /** Default true; false where many objects are written as they shall be. */
  readonly controllerManagers?: boolean;
  /** kube-apiserver --runtime-config of every tenant, for tenants without some API. */
  readonly tenantRuntimeConfig?: string;
  /** Further flags of every tenant's kube-apiserver. */
  readonly tenantApiserverArgs?: readonly string[];
  /** The VirtualClusters share so many control planes, so that many cost little. Default: each has its own. */
  readonly tenantPlanes?: number;
  /** Every control plane keeps an audit log of claims. Default false. */
  readonly audited?: boolean;
}

/** Starts a fleet and waits until every part is ready. @throws Error; nothing of the fleet runs then */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { controllerManagers = true, audited = false } = options;
  const storage = await startStorage();
  const started: ControlPlane[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((plane) => plane.stop()));
    await storage.stop();
  };
  const start = async (parts: Omit<ControlPlaneOptions, 'storage'>): Promise<ControlPlane> => {
    const plane = await ControlPlane.start({
      ...parts,
      storage,
      controllerManager: controllerManagers,
      audited,
    });
    started.push(plane);
    return plane;
  };
  try {
    const superPlane = await start({ name: 'super' });
    await installVirtualCluster(superPlane);
    const tenants = await startTenants(superPlane, options, start);
    const kubeconfig = await writeKubeconfig(storage, 'admin', superPlane.adminKubeconfig);
    return { storage, super: superPlane, tenants, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startTenants(
  superPlane: ControlPlane,
  { tenants, tenantRuntimeConfig, tenantApiserverArgs = [], tenantPlanes }: FleetOptions,
  start: (parts: Omit<ControlPlaneOptions, 'storage'>) => Promise<ControlPlane>,
): Promise<Tenant[]> {
  const named: Omit<Tenant, 'plane'>[] = [];
  for (const id of tenants) {
    const [namespace = '', name = ''] = id.split('/');
    const { status } = await createVirtualCluster(superPlane, namespace, name);
    named.push({ namespace, name, key: status.clusterNamespace });
  }
  const startFor = (name: string, keys: readonly string[]): Promise<ControlPlane> =>
    start({
      name,
      serverNames: keys.map((key) => `apiserver-svc.${key}`),
      apiserverArgs: tenantApiserverArgs,
      ...(tenantRuntimeConfig === undefined ? {} : { runtimeConfig: tenantRuntimeConfig }),
    });
  const shared: ControlPlane[] = [];
  for (let plane = 0; plane < (tenantPlanes ?? 0); plane += 1) {
    const keys = named.filter((_one, index) => index % (tenantPlanes ?? 1) === plane).map(({ key }) => key);
    shared.push(await startFor(`tenants-${plane}`, keys));
  }
  const ready: Tenant[] = [];
  for (const [index, tenant] of named.entries()) {
    const plane =
      shared[index % shared.length] ?? (await startFor(`${tenant.namespace}-${tenant.name}`, [tenant.key]));
    await storeKubeconfig(superPlane, tenant.key, plane.adminKubeconfig);
    ready.push({ ...tenant, plane });
  }
  return ready;
}

/** Writes a kubeconfig file that goes with the fleet. @returns its path */
export async function writeKubeconfig(storage: Storage, name: string, text: string): Promise<string> {
  const directory = join(storage.directory, 'kubeconfigs');
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Creates a Running VirtualCluster and its root namespace, as upstream's controller does. */
export async function createVirtualCluster(
  { api }: ControlPlane,
  namespace: string,
  name: string,
): Promise<Json> {
  if ((await api.find(`/api/v1/namespaces/${namespace}`)) === null) {
    await api.create('/api/v1/namespaces', { metadata: { name: namespace } });
  }
  const path = `/apis/tenancy.x-k8s.io/v1alpha1/namespaces/${namespace}/virtualclusters`;
  const created = await eventually(`VirtualCluster ${namespace}/${name} to be created`, () =>
    api.create(path, {
      apiVersion: 'tenancy.x-k8s.io/v1alpha1',
      kind: 'VirtualCluster',
      metadata: { name },
      spec: { clusterVersionName: 'cv-sample', clusterDomain: 'cluster.local' },
    }),
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(created.metadata.uid));
  const key = `${namespace}-${Buffer.from(digest).toString('hex').slice(0, 6)}-${name}`;
  await api.create('/api/v1/namespaces', { metadata: { name: key } });
  return api.patch(`${path}/${name}`, { status: { phase: 'Running', clusterNamespace: key } });
}

/** Puts a tenant's kubeconfig where upstream's controller puts it. */
export async function storeKubeconfig(
  { api }: ControlPlane,
  rootNamespace: string,
  text: string,
): Promise<void> {
  const path = `/api/v1/namespaces/${rootNamespace}/secrets`;
  await api.create(path, {
    metadata: { name: 'admin-kubeconfig' },
    data: { 'admin-kubeconfig': Buffer.from(text).toString('base64') },
  });
}
