/** A watch of one replica among several, whose rights to write come and go at moments that no real lease can be made to hit. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { HOLD_NAME, MANAGED_BY } from '../../../src/reconcile/hold-policy.ts';
import { HOLD_CONDITION } from '../../../src/reconcile/model.ts';
import { superNamespaceName } from '../../../src/reconcile/mapping.ts';
import type { Ownership } from '../../../src/replicas/ownership.ts';
import type { Json } from '../../control-plane/api.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { CLAIMS, FakeWatchedFleet, claimObject, keyOf, marksOf } from '../../support/fake-watched-fleet.ts';

/** Milliseconds: what is told is answered at once, not when it would be looked at anyway. */
const PROMPTLY = 10_000;

/** Ownership as a test says. */
class FakeOwnership implements Ownership {
  owned = true;
  /** Asked before each write. */
  onAsk: () => boolean = () => true;
  asked = 0;
  readonly #listeners = new Set<() => void>();

  owns(): boolean {
    return this.owned;
  }

  mayWrite(): boolean {
    this.asked += 1;
    return this.owned && this.onAsk();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  state(): ReturnType<Ownership['state']> {
    return { replica: 'fake', live: ['fake'], holdsLease: true, awaiting: [] };
  }

  leave(): Promise<void> {
    return Promise.resolve();
  }
}

let fleet: FakeWatchedFleet | null = null;
afterEach(() => fleet?.stop());

/** A fleet with a claim of the first tenant, shop/data, whose super claim is Lost. */
async function broken(ownership: FakeOwnership): Promise<FakeWatchedFleet> {
  fleet = await FakeWatchedFleet.start(() => 0, true, 0, ownership);
  fleet.tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
  const marks = marksOf('first', 'shop', 'uid-data');
  const namespace = superNamespaceName(keyOf('first'), 'shop');
  fleet.super.put(CLAIMS, claimObject(namespace, 'data', 'super-data', 'Lost', marks));
  return fleet;
}

function claimIn({ tenants }: FakeWatchedFleet): Json {
  return tenants.first.find(CLAIMS, 'shop', 'data');
}

function heldIn(watched: FakeWatchedFleet): Promise<unknown> {
  return eventually(
    'the claim to be Lost',
    () => Promise.resolve(claimIn(watched).status.phase === 'Lost'),
    PROMPTLY,
  );
}

test('what it may not write yet it writes as soon as it is told that it may', async () => {
  const ownership = new FakeOwnership();
  ownership.onAsk = () => false;
  const watched = await broken(ownership);
  await eventually('a write to be kept back', () => Promise.resolve(ownership.asked > 0));
  assert.equal(claimIn(watched).status.phase, 'Bound');
  ownership.onAsk = () => true;
  ownership.changed();
  await heldIn(watched);
});

test('what another replica has written in the meantime it does not tell as its own', async () => {
  const ownership = new FakeOwnership();
  const watched = await broken(ownership);
  ownership.onAsk = (): boolean => {
    ownership.onAsk = () => false;
    const claim = claimIn(watched);
    const conditions = [{ type: HOLD_CONDITION, status: 'False', reason: 'VolumeDeleted', message: '' }];
    watched.tenants.first.put(CLAIMS, { ...claim, status: { ...claim.status, phase: 'Lost', conditions } });
    return false;
  };
  const { events } = watched;
  await eventually('the hold to be seen', () =>
    Promise.resolve(events.some(({ row }) => row.item.verdict === 'Held')),
  );
  assert.deepEqual(
    events.flatMap(({ row }) => row.outcome ?? []),
    [],
  );
});

test('a tenant that it has left while it wrote is not told of any more', async () => {
  const ownership = new FakeOwnership();
  const watched = await broken(ownership);
  ownership.onAsk = (): boolean => {
    ownership.owned = false;
    ownership.changed();
    return true;
  };
  await heldIn(watched);
  await watched.stop();
  fleet = null;
  assert.deepEqual(watched.events, []);
});

test('an Event that it may not write any more is no trouble', async () => {
  const ownership = new FakeOwnership();
  const watched = await broken(ownership);
  ownership.onAsk = (): boolean => {
    ownership.onAsk = () => false;
    return true;
  };
  await heldIn(watched);
  const { asked } = ownership;
  await eventually('the Event to be kept back', () => Promise.resolve(ownership.asked > asked || asked > 1));
  await watched.stop();
  fleet = null;
  assert.deepEqual(watched.troubles, []);
});

test('a policy that no claim needs any more goes once it may write, whoever left it behind', async () => {
  const ownership = new FakeOwnership();
  ownership.onAsk = () => false;
  fleet = await FakeWatchedFleet.start(() => 0, true, 0, ownership);
  const { first } = fleet.tenants;
  const metadata = { name: HOLD_NAME, uid: 'uid', labels: MANAGED_BY };
  const kinds = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'];
  for (const kind of kinds) first.put(kind, { metadata, spec: {} });
  await eventually('it to be asked whether it may', () => Promise.resolve(ownership.asked >= 2));
  const left = (): string[] => kinds.filter((kind) => first.find(kind, '', HOLD_NAME) !== null);
  assert.deepEqual(left(), kinds);
  ownership.onAsk = () => true;
  await eventually('both to be gone', () => Promise.resolve(left().length === 0));
  assert.deepEqual(fleet.troubles, []);
});
