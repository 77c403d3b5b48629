/** Puts random states into a control plane whose controllers stand still, lets them run, and tells what became of each. */
import { claimFromJson, storageClassFromJson, volumeFromJson } from '../../src/kube/objects/from-json.ts';
import type { BindingObjects } from '../support/binding-comparison.ts';
import type { BindingState, VolumeState } from '../support/binding-state.ts';
import type { Json } from './api.ts';
import {
  NAMESPACE,
  claimName,
  claimObject,
  classObject,
  rivalName,
  rivalObject,
  volumeNameOf,
  volumeObject,
} from '../support/binding-state-objects.ts';
import type { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';

const AT_ONCE = 16;
const MOST_ROUNDS = 50;
/** Milliseconds: the first time round the controller has all states to write. */
const LONGEST_ROUND = 180_000;
const CLAIMS = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** Creates the objects of all states, phases included. No controller may run, or it would answer half of a state. */
export async function createStates(plane: ControlPlane, states: readonly BindingState[]): Promise<void> {
  await plane.api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const entries = states.entries();
  const work = async (): Promise<void> => {
    for (const [number, state] of entries) await createState(plane, number, state);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Reads all objects. */
export async function readObjects(plane: ControlPlane): Promise<BindingObjects> {
  const [claims, volumes, classes] = await Promise.all(
    [CLAIMS, VOLUMES, CLASSES].map(async (path): Promise<Json[]> => (await plane.api.get(path)).items),
  );
  return {
    claims: byName((claims ?? []).map(claimFromJson)),
    volumes: byName((volumes ?? []).map(volumeFromJson)),
    classes: byName((classes ?? []).map(storageClassFromJson)),
  };
}

/**
 * Waits until the PV controller has gone over all claims and volumes without changing any, and gives them.
 * A claim whose volume comes later is only looked at again when the controller goes round, and its queues are served
 * in order: three such claims Bound one after the other say that it has gone all the way round in between.
 * @throws Error where it never stops changing something
 */
export async function settled(plane: ControlPlane): Promise<BindingObjects> {
  let before = await readObjects(plane);
  for (const round of Array.from({ length: MOST_ROUNDS }).keys()) {
    for (const pass of [1, 2, 3]) await controllerGoesRound(plane, `round-${round}-${pass}`);
    const after = await readObjects(plane);
    if (sameVersions(before.claims, after.claims) && sameVersions(before.volumes, after.volumes))
      return after;
    before = after;
  }
  throw new Error(`the PV controller still changes objects after ${MOST_ROUNDS} rounds`);
}

async function createState(plane: ControlPlane, number: number, state: BindingState): Promise<void> {
  const { api } = plane;
  const storageClass = classObject(number, state);
  if (storageClass !== null) await api.create(CLASSES, storageClass);
  const claim = await api.create(CLAIMS, claimObject(number, state));
  if (state.claim.phase !== 'Pending') {
    await api.patch(`${CLAIMS}/${claimName(number)}/status`, { status: { phase: state.claim.phase } });
  }
  let hasRival = false;
  for (const which of ['first', 'second'] as const) {
    const volume = state[which];
    if (volume === null) continue;
    const name = volumeNameOf(number, which);
    // A claim is bound to one volume; a second one that names it would soon be set free.
    const rivalHere: boolean = volume.claimRef === 'a rival that is bound' && !hasRival;
    hasRival ||= rivalHere;
    const rival = rivalHere ? await createRival(plane, number, name) : 'uid-before';
    await createVolume(plane, number, name, volume, { claim: claim.metadata.uid, rival });
  }
}

/** A claim that is bound to the volume, and its uid. */
async function createRival(plane: ControlPlane, number: number, volumeName: string): Promise<string> {
  const rival = await plane.api.create(CLAIMS, rivalObject(number, volumeName));
  await plane.api.patch(`${CLAIMS}/${rivalName(number)}/status`, { status: { phase: 'Bound' } });
  return rival.metadata.uid;
}

async function createVolume(
  plane: ControlPlane,
  number: number,
  name: string,
  volume: VolumeState,
  uids: { claim: string; rival: string },
): Promise<void> {
  await plane.api.create(VOLUMES, volumeObject(number, name, volume, uids));
  // A new volume is Pending until somebody writes its phase.
  if (volume.phase !== 'Pending') {
    await plane.api.patch(`${VOLUMES}/${name}/status`, { status: { phase: volume.phase } });
  }
  if (volume.terminating) await plane.api.delete(`${VOLUMES}/${name}`);
}

async function controllerGoesRound(plane: ControlPlane, name: string): Promise<void> {
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: name };
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
  await plane.api.create(claims, {
    metadata: { name },
    spec: { ...spec, resources: { requests: { storage: '1Gi' } } },
  });
  await plane.api.create(VOLUMES, {
    metadata: { name },
    spec: { ...spec, capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
  });
  await eventually(
    `the PV controller to have gone round (${name})`,
    async () => (await plane.api.get(`${claims}/${name}`)).status.phase === 'Bound',
    LONGEST_ROUND,
  );
}

function byName<T extends { readonly name: string }>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.name, object]));
}

/** Objects that came in between are the waiting's own. */
function sameVersions(
  before: ReadonlyMap<string, { readonly resourceVersion: string }>,
  after: ReadonlyMap<string, { readonly resourceVersion: string }>,
): boolean {
  return [...before].every(([name, object]) => after.get(name)?.resourceVersion === object.resourceVersion);
}
