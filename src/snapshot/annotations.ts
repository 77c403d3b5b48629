/**
 * Which annotations a recording keeps: by their whole names, for anybody may write any annotation into any domain, and
 * what is unknown may be a secret (tenancy.x-k8s.io/admin-kubeconfig is a tenant's credentials).
 */
import {
  BETA_STORAGE_CLASS,
  BIND_COMPLETED,
  OWNER_CLUSTER,
  OWNER_NAMESPACE,
  OWNER_UID,
  PROVISIONED_BY,
  SELECTED_NODE,
} from '../kube/objects/marks.ts';
import { fields } from '../kube/objects/from-json.ts';

/** VirtualCluster pkg/syncer/constants/constants.go: what the syncer writes on its copies. */
const MARKS: ReadonlySet<string> = new Set([
  OWNER_CLUSTER,
  OWNER_NAMESPACE,
  OWNER_UID,
  'tenancy.x-k8s.io/controlled',
  'tenancy.x-k8s.io/ownerReferences',
  'tenancy.x-k8s.io/vcname',
  'tenancy.x-k8s.io/vcnamespace',
  'tenancy.x-k8s.io/vcuid',
]);

/** And k8s.io/component-helpers storage/volume/pv_helpers.go, kubernetes pkg/apis/storage/util/helpers.go. */
const KEPT: ReadonlySet<string> = new Set([
  ...MARKS,
  BETA_STORAGE_CLASS,
  BIND_COMPLETED,
  PROVISIONED_BY,
  SELECTED_NODE,
  'pv.kubernetes.io/bound-by-controller',
  'pv.kubernetes.io/migrated-to',
  'storageclass.kubernetes.io/is-default-class',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-resizer',
]);

/** The annotations of an object's metadata that are recorded; undefined for none. */
export function recordedAnnotations(annotations: unknown): Readonly<Record<string, string>> | undefined {
  return kept(annotations, KEPT);
}

/** Only the syncer's marks. */
export function recordedMarks(annotations: unknown): Readonly<Record<string, string>> | undefined {
  return kept(annotations, MARKS);
}

function kept(
  annotations: unknown,
  wanted: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(fields(annotations)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && wanted.has(entry[0]),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
