/** VirtualClusters that come, stop Running, change their kubeconfig in every way there is, and go. */
import { createVirtualCluster, storeKubeconfig } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import type { MeasuredWatch } from './measured-watch.ts';

/** How a tenant's kubeconfig turns out. */
export type TurnKind = 'answers' | 'does not answer';

export interface TurnScene {
  readonly fleet: Fleet;
  readonly watch: MeasuredWatch;
  /** Two kubeconfigs, equally good, or equally bad. */
  readonly kubeconfigs: readonly [string, string];
  readonly kind: TurnKind;
}

/** Changes that one turn consists of. */
export const CHANGES_A_TURN = 8;

/** Reflectors of one session with a tenant of which a claim is mismatched: claims, volumes, classes. */
const WATCHES = 3;

/**
 * One VirtualCluster's life, each change waited for. Of those that answer one at a time: whether it was opened again is
 * told by how many watches there were in all.
 * @returns once nothing of it is left
 */
export async function takeTurn(scene: TurnScene, name: string): Promise<void> {
  const { fleet, watch, kubeconfigs, kind } = scene;
  const { api } = fleet.super;
  const [first, second] = kubeconfigs;
  const path = `/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/${name}`;
  const followed = (): Promise<void> =>
    watch.until(`${name} to be followed`, async () => {
      const up = (await watch.metrics()).get(seriesName(name));
      return kind === 'answers' ? up === 1 && isShown(watch, name) : up === 0;
    });
  const left = (): Promise<void> =>
    watch.until(`${name} to be left`, async () => {
      return !isShown(watch, name) && !(await watch.metrics()).has(seriesName(name));
    });
  const reopened = async (change: () => Promise<unknown>): Promise<void> => {
    const before = await watchesOf(watch);
    await change();
    if (kind === 'answers') {
      await watch.until(
        `${name} to be opened again`,
        async () => (await watchesOf(watch)) >= before + WATCHES,
      );
    }
  };

  const { status } = await createVirtualCluster(fleet.super, 'default', name);
  const key = status.clusterNamespace as string;
  const secret = `/api/v1/namespaces/${key}/secrets/admin-kubeconfig`;
  await storeKubeconfig(fleet.super, key, first);
  await followed();
  await api.patch(path, { status: { phase: 'Pending' } });
  await left();
  await api.patch(path, { status: { phase: 'Running' } });
  await followed();
  await reopened(() => api.patch(secret, { metadata: { annotations: { touched: 'yes' } } }));
  await reopened(() => api.patch(secret, { data: { 'admin-kubeconfig': base64(second) } }));
  await reopened(() => api.patch(path, annotation(base64(first))));
  await reopened(() => api.patch(path, annotation(null)));
  await api.delete(path);
  await left();
  await api.delete(secret);
  await removeNamespace(fleet, key);
}

function seriesName(name: string): string {
  return `vc_pvc_tenant_up{virtualcluster="${name}",virtualcluster_namespace="default"}`;
}

function isShown(watch: MeasuredWatch, name: string): boolean {
  return watch.rows.keys().some((key) => key.startsWith(`${name} `));
}

/** How often a tenant has agreed to a watch. */
async function watchesOf(watch: MeasuredWatch): Promise<number> {
  const series = 'vc_pvc_api_requests_total{cluster="tenant",code="200",verb="watch"}';
  return (await watch.metrics()).get(series) ?? 0;
}

function annotation(value: string | null): object {
  return { metadata: { annotations: { 'tenancy.x-k8s.io/admin-kubeconfig': value } } };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What a namespace controller would do, were there one. */
async function removeNamespace({ super: { api } }: Fleet, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await api.delete(path);
  const namespace = await api.get(path);
  await api.replace(`${path}/finalize`, { ...namespace, spec: { finalizers: [] } });
}
