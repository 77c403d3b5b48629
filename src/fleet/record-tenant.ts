/** One tenant's part of a recording, read as `check` reads it: what looks like a mismatch is read again. */
import type { ApiConnection } from '../kube/connection.ts';
import { STORAGE_CLASSES, VOLUMES } from '../kube/resources.ts';
import { pairClaims } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { recordStorageClass, recordVolume } from '../snapshot/record.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';
import { ClaimRecorder } from './claim-recorder.ts';
import type { ClaimReader } from './cluster.ts';
import { tenantClaims } from './compare.ts';
import { confirmMismatches } from './confirm.ts';
import { listRecords } from './list-records.ts';
import type { RecordScope } from './record-scope.ts';

export interface TenantRecords {
  /** Claims, volumes and classes. */
  readonly objects: readonly Iterable<RecordedObject>[];
  readonly count: number;
  /** The namespaces of its claims. */
  readonly namespaces: ReadonlySet<string>;
  /** All that its claims and their super claims name. */
  readonly volumeNames: ReadonlySet<string>;
}

export interface RecordTenantOptions {
  readonly scope: RecordScope;
  /** Those asked for; empty for all. */
  readonly tenantNamespaces: readonly string[];
  readonly onClaims: (more: number) => void;
}

/**
 * @param key the tenant's cluster key
 * @param superClaims asked for once the tenant's claims are read
 * @throws UserError
 */
export async function recordTenant(
  key: string,
  api: ApiConnection,
  superCluster: ClaimReader,
  superClaims: () => Promise<SuperClaims>,
  options: RecordTenantOptions,
  signal: AbortSignal,
): Promise<TenantRecords> {
  const tenant = new ClaimRecorder(api, () => true, options.onClaims);
  const listed = await tenantClaims(tenant, options.tenantNamespaces, signal);
  const index = await superClaims();
  const pairs = await confirmMismatches(
    pairClaims(key, listed, index),
    { tenant, super: superCluster },
    signal,
  );
  const volumeNames = new Set(tenant.volumeNames);
  for (const { super: superClaim } of pairs) volumeNames.add(superClaim?.volumeName ?? '');
  const volumes = await listRecords(
    api,
    VOLUMES,
    recordVolume,
    (volume) => options.scope.hasTenantVolume(volume, volumeNames),
    signal,
  );
  const storageClasses = await listRecords(api, STORAGE_CLASSES, recordStorageClass, () => true, signal);
  return {
    objects: [tenant.records(), volumes, storageClasses],
    count: pairs.length,
    namespaces: new Set(pairs.map(({ owner }) => owner.namespace)),
    volumeNames,
  };
}
