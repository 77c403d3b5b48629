/** The roles that are published in plugin/deploy, and who has them. */
import { readFile } from 'node:fs/promises';
import { loadAll } from 'js-yaml';
import type { ControlPlane } from './control-plane.ts';

const DEPLOY = new URL('../../plugin/deploy/', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Creates every ClusterRole of a published file. */
export async function createRoles(
  { api }: ControlPlane,
  file: 'rbac-super.yaml' | 'rbac-tenant.yaml',
): Promise<void> {
  for (const role of loadAll(await readFile(new URL(file, DEPLOY), 'utf8')) as object[]) {
    await api.create(`${RBAC}/clusterroles`, role);
  }
}

/** Gives a user a ClusterRole in the whole cluster. */
export async function bindRole({ api }: ControlPlane, name: string, user: string): Promise<void> {
  await api.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}
