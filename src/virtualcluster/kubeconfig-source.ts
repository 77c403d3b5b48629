/**
 * Where a tenant's kubeconfig is kept. VirtualCluster pkg/syncer/util/util.go and pkg/util/cluster: the annotation
 * with the kubeconfig itself, the annotation with a Secret's name, the Secret "admin-kubeconfig".
 */
import type { V1Secret } from '@kubernetes/client-node';
import { UserError } from '../errors.ts';
import type { ApiReader } from '../kube/api.ts';
import { StatusError } from '../kube/status-error.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { rootNamespace } from './root-namespace.ts';

const DEFAULT_SECRET = 'admin-kubeconfig';
const DEFAULT_KEY = 'admin-kubeconfig';
const NAMED_SECRET_KEY = 'value';
/** Padded, as Go's base64.StdEncoding wants it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** RFC 1123 subdomain. The name becomes part of a path, and ".." would lead elsewhere. */
const SECRET_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** A kubeconfig's text, and what to call its place in a message. The text is secret. */
export interface KubeconfigText {
  readonly text: string;
  readonly source: string;
}

/**
 * The tenant's kubeconfig from the first of the three places that is in use. One that is in use and broken is told:
 * the syncer reads the same place and fails on it too, so a silent second choice would hide what is wrong.
 * An annotation with an empty value counts as absent.
 * @throws UserError without any of the content
 */
export async function tenantKubeconfig(
  virtualCluster: VirtualCluster,
  superApi: ApiReader,
  signal: AbortSignal,
): Promise<KubeconfigText> {
  if (virtualCluster.adminKubeconfig !== '') {
    const source = 'annotation tenancy.x-k8s.io/admin-kubeconfig';
    return { text: decoded(virtualCluster.adminKubeconfig, source), source };
  }
  const named = virtualCluster.adminKubeconfigSecret;
  const [name, key] = named === '' ? [DEFAULT_SECRET, DEFAULT_KEY] : [named, NAMED_SECRET_KEY];
  const namespace = rootNamespace(virtualCluster);
  if (!SECRET_NAME.test(name)) {
    throw new UserError('annotation tenancy.x-k8s.io/secret.admin-kubeconfig is no name of a Secret');
  }
  const source = `Secret ${namespace}/${name}`;
  const data = await secretData(superApi, namespace, name, source, signal);
  const value = data[key];
  if (value === undefined || value === '') {
    throw new UserError(
      `${source} has no data key "${key}", or an empty one: the tenant's kubeconfig is expected there`,
    );
  }
  return { text: decoded(value, `${source}, key "${key}"`), source };
}

async function secretData(
  superApi: ApiReader,
  namespace: string,
  name: string,
  source: string,
  signal: AbortSignal,
): Promise<NonNullable<V1Secret['data']>> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  try {
    const secret = (await superApi.getJson(path, { signal })) as V1Secret;
    return secret.data ?? {};
  } catch (error) {
    throw error instanceof StatusError ? secretError(error, source, namespace) : error;
  }
}

function secretError(error: StatusError, source: string, namespace: string): UserError {
  if (error.code === 404) {
    return new UserError(
      `${source}, which holds the tenant's kubeconfig, does not exist; --tenant-kubeconfig names another`,
    );
  }
  if (error.code === 403) {
    return new UserError(
      `not allowed to get secrets in namespace ${namespace}, where the tenant's kubeconfig is: grant ClusterRole vc-pvc-tenant-kubeconfigs (plugin/deploy/rbac-super.yaml) or give --tenant-kubeconfig`,
    );
  }
  return error;
}

function decoded(value: string, source: string): string {
  // Go's decoder skips line breaks and nothing else.
  const bare = value.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(bare)) throw new UserError(`${source} is not base64`);
  if (bare === '') throw new UserError(`${source} is empty`);
  return Buffer.from(bare, 'base64').toString('utf8');
}
