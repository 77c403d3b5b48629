/** What goes wrong in production, done to a bound pair by real API calls and settled by real PV controllers. */
import type { Fleet, Tenant } from './fleet.ts';
import { claimSpec, deleteClaim, eventOf, marks, paths, phaseOf, syncDown } from './syncer.ts';

/** Does something to the pair and returns once the controllers have answered. */
export type Fault = (fleet: Fleet, tenant: Tenant, namespace: string, name: string) => Promise<void>;

const BIND_COMPLETED = { 'pv.kubernetes.io/bind-completed': 'yes' };

function volumePath(tenant: Tenant, name: string): string {
  return `/api/v1/persistentvolumes/pv-${tenant.name}-${name}`;
}

/** Takes the claim away on both sides, leaves both volumes Released, and binds a new tenant claim to the tenant's. */
async function recreateTenantClaim(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  name: string,
  deleteSuper: boolean,
) {
  const at = paths(tenant, namespace, name);
  const volumeName = `pv-${tenant.name}-${name}`;
  await deleteClaim(tenant.plane, at.tenant);
  if (deleteSuper) await deleteClaim(fleet.super, at.super);
  const claim = await tenant.plane.api.create(at.tenantList, {
    metadata: { name },
    spec: claimSpec(volumeName),
  });
  await tenant.plane.api.patch(volumePath(tenant, name), { spec: { claimRef: null } });
  await phaseOf(tenant.plane, at.tenant, 'Bound');
  return claim;
}

/** Case 2 of the upstream request: super volume Released, super claim Pending. */
export const claimRecreated: Fault = async (fleet, tenant, namespace, name) => {
  const claim = await recreateTenantClaim(fleet, tenant, namespace, name, true);
  await syncDown(fleet, tenant, namespace, claim, claimSpec(`pv-${tenant.name}-${name}`));
  await phaseOf(fleet.super, volumePath(tenant, name), 'Released');
  await phaseOf(fleet.super, paths(tenant, namespace, name).super, 'Pending');
};

/** The super claim still carries the uid of the tenant claim before. */
export const tenantClaimRecreated: Fault = async (fleet, tenant, namespace, name) => {
  await recreateTenantClaim(fleet, tenant, namespace, name, false);
};

/** Case 1: super volume Bound to the super claim, which is Lost without volumeName. */
export const volumeNameCleared: Fault = async (fleet, tenant, namespace, name) => {
  const at = paths(tenant, namespace, name);
  const claim = await tenant.plane.api.get(at.tenant);
  await deleteClaim(fleet.super, at.super);
  const annotations = { ...marks(tenant, namespace, claim.metadata.uid), ...BIND_COMPLETED };
  const recreated = await fleet.super.api.create(at.superList, {
    metadata: { name, annotations },
    spec: claimSpec(),
  });
  await phaseOf(fleet.super, at.super, 'Lost');
  await fleet.super.api.patch(volumePath(tenant, name), {
    spec: { claimRef: { uid: recreated.metadata.uid, resourceVersion: null } },
  });
  // Deleting the claim made it Released, and the controller writes no phase for a claim without volumeName
  // (pv_controller.go, syncVolume): in production it was Bound all the time.
  await fleet.super.api.patch(`${volumePath(tenant, name)}/status`, { status: { phase: 'Bound' } });
};

/** The super volume is gone, finalizers and all. */
export const volumeDeleted: Fault = async (fleet, tenant, namespace, name) => {
  const path = volumePath(tenant, name);
  await fleet.super.api.delete(path);
  await fleet.super.api.patch(path, { metadata: { finalizers: null } });
  await phaseOf(fleet.super, paths(tenant, namespace, name).super, 'Lost');
};

/** The super claim was made again with a class that the super cluster does not have. */
export const classMissing: Fault = async (fleet, tenant, namespace, name) => {
  const at = paths(tenant, namespace, name);
  const claim = await tenant.plane.api.get(at.tenant);
  await deleteClaim(fleet.super, at.super);
  // The volume must not be a candidate: it is of the claim's past.
  await fleet.super.api.patch(volumePath(tenant, name), { spec: { claimRef: { name: 'somebody-else' } } });
  await syncDown(fleet, tenant, namespace, claim, claimSpec(undefined, 'no-such-class'));
  // A new claim is Pending from the start; the event shows that the controller has looked at it.
  await eventOf(fleet.super, at.superNamespace, name, 'ProvisioningFailed');
};

/** The super claim was deleted, and the syncer has not come by. */
export const superClaimDeleted: Fault = async (fleet, tenant, namespace, name) => {
  await deleteClaim(fleet.super, paths(tenant, namespace, name).super);
  await phaseOf(fleet.super, volumePath(tenant, name), 'Released');
};

/** Every fault, with what `check` has to say of it. */
export const FAULTS: readonly {
  readonly name: string;
  readonly make: Fault;
  readonly verdict: string;
  readonly cause: string;
  readonly action: string | null;
}[] = [
  {
    name: 'claim-recreated',
    make: claimRecreated,
    verdict: 'SuperNotBound',
    cause: 'ClaimRefStale',
    action: 'SetPhase',
  },
  {
    name: 'volume-name-cleared',
    make: volumeNameCleared,
    verdict: 'SuperNotBound',
    cause: 'VolumeNameCleared',
    action: 'SetPhase',
  },
  {
    name: 'volume-deleted',
    make: volumeDeleted,
    verdict: 'SuperNotBound',
    cause: 'VolumeDeleted',
    action: 'SetPhase',
  },
  {
    name: 'class-missing',
    make: classMissing,
    verdict: 'SuperNotBound',
    cause: 'StorageClassMissing',
    action: 'SetPhase',
  },
  {
    name: 'super-claim-deleted',
    make: superClaimDeleted,
    verdict: 'SuperMissing',
    cause: 'SuperClaimDeleted',
    action: null,
  },
  {
    name: 'tenant-claim-recreated',
    make: tenantClaimRecreated,
    verdict: 'OwnerMismatch',
    cause: 'TenantClaimRecreated',
    action: null,
  },
];
