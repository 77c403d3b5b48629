/** A recorded fleet: DIR/super.yaml and DIR/tenants/<namespace>/<name>.yaml, JSON likewise. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { CommonParts } from '../kube/objects/common-parts.ts';
import {
  claimFromJson,
  namespaceFromJson,
  storageClassFromJson,
  virtualClusterFromJson,
  volumeFromJson,
} from '../kube/objects/from-json.ts';
import { namespaceLookup, volumeLookup } from '../reconcile/evidence.ts';
import type { Claim, Evidence, Namespace, StorageClass, VirtualCluster, Volume } from '../reconcile/model.ts';
import type { Reduced } from './object-collector.ts';
import { readObjects } from './read-objects.ts';

/** One cluster of a snapshot: its claims, and everything a cause may depend on. */
export interface RecordedCluster {
  readonly claims: readonly Claim[];
  readonly evidence: Evidence;
  /** As they stand in the file; null where they were let go of. */
  readonly objects: RecordedObjects | null;
}

export interface RecordedSuper extends RecordedCluster {
  readonly virtualClusters: readonly VirtualCluster[];
}

/** Objects of a file as they stand in it, of untrusted shape but for their names. */
type RecordedObjects = Readonly<Record<keyof Models, readonly unknown[]>>;

interface Models {
  readonly VirtualCluster: VirtualCluster;
  readonly Namespace: Namespace;
  readonly PersistentVolumeClaim: Claim;
  readonly PersistentVolume: Volume;
  readonly StorageClass: StorageClass;
}

/**
 * @param keepObjects whether single objects will be asked for: a large recording then takes several times the memory
 * @throws UserError where DIR is no snapshot or its super file cannot be read.
 */
export async function readSuper(directory: string, keepObjects: boolean): Promise<RecordedSuper> {
  const file = await snapshotFile(
    directory,
    'super',
    'kubectl get virtualclusters,namespaces,pvc,pv,storageclasses -A -o yaml',
  );
  const { models, objects } = await readModels(file, keepObjects);
  return { ...recordedCluster(models, objects), virtualClusters: models.VirtualCluster };
}

/** @param keepObjects as for readSuper @throws UserError where the tenant has no file or it cannot be read. */
export async function readTenant(
  directory: string,
  tenant: VirtualCluster,
  keepObjects: boolean,
): Promise<RecordedCluster> {
  const file = await snapshotFile(
    directory,
    tenantPath(tenant),
    'kubectl get namespaces,pvc,pv,storageclasses -A -o yaml',
  );
  const { models, objects } = await readModels(file, keepObjects);
  return recordedCluster(models, objects);
}

/**
 * A tenant's file within a recording, without its extension; slashes on every platform.
 * @throws UserError where the VirtualCluster's names could lead out of the recording
 */
export function tenantPath({ namespace, name }: Pick<VirtualCluster, 'namespace' | 'name'>): string {
  return `tenants/${safeSegment(namespace)}/${safeSegment(name)}`;
}

interface Read {
  readonly models: Reduced<Models>;
  readonly objects: RecordedObjects | null;
}

async function readModels(file: string, keepObjects: boolean): Promise<Read> {
  if (!keepObjects) {
    const parts = new CommonParts();
    const models = await readObjects<Models>(file, {
      VirtualCluster: virtualClusterFromJson,
      Namespace: namespaceFromJson,
      PersistentVolumeClaim: (object) => parts.claim(claimFromJson(object)),
      PersistentVolume: (object) => parts.volume(volumeFromJson(object)),
      StorageClass: storageClassFromJson,
    });
    return { models, objects: null };
  }
  const objects = await readObjects<Record<keyof Models, unknown>>(file, {
    VirtualCluster: whole,
    Namespace: whole,
    PersistentVolumeClaim: whole,
    PersistentVolume: whole,
    StorageClass: whole,
  });
  const models = {
    VirtualCluster: objects.VirtualCluster.map(virtualClusterFromJson),
    Namespace: objects.Namespace.map(namespaceFromJson),
    PersistentVolumeClaim: objects.PersistentVolumeClaim.map(claimFromJson),
    PersistentVolume: objects.PersistentVolume.map(volumeFromJson),
    StorageClass: objects.StorageClass.map(storageClassFromJson),
  };
  return { models, objects };
}

function whole(object: unknown): unknown {
  return object;
}

function recordedCluster(models: Reduced<Models>, objects: RecordedObjects | null): RecordedCluster {
  return {
    objects,
    claims: models.PersistentVolumeClaim,
    evidence: {
      volumes: volumeLookup(models.PersistentVolume, true),
      storageClasses: new Map(models.StorageClass.map((storageClass) => [storageClass.name, storageClass])),
      namespaces: namespaceLookup(models.Namespace),
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
