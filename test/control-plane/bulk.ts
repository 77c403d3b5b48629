/** Many Bound pairs, written as they shall be: no controller manager takes part. */
import type { Fleet, Tenant } from './fleet.ts';
import { mapConcurrently } from '../../src/fleet/concurrency.ts';
import { claimSpec, createNamespace, createVolume, marks, paths } from './syncer.ts';
import type { ControlPlane } from './control-plane.ts';

const AT_ONCE = 32;
const BOUND_MARKS = {
  'pv.kubernetes.io/bind-completed': 'yes',
  'pv.kubernetes.io/bound-by-controller': 'yes',
};

/**
 * Creates `count` pairs named data-0, data-1, … in one namespace; every `brokenEvery`-th super claim is Lost.
 * @param progress told after each thousand
 * @param prefix in place of "data": volumes have no namespace, so two tenants need two
 */
export async function createManyPairs(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  count: number,
  brokenEvery: number,
  progress: (done: number) => void,
  prefix = 'data',
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      await createPair(
        fleet,
        tenant,
        namespace,
        `${prefix}-${number}`,
        number % brokenEvery === brokenEvery - 1,
      );
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
  const annotations = BOUND_MARKS;
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

/**
 * The pairs of VirtualClusters that share API servers: each finds the same `count` Bound claims in its tenant's
 * namespace "shop", and has super claims of its own. Every super claim has a volume that names it; both claims name
 * another one.
 * @param progress told after each VirtualCluster
 */
export async function createSharedPairs(
  fleet: Fleet,
  count: number,
  progress: (done: number) => void,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const uids = new Map<ControlPlane, string[]>();
  for (const tenant of fleet.tenants) {
    if (uids.has(tenant.plane)) continue;
    await tenant.plane.api.create('/api/v1/namespaces', { metadata: { name: SHARED } });
    const { tenantList } = paths(tenant, SHARED, '');
    const made = await mapConcurrently(numbers, AT_ONCE, async (number) => {
      const name = `data-${number}`;
      const claim = await tenant.plane.api.create(tenantList, {
        metadata: { name, annotations: BOUND_MARKS },
        spec: claimSpec(`pv-${name}`),
      });
      await writeClaimStatus(tenant.plane, `${tenantList}/${name}`, 'Bound');
      return claim.metadata.uid as string;
    });
    uids.set(tenant.plane, made);
  }
  let done = 0;
  for (const tenant of fleet.tenants) {
    await createNamespace(fleet, tenant, SHARED);
    await mapConcurrently(numbers, AT_ONCE, (number) =>
      createSharedSuperClaim(fleet, tenant, `data-${number}`, uids.get(tenant.plane)?.[number] ?? ''),
    );
    done += 1;
    progress(done);
  }
}

const SHARED = 'shop';

async function createSharedSuperClaim(
  fleet: Fleet,
  tenant: Tenant,
  name: string,
  uid: string,
): Promise<void> {
  const at = paths(tenant, SHARED, name);
  const created = await fleet.super.api.create(at.superList, {
    metadata: { name, annotations: { ...BOUND_MARKS, ...marks(tenant, SHARED, uid) } },
    spec: claimSpec(`pv-${name}`),
  });
  await writeClaimStatus(fleet.super, at.super, 'Bound');
  const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name };
  await createVolumeAs(fleet.super, `pv-${tenant.name}-${name}`, 'Bound', {
    ...reference,
    namespace: at.superNamespace,
    uid: created.metadata.uid,
  });
}
