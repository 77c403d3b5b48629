/** Bound pairs of many shapes: sizes, modes, classes, policies, kinds of disk. Bound by real controllers. */
import * as fc from 'fast-check';
import type { Json } from './api.ts';
import { eventually } from './eventually.ts';
import type { Fleet, Tenant } from './fleet.ts';
import { CLASS, createClass, marks, paths, phaseOf } from './syncer.ts';
import type { ControlPlane } from './control-plane.ts';

/** A class that waits for a pod; volumes that name their claim are bound all the same. */
const LATE_CLASS = 'late';

/** What a pair looks like. Its names are made by `nameShape`. */
export interface Shape {
  readonly suffix: string;
  readonly size: string;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  readonly storageClassName: string;
  readonly policy: string;
  readonly disk: object;
  /** The tenant claim has the condition of a hold; its phase is its controller's. */
  readonly held: boolean;
}

/** A pair with its place. */
export interface Instance {
  readonly fleet: Fleet;
  readonly tenant: Tenant;
  readonly namespace: string;
  readonly name: string;
  readonly volume: string;
  readonly shape: Shape;
}

const ON_ONE_NODE = {
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }] },
    ],
  },
};

const shapes: fc.Arbitrary<Shape> = fc.record({
  suffix: fc.constantFrom('', '-0', '.data', '-with-a-name-as-long-as-stateful-sets-make'),
  size: fc.constantFrom('1Gi', '500M', '3Ti', '1048576'),
  accessModes: fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'], { minLength: 1 }),
  volumeMode: fc.constantFrom('Filesystem', 'Block'),
  storageClassName: fc.constantFrom(CLASS, LATE_CLASS, ''),
  policy: fc.constantFrom('Retain', 'Delete', 'Recycle'),
  // The disk of a CSI volume is deleted by a program of its own, which does not run here.
  disk: fc.oneof(
    fc.uuid().map((volumeHandle) => ({ csi: { driver: 'disks.example.com', volumeHandle } })),
    fc.constant({ local: { path: '/mnt/disk' }, nodeAffinity: ON_ONE_NODE }),
  ),
  held: fc.boolean(),
});

/** The same shapes for the same seed. */
export function sampleShapes(count: number, seed: number): Shape[] {
  return fc.sample(shapes, { numRuns: count, seed });
}

/** The classes that shapes name. */
export async function createClasses(plane: ControlPlane): Promise<void> {
  await createClass(plane);
  await createClass(plane, LATE_CLASS, 'WaitForFirstConsumer');
}

/** Path of a claim's volume, in both clusters. */
export function volumePath({ volume }: Instance): string {
  return `/api/v1/persistentvolumes/${volume}`;
}

/** spec of the claim. */
export function shapedSpec({ shape, volume }: Instance, named: boolean): object {
  const { accessModes, volumeMode, storageClassName, size } = shape;
  return {
    accessModes,
    volumeMode,
    storageClassName,
    resources: { requests: { storage: size } },
    ...(named ? { volumeName: volume } : {}),
  };
}

function volumeSpec({ shape }: Instance, claimRef: object): object {
  const { accessModes, volumeMode, storageClassName, size, policy, disk } = shape;
  return {
    accessModes,
    volumeMode,
    storageClassName,
    capacity: { storage: size },
    persistentVolumeReclaimPolicy: policy,
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claimRef },
    ...disk,
  };
}

/** The super claim, as the syncer makes it for a tenant claim. */
export async function createSuperClaim(
  instance: Instance,
  tenantUid: string,
  { named, bindCompleted = false }: { named: boolean; bindCompleted?: boolean },
): Promise<Json> {
  const { fleet, tenant, namespace, name } = instance;
  const bound = bindCompleted ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {};
  return fleet.super.api.create(paths(tenant, namespace, name).superList, {
    metadata: { name, annotations: { ...marks(tenant, namespace, tenantUid), ...bound } },
    spec: shapedSpec(instance, named),
  });
}

/** A pair that is Bound on both sides. */
export async function createShapedPair(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  prefix: string,
  shape: Shape,
): Promise<Instance> {
  const name = `${prefix}${shape.suffix}`;
  const instance = { fleet, tenant, namespace, name, volume: `pv-${name}`, shape };
  const at = paths(tenant, namespace, name);
  const list = '/api/v1/persistentvolumes';
  await fleet.super.api.create(list, {
    metadata: { name: instance.volume },
    spec: volumeSpec(instance, { namespace: at.superNamespace, name }),
  });
  const claim = await tenant.plane.api.create(at.tenantList, {
    metadata: { name },
    spec: shapedSpec(instance, false),
  });
  await createSuperClaim(instance, claim.metadata.uid, { named: false });
  await phaseOf(fleet.super, at.super, 'Bound');
  await tenant.plane.api.create(list, {
    metadata: { name: instance.volume },
    spec: volumeSpec(instance, { namespace, name, uid: claim.metadata.uid }),
  });
  await eventually(`${name} to have its volume in the tenant`, () =>
    tenant.plane.api.patch(at.tenant, { spec: { volumeName: instance.volume } }),
  );
  await phaseOf(tenant.plane, at.tenant, 'Bound');
  if (shape.held) await hold(instance);
  return instance;
}

async function hold({ tenant, namespace, name }: Instance): Promise<void> {
  const condition = {
    type: 'tenancy.x-k8s.io/SuperClaimBound',
    status: 'False',
    reason: 'Test',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await tenant.plane.api.patch(
    `${paths(tenant, namespace, name).tenant}/status`,
    { status: { conditions: [condition] } },
    'application/strategic-merge-patch+json',
  );
}
