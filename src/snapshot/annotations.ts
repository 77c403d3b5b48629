/** Which annotations a recording keeps: ours and Kubernetes' own, and of those none that may hold a secret. */
import { fields } from '../kube/objects/from-json.ts';

/** VirtualCluster's and this tool's; those of Kubernetes and its sub-projects. */
const KEPT_DOMAIN = /(^|[.-])(k8s|kubernetes)\.io$/;
const OUR_DOMAIN = 'tenancy.x-k8s.io';
/**
 * tenancy.x-k8s.io/admin-kubeconfig is a tenant's credentials; last-applied-configuration repeats the whole object,
 * spec and foreign annotations too; anything that names secrets is nothing a claim is judged by.
 */
const WITHHELD = /kubeconfig|secret|password|token|credential|last-applied-configuration/i;

/** The annotations of an object's metadata that are recorded; undefined for none. */
export function recordedAnnotations(annotations: unknown): Readonly<Record<string, string>> | undefined {
  return kept(annotations, (domain) => KEPT_DOMAIN.test(domain));
}

/** Only the syncer's marks. */
export function recordedMarks(annotations: unknown): Readonly<Record<string, string>> | undefined {
  return kept(annotations, (domain) => domain === OUR_DOMAIN);
}

function kept(
  annotations: unknown,
  wanted: (domain: string) => boolean,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(fields(annotations)).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && wanted(entry[0].split('/')[0] ?? '') && !WITHHELD.test(entry[0]),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
