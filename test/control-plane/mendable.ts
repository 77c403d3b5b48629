/** Every state that a remedy is printed for, made from a Bound pair by real API calls and settled by real controllers. */
import type { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';
import { createSuperClaim, shapedSpec, volumePath } from './shaped-pairs.ts';
import type { Instance } from './shaped-pairs.ts';
import { deleteClaim, paths, phaseOf } from './syncer.ts';

export interface Mendable {
  readonly name: string;
  readonly cause: string;
  /** Where the claim is that shall be Bound afterwards. */
  readonly side: 'super' | 'tenant';
  readonly break: (instance: Instance) => Promise<void>;
  /** Plays the syncer after the remedy, where it has to do its part. */
  readonly afterwards?: (instance: Instance) => Promise<void>;
}

const ANNOTATED = { 'pv.kubernetes.io/bind-completed': 'yes' };

function at(instance: Instance): ReturnType<typeof paths> {
  return paths(instance.tenant, instance.namespace, instance.name);
}

async function tenantUid(instance: Instance): Promise<string> {
  return (await instance.tenant.plane.api.get(at(instance).tenant)).metadata.uid;
}

/** Waits until a volume has been given up by its controller: Released, or Failed where reclaiming it failed. */
function givenUp(plane: ControlPlane, path: string): Promise<unknown> {
  return eventually(`${path} to be Released or Failed`, async () => {
    const { phase } = (await plane.api.get(path)).status;
    return phase === 'Released' || phase === 'Failed';
  });
}

/** Deletes the super claim and makes it again as it shall be broken. */
async function recreateSuper(
  instance: Instance,
  how: { named: boolean; bindCompleted?: boolean },
  phase: string,
): Promise<string> {
  const { fleet } = instance;
  await deleteClaim(fleet.super, at(instance).super);
  await givenUp(fleet.super, volumePath(instance));
  const claim = await createSuperClaim(instance, await tenantUid(instance), how);
  await phaseOf(fleet.super, at(instance).super, phase);
  return claim.metadata.uid;
}

/** The same in the tenant; the super claim is then this one's. */
async function recreateTenant(
  instance: Instance,
  { named, bindCompleted }: { named: boolean; bindCompleted: boolean },
  phase: string,
): Promise<string> {
  const { fleet, tenant, name } = instance;
  await deleteClaim(tenant.plane, at(instance).tenant);
  await givenUp(tenant.plane, volumePath(instance));
  const { metadata } = await tenant.plane.api.create(at(instance).tenantList, {
    metadata: { name, annotations: bindCompleted ? ANNOTATED : {} },
    spec: shapedSpec(instance, named),
  });
  await fleet.super.api.patch(at(instance).super, {
    metadata: { annotations: { 'tenancy.x-k8s.io/uid': metadata.uid } },
  });
  await phaseOf(tenant.plane, at(instance).tenant, phase);
  return metadata.uid;
}

async function setClaimRef(plane: ControlPlane, instance: Instance, uid: string | null): Promise<void> {
  await plane.api.patch(volumePath(instance), { spec: { claimRef: { uid, resourceVersion: null } } });
}

export const MENDABLE: readonly Mendable[] = [
  {
    name: 'bound before, spec.volumeName empty',
    cause: 'VolumeNameCleared',
    side: 'super',
    break: async (instance) => {
      const uid = await recreateSuper(instance, { named: false, bindCompleted: true }, 'Lost');
      await setClaimRef(instance.fleet.super, instance, uid);
    },
  },
  {
    name: 'the same, its volume Bound to it all the time, as it was seen in production',
    cause: 'VolumeNameCleared',
    side: 'super',
    break: async (instance) => {
      const { fleet } = instance;
      const uid = await recreateSuper(instance, { named: false, bindCompleted: true }, 'Lost');
      await setClaimRef(fleet.super, instance, uid);
      // Whoever reclaims may be writing Failed at this moment.
      await eventually('the volume to stay Bound', async () => {
        await fleet.super.api.patch(`${volumePath(instance)}/status`, { status: { phase: 'Bound' } });
        return (await fleet.super.api.get(volumePath(instance))).status.phase === 'Bound';
      });
    },
  },
  {
    name: 'bound before, spec.volumeName empty, the volume of an earlier claim',
    cause: 'VolumeNameCleared',
    side: 'super',
    break: async (instance) => {
      await recreateSuper(instance, { named: false, bindCompleted: true }, 'Lost');
    },
  },
  {
    name: 'the volume of an earlier claim, the claim Pending',
    cause: 'ClaimRefStale',
    side: 'super',
    break: async (instance) => {
      await recreateSuper(instance, { named: true }, 'Pending');
    },
  },
  {
    name: 'the volume of an earlier claim, the claim Lost',
    cause: 'ClaimRefStale',
    side: 'super',
    break: async (instance) => {
      await recreateSuper(instance, { named: true, bindCompleted: true }, 'Lost');
    },
  },
  {
    name: 'the volume of an earlier claim, the claim without spec.volumeName',
    cause: 'ClaimRefStale',
    side: 'super',
    break: async (instance) => {
      await recreateSuper(instance, { named: false }, 'Pending');
    },
  },
  {
    name: 'a claimRef without uid',
    cause: 'ClaimRefUIDMissing',
    side: 'super',
    break: async (instance) => {
      await setClaimRef(instance.fleet.super, instance, null);
      await phaseOf(instance.fleet.super, at(instance).super, 'Lost');
    },
  },
  {
    name: 'the super claim deleted',
    cause: 'SuperClaimDeleted',
    side: 'super',
    break: async (instance) => {
      await deleteClaim(instance.fleet.super, at(instance).super);
      await givenUp(instance.fleet.super, volumePath(instance));
    },
    afterwards: async (instance) => {
      await createSuperClaim(instance, await tenantUid(instance), { named: true });
    },
  },
  {
    name: 'in the tenant: bound before, spec.volumeName empty',
    cause: 'VolumeNameCleared',
    side: 'tenant',
    break: async (instance) => {
      const uid = await recreateTenant(instance, { named: false, bindCompleted: true }, 'Lost');
      await setClaimRef(instance.tenant.plane, instance, uid);
    },
  },
  {
    name: 'in the tenant: the volume of an earlier claim',
    cause: 'ClaimRefStale',
    side: 'tenant',
    break: async (instance) => {
      await recreateTenant(instance, { named: true, bindCompleted: false }, 'Pending');
    },
  },
  {
    name: 'in the tenant: a claimRef without uid',
    cause: 'ClaimRefUIDMissing',
    side: 'tenant',
    break: async (instance) => {
      await setClaimRef(instance.tenant.plane, instance, null);
      await phaseOf(instance.tenant.plane, at(instance).tenant, 'Lost');
    },
  },
];
