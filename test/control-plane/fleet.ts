/** A super cluster and its tenants, on real control planes. The syncer's part is played in syncer.ts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlPlane, startStorage } from './control-plane.ts';
import type { Storage } from './control-plane.ts';
import { eventually } from './eventually.ts';
import type { Json } from './api.ts';

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
}

/** Starts a fleet and waits until every part is ready. */
export async function startFleet({ tenants, controllerManagers = true }: FleetOptions): Promise<Fleet> {
  const storage = await startStorage();
  const started: ControlPlane[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((plane) => plane.stop()));
    await storage.stop();
  };
  const start = async (name: string, serverNames: readonly string[] = []): Promise<ControlPlane> => {
    const plane = await ControlPlane.start({
      name,
      storage,
      controllerManager: controllerManagers,
      serverNames,
    });
    started.push(plane);
    return plane;
  };
  try {
    const superPlane = await start('super');
    await installVirtualCluster(superPlane);
    const ready: Tenant[] = [];
    for (const id of tenants) {
      const [namespace = '', name = ''] = id.split('/');
      const virtualCluster = await createVirtualCluster(superPlane, namespace, name);
      const key: string = virtualCluster.status.clusterNamespace;
      const plane = await start(`${namespace}-${name}`, [`apiserver-svc.${key}`]);
      await storeKubeconfig(superPlane, key, plane.adminKubeconfig);
      ready.push({ namespace, name, key, plane });
    }
    const kubeconfig = await writeKubeconfig(storage, 'admin', superPlane.adminKubeconfig);
    return { storage, super: superPlane, tenants: ready, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes a kubeconfig file that goes with the fleet. @returns its path */
export async function writeKubeconfig(storage: Storage, name: string, text: string): Promise<string> {
  const directory = join(storage.directory, 'kubeconfigs');
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The CustomResourceDefinition, reduced to what is served: upstream's status is no subresource. */
export async function installVirtualCluster({ api }: ControlPlane): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await api.create(path, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'virtualclusters.tenancy.x-k8s.io' },
    spec: {
      group: 'tenancy.x-k8s.io',
      scope: 'Namespaced',
      names: {
        kind: 'VirtualCluster',
        plural: 'virtualclusters',
        singular: 'virtualcluster',
        shortNames: ['vc'],
      },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await eventually('virtualclusters to be served', () =>
    api.find('/apis/tenancy.x-k8s.io/v1alpha1/virtualclusters'),
  );
}

/** Creates a Running VirtualCluster and its root namespace, as upstream's controller does. */
export async function createVirtualCluster(
  { api }: ControlPlane,
  namespace: string,
  name: string,
): Promise<Json> {
  if (namespace !== 'default') await api.create('/api/v1/namespaces', { metadata: { name: namespace } });
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
