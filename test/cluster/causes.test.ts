/** The causes against the real PV controller: what they say of thousands of states is what becomes of these. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { listAll } from '../../src/kube/list.ts';
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from '../../src/kube/resources.ts';
import type { CauseCode } from '../../src/reconcile/model.ts';
import { createStates, readObjects, settled } from '../control-plane/binding-states.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import { startStorage } from '../control-plane/storage.ts';
import type { Storage } from '../control-plane/storage.ts';
import { compareAll } from '../support/binding-comparison.ts';
import type { BindingObjects, Comparison } from '../support/binding-comparison.ts';
import { NAMESPACE } from '../support/binding-state-objects.ts';
import { bindingStates } from '../support/binding-state-generator.ts';

const STATES = 2000;
/** How often each cause has to occur, with everything read: far below what any seed gives. */
const LEAST = 10;
const SHOWN = 5;

const BINDING_CAUSES: readonly CauseCode[] = [
  'VolumeNameCleared',
  'TenantVolumeMissing',
  'VolumeDeleted',
  'VolumeNotFound',
  'ClaimRefStale',
  'ClaimRefUIDMissing',
  'VolumeClaimedByOther',
  'Rebinding',
  'VolumeUnsuitable',
  'StorageClassMissing',
  'WaitForFirstConsumer',
  'Provisioning',
  'NoMatchingVolume',
];

const { CAUSES_SEED } = process.env;

test('random states and the real PV controller', async (t) => {
  const seed = CAUSES_SEED === undefined ? randomInt(2 ** 31) : Number(CAUSES_SEED);
  t.diagnostic(`${STATES} states of seed ${seed}; CAUSES_SEED=${seed} gives the same`);
  const states = bindingStates(STATES, seed);
  const storage = await startStorage();
  const plane = await ControlPlane.start({ name: 'binding', storage });
  try {
    await plane.stopControllerManager();
    await createStates(plane, states);
    const before = await readObjects(plane);
    await plane.startControllerManager();
    const after = await settled(plane);
    const comparisons = compareAll(states, before, after);

    await t.test('each claim ends as its cause predicts, however much was read', () => {
      const wrong = comparisons.filter(({ result }) => result === 'disagrees');
      const shown = wrong.slice(0, SHOWN).map(({ text }) => text);
      assert.equal(wrong.length, 0, `${wrong.length} of seed ${seed} do not:\n${shown.join('\n')}`);
    });

    await t.test('with everything read each cause occurs, and none is undetermined', (tt) => {
      const given = countsOf(comparisons.filter(({ reading }) => reading === 'everything'));
      tt.diagnostic(JSON.stringify(Object.fromEntries(given)));
      assert.equal(given.get('Undetermined') ?? 0, 0);
      const seldom = BINDING_CAUSES.filter((code) => (given.get(code) ?? 0) < LEAST);
      assert.deepEqual(seldom, []);
    });

    await t.test('with nothing read causes are undetermined, and no volume is promised', () => {
      const given = countsOf(comparisons.filter(({ reading }) => reading === 'nothing'));
      assert.ok((given.get('Undetermined') ?? 0) > LEAST);
      assert.equal(given.get('Rebinding') ?? 0, 0);
    });

    await t.test('every object is the same by protobuf and by JSON', () =>
      sameByProtobuf(storage, plane, after),
    );
  } finally {
    await plane.stop();
    await storage.stop();
  }
});

function countsOf(comparisons: readonly Comparison[]): ReadonlyMap<CauseCode, number> {
  const counts = new Map<CauseCode, number>();
  for (const { code } of comparisons) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

async function sameByProtobuf(storage: Storage, plane: ControlPlane, byJson: BindingObjects): Promise<void> {
  const kubeconfig = await writeKubeconfig(storage, 'binding', plane.adminKubeconfig);
  const { settings } = await connectionFromFlags({ kubeconfig });
  const connection = new ApiConnection(settings);
  try {
    assert.deepEqual(await listAll(connection, CLAIMS, { namespace: NAMESPACE }), [
      ...byJson.claims.values(),
    ]);
    assert.deepEqual(await listAll(connection, VOLUMES, { namespace: null }), [...byJson.volumes.values()]);
    assert.deepEqual(await listAll(connection, STORAGE_CLASSES, { namespace: null }), [
      ...byJson.classes.values(),
    ]);
  } finally {
    await connection.close();
  }
}
