/** The syncer's part, and the controllers' by way of it: pairs of claims that real PV controllers have bound. */
import { superNamespaceName } from '../../src/reconcile/mapping.ts';
import type { Json } from './api.ts';
import type { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';
import type { Fleet, Tenant } from './fleet.ts';

export const CLASS = 'local-storage';

/** Paths of a pair's objects. */
export function paths(
  tenant: Tenant,
  namespace: string,
  name: string,
): { tenant: string; super: string; tenantList: string; superList: string; superNamespace: string } {
  const superNamespace = superNamespaceName(tenant.key, namespace);
  const tenantList = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const superList = `/api/v1/namespaces/${superNamespace}/persistentvolumeclaims`;
  return {
    tenant: `${tenantList}/${name}`,
    super: `${superList}/${name}`,
    tenantList,
    superList,
    superNamespace,
  };
}

/** The class that both sides use; it provisions nothing. */
export async function createClass(
  plane: ControlPlane,
  name = CLASS,
  volumeBindingMode = 'Immediate',
): Promise<void> {
  await plane.api.create('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode,
  });
}

/** A tenant namespace and its super namespace. */
export async function createNamespace(fleet: Fleet, tenant: Tenant, namespace: string): Promise<void> {
  const created = await eventually(
    `namespace ${namespace} in the tenant`,
    async () =>
      (await tenant.plane.api.find(`/api/v1/namespaces/${namespace}`)) ??
      tenant.plane.api.create('/api/v1/namespaces', { metadata: { name: namespace } }),
  );
  await fleet.super.api.create('/api/v1/namespaces', {
    metadata: {
      name: superNamespaceName(tenant.key, namespace),
      annotations: marks(tenant, namespace, created.metadata.uid),
    },
  });
}

/** The annotations of a synced super object. */
export function marks(tenant: Tenant, namespace: string, uid: string): Record<string, string> {
  return {
    'tenancy.x-k8s.io/cluster': tenant.key,
    'tenancy.x-k8s.io/namespace': namespace,
    'tenancy.x-k8s.io/uid': uid,
    'tenancy.x-k8s.io/ownerReferences': 'null',
    'tenancy.x-k8s.io/vcname': tenant.name,
    'tenancy.x-k8s.io/vcnamespace': tenant.namespace,
  };
}

/** The spec of a claim. */
export function claimSpec(volumeName?: string, storageClassName = CLASS): object {
  return {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName,
    ...(volumeName === undefined ? {} : { volumeName }),
  };
}

/** A volume, named the same on both sides. */
export async function createVolume(plane: ControlPlane, name: string, claimRef?: object): Promise<void> {
  await plane.api.create('/api/v1/persistentvolumes', {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: CLASS,
      hostPath: { path: `/data/${name}` },
      ...(claimRef === undefined ? {} : { claimRef }),
    },
  });
}

/** Sends a tenant claim down, as the syncer does. */
export async function syncDown(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  claim: Json,
  spec: object,
): Promise<void> {
  const { superList } = paths(tenant, namespace, claim.metadata.name);
  await fleet.super.api.create(superList, {
    metadata: { name: claim.metadata.name, annotations: marks(tenant, namespace, claim.metadata.uid) },
    spec,
  });
}

/** A claim that real controllers have bound on both sides, to volume `pv-<name>`. */
export async function createBoundPair(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  name: string,
): Promise<void> {
  const at = paths(tenant, namespace, name);
  const volumeName = `pv-${tenant.name}-${name}`;
  const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name };
  await createVolume(fleet.super, volumeName, { ...reference, namespace: at.superNamespace });
  const claim = await tenant.plane.api.create(at.tenantList, { metadata: { name }, spec: claimSpec() });
  await syncDown(fleet, tenant, namespace, claim, claimSpec());
  await phaseOf(fleet.super, at.super, 'Bound');
  await createVolume(tenant.plane, volumeName, { ...reference, namespace, uid: claim.metadata.uid });
  await eventually(`${name} to have its volume in the tenant`, () =>
    tenant.plane.api.patch(at.tenant, { spec: { volumeName } }),
  );
  await phaseOf(tenant.plane, at.tenant, 'Bound');
}

/** A claim that no volume fits: Pending on both sides, and both controllers have said why. */
export async function createPendingClaim(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  name: string,
): Promise<void> {
  const at = paths(tenant, namespace, name);
  // Larger than any volume here.
  const spec = { ...claimSpec(), resources: { requests: { storage: '1Ti' } } };
  const claim = await tenant.plane.api.create(at.tenantList, { metadata: { name }, spec });
  await syncDown(fleet, tenant, namespace, claim, spec);
  await eventOf(tenant.plane, namespace, name, 'ProvisioningFailed');
  await eventOf(fleet.super, at.superNamespace, name, 'ProvisioningFailed');
}

/** Waits until a controller has reported an event on a claim. */
export async function eventOf(
  plane: ControlPlane,
  namespace: string,
  claim: string,
  reason: string,
): Promise<void> {
  const { uid } = (await plane.api.get(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${claim}`))
    .metadata;
  const selector = encodeURIComponent(`involvedObject.uid=${uid},reason=${reason}`);
  await eventually(`${plane.name} claim ${namespace}/${claim} to have an event ${reason}`, async () => {
    const { items } = await plane.api.get(`/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`);
    return items.length > 0;
  });
}

/** Waits until an object has a phase. */
export function phaseOf(plane: ControlPlane, path: string, phase: string): Promise<Json> {
  return eventually(`${plane.name} ${path} to be ${phase}`, async () => {
    const object = await plane.api.find(path);
    return object?.status?.phase === phase && object;
  });
}

/** Deletes a claim and waits until it is gone; its protection finalizer goes with its controller. */
export async function deleteClaim(plane: ControlPlane, path: string): Promise<void> {
  await plane.api.delete(path);
  await eventually(`${plane.name} ${path} to be gone`, async () => (await plane.api.find(path)) === null);
}
