/** From a VirtualCluster to a connection to its tenant. */
import type { ApiConnection } from '../kube/connection.ts';
import type { ConnectionSettings } from '../kube/settings.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { inlineSettings } from './inline-settings.ts';
import { tenantKubeconfig } from './kubeconfig-source.ts';
import { reachable } from './reach.ts';
import { rootNamespace } from './root-namespace.ts';

/** How to speak to the tenant of a VirtualCluster. @throws UserError that says what is missing or refused. */
export async function tenantSettings(
  virtualCluster: VirtualCluster,
  superApi: ApiConnection,
  signal: AbortSignal,
): Promise<ConnectionSettings> {
  const { text, source } = await tenantKubeconfig(virtualCluster, superApi, signal);
  const settings = inlineSettings(text, source, `tenant ${virtualCluster.namespace}/${virtualCluster.name}`);
  const timed = { ...settings, requestTimeout: superApi.settings.requestTimeout };
  return reachable(timed, rootNamespace(virtualCluster), superApi, signal);
}
