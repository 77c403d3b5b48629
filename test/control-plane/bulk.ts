/** Many Bound pairs, written as they shall be: no controller manager takes part. */
import type { Fleet, Tenant } from './fleet.ts';
import { claimSpec, createVolume, marks, paths } from './syncer.ts';
import type { ControlPlane } from './control-plane.ts';

const AT_ONCE = 32;

/**
 * Creates `count` pairs named data-0, data-1, … in one namespace; every `brokenEvery`-th super claim is Lost.
 * @param progress told after each thousand
 */
export async function createManyPairs(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  count: number,
  brokenEvery: number,
  progress: (done: number) => void,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      await createPair(fleet, tenant, namespace, `data-${number}`, number % brokenEvery === brokenEvery - 1);
      done += 1;
      if (done % 1000 === 0) progress(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** One pair as createManyPairs makes them. */
export async function createPair(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  name: string,
  broken: boolean,
): Promise<void> {
  const at = paths(tenant, namespace, name);
  const volumeName = `pv-${name}`;
  const annotations = {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  };
  const spec = claimSpec(volumeName);
  const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name };
  const claim = await tenant.plane.api.create(at.tenantList, { metadata: { name, annotations }, spec });
  const superClaim = await fleet.super.api.create(at.superList, {
    metadata: { name, annotations: { ...annotations, ...marks(tenant, namespace, claim.metadata.uid) } },
    spec,
  });
  await Promise.all([
    writeClaimStatus(tenant.plane, at.tenant, 'Bound'),
    writeClaimStatus(fleet.super, at.super, broken ? 'Lost' : 'Bound'),
    createVolumeAs(tenant.plane, volumeName, 'Bound', { ...reference, namespace, uid: claim.metadata.uid }),
    createVolumeAs(fleet.super, volumeName, broken ? 'Released' : 'Bound', {
      ...reference,
      namespace: at.superNamespace,
      // A broken pair's volume still carries the uid of an earlier claim.
      uid: broken ? 'earlier' : superClaim.metadata.uid,
    }),
  ]);
}

async function writeClaimStatus(plane: ControlPlane, path: string, phase: string): Promise<void> {
  const status = { phase, accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
  await plane.api.patch(`${path}/status`, { status });
}

/** A new volume is Pending until somebody writes its phase. */
async function createVolumeAs(
  plane: ControlPlane,
  name: string,
  phase: string,
  claimRef: object,
): Promise<void> {
  await createVolume(plane, name, claimRef);
  await plane.api.patch(`/api/v1/persistentvolumes/${name}/status`, { status: { phase } });
}
