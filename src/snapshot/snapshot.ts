/** A recorded fleet: DIR/super.yaml and DIR/tenants/<namespace>/<name>.yaml, JSON likewise. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import {
  claimFromJson,
  namespaceFromJson,
  storageClassFromJson,
  virtualClusterFromJson,
  volumeFromJson,
} from '../kube/objects/from-json.ts';
import { namespaceLookup, volumeLookup } from '../reconcile/evidence.ts';
import type { Claim, Evidence, VirtualCluster } from '../reconcile/model.ts';
import { readObjects } from './read-objects.ts';
import type { ObjectsByKind } from './read-objects.ts';

/** One cluster of a snapshot: its claims, and everything a cause may depend on. */
export interface RecordedCluster {
  readonly claims: readonly Claim[];
  readonly evidence: Evidence;
  /** Everything as it stands in the file. */
  readonly objects: ObjectsByKind;
}

export interface RecordedSuper extends RecordedCluster {
  readonly virtualClusters: readonly VirtualCluster[];
}

/** @throws UserError where DIR is no snapshot or its super file cannot be read. */
export async function readSuper(directory: string): Promise<RecordedSuper> {
  const objects = await readObjects(
    await snapshotFile(
      directory,
      'super',
      'kubectl get virtualclusters,namespaces,pvc,pv,storageclasses -A -o yaml',
    ),
  );
  return {
    ...recordedCluster(objects),
    virtualClusters: (objects.get('VirtualCluster') ?? []).map(virtualClusterFromJson),
  };
}

/** @throws UserError where the tenant has no file or it cannot be read. */
export async function readTenant(directory: string, tenant: VirtualCluster): Promise<RecordedCluster> {
  return recordedCluster(
    await readObjects(
      await snapshotFile(
        directory,
        tenantPath(tenant),
        'kubectl get namespaces,pvc,pv,storageclasses -A -o yaml',
      ),
    ),
  );
}

/**
 * A tenant's file within a recording, without its extension; slashes on every platform.
 * @throws UserError where the VirtualCluster's names could lead out of the recording
 */
export function tenantPath({ namespace, name }: Pick<VirtualCluster, 'namespace' | 'name'>): string {
  return `tenants/${safeSegment(namespace)}/${safeSegment(name)}`;
}

function recordedCluster(objects: ObjectsByKind): RecordedCluster {
  const storageClasses = (objects.get('StorageClass') ?? []).map(storageClassFromJson);
  return {
    objects,
    claims: (objects.get('PersistentVolumeClaim') ?? []).map(claimFromJson),
    evidence: {
      volumes: volumeLookup((objects.get('PersistentVolume') ?? []).map(volumeFromJson), true),
      storageClasses: new Map(storageClasses.map((storageClass) => [storageClass.name, storageClass])),
      namespaces: namespaceLookup((objects.get('Namespace') ?? []).map(namespaceFromJson)),
    },
  };
}

/** The name comes from an object in a file: it must not lead out of the snapshot. */
function safeSegment(name: string): string {
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return name;
  throw new UserError(`"${name}" is no valid name of a VirtualCluster or namespace`);
}

async function snapshotFile(directory: string, base: string, exportedBy: string): Promise<string> {
  for (const extension of ['.yaml', '.yml', '.json']) {
    const file = join(directory, base + extension);
    if (await exists(file)) return file;
  }
  throw new UserError(
    `snapshot file ${join(directory, base)}.yaml does not exist: write it with ${exportedBy}`,
  );
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
