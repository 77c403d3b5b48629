/** `sync` on real control planes: what the tenants' API servers hold, before and after. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SyncItem, SyncReport } from '../../src/reconcile/sync-report.ts';
import { HOLD_NAME } from '../../src/reconcile/hold-policy.ts';
import type { Json } from '../control-plane/api.ts';
import { eventually } from '../control-plane/eventually.ts';
import { claimRecreated, volumeDeleted } from '../control-plane/faults.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { createBoundPair, createClass, createNamespace, paths, phaseOf } from '../control-plane/syncer.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const CONDITION = 'tenancy.x-k8s.io/SuperClaimBound';
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${HOLD_NAME}`;
const BINDING = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${HOLD_NAME}`;

let fleet: Fleet;
let tenant: Tenant;

function sync(...args: readonly string[]): Promise<Finished> {
  return runCli(['sync', '--grace=0', ...args], { KUBECONFIG: fleet.kubeconfig });
}

async function report(...args: readonly string[]): Promise<{ code: number | null; report: SyncReport; stderr: string }> {
  const { code, stdout, stderr } = await sync(...args, '-o', 'json');
  assert.notEqual(stdout, '', stderr);
  return { code, report: JSON.parse(stdout) as SyncReport, stderr };
}

function claim(name: string): Promise<Json> {
  return tenant.plane.api.get(paths(tenant, 'shop', name).tenant);
}

function conditionOf(object: Json): Json {
  return object.status.conditions?.find((one: Json) => one.type === CONDITION);
}

function rowOf({ items }: SyncReport, name: string): SyncItem {
  const row = items.find((item) => item.tenant.name === name);
  assert.ok(row !== undefined, `no row of ${name}`);
  return row;
}

/** The Events of ours about a claim. */
async function eventsOf(name: string): Promise<Json[]> {
  const { uid } = (await claim(name)).metadata;
  const selector = encodeURIComponent(`involvedObject.uid=${uid},reason=SuperClaimNotBound`);
  return (await tenant.plane.api.get(`/api/v1/namespaces/shop/events?fieldSelector=${selector}`)).items;
}

async function breakClaim(name: string): Promise<void> {
  await createBoundPair(fleet, tenant, 'shop', name);
  await claimRecreated(fleet, tenant, 'shop', name);
}

/** Mends the super cluster as an admin would: the volume is given to the claim that now is. */
async function remedy(name: string): Promise<void> {
  const at = paths(tenant, 'shop', name);
  const { uid } = (await fleet.super.api.get(at.super)).metadata;
  await fleet.super.api.patch(`/api/v1/persistentvolumes/pv-${tenant.name}-${name}`, {
    spec: { claimRef: { uid, resourceVersion: null } },
  });
  await phaseOf(fleet.super, at.super, 'Bound');
}

describe('sync on real control planes', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'] });
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    tenant = first;
    await createClass(fleet.super);
    await createClass(tenant.plane);
    await createNamespace(fleet, tenant, 'shop');
  });
  after(() => fleet?.stop());

  test('without --hold the controller undoes it: told, exit 1, and condition and Event stay', async () => {
    await breakClaim('plain');
    const { code, report: done } = await report();
    const row = rowOf(done, 'plain');
    assert.deepEqual([row.was, row.is, row.outcome], ['Bound', 'Bound', 'Reverted']);
    assert.match(row.message, /^reverted by the tenant's PV controller; --hold makes it stay$/);
    assert.equal(code, 1);
    const condition = conditionOf(await claim('plain'));
    assert.deepEqual([condition.status, condition.reason], ['False', 'ClaimRefStale']);
    const events = await eventsOf('plain');
    assert.deepEqual(events.map(({ count, type }) => [count, type]), [[1, 'Warning']]);
    assert.equal(await tenant.plane.api.find(POLICY), null);
  });

  test('a second run counts the one Event up and keeps the time of the transition', async () => {
    const before = conditionOf(await claim('plain'));
    await sync();
    assert.deepEqual((await eventsOf('plain')).map(({ count }) => count), [2]);
    assert.equal(conditionOf(await claim('plain')).lastTransitionTime, before.lastTransitionTime);
  });

  test('with --hold the phase of the super claim stays', async () => {
    const { code, report: done, stderr } = await report('--hold');
    const row = rowOf(done, 'plain');
    assert.deepEqual([row.was, row.is, row.outcome], ['Bound', 'Pending', 'Held'], stderr);
    assert.equal(code, 0);
    assert.equal((await claim('plain')).status.phase, 'Pending');
    assert.notEqual(await tenant.plane.api.find(BINDING), null);
  });

  test('a run that finds everything held does nothing and exits 0', async () => {
    const before = await claim('plain');
    const { code, report: done } = await report();
    assert.deepEqual([code, rowOf(done, 'plain').outcome, rowOf(done, 'plain').patch], [0, 'Held', null]);
    assert.equal((await claim('plain')).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  test('a held claim follows the super claim from Pending to Lost', async () => {
    await createBoundPair(fleet, tenant, 'shop', 'sinking');
    await claimRecreated(fleet, tenant, 'shop', 'sinking');
    await sync('--hold');
    await remedy('sinking');
    await volumeDeleted(fleet, tenant, 'shop', 'sinking');
    const { code, report: done } = await report();
    assert.deepEqual([code, rowOf(done, 'sinking').was, rowOf(done, 'sinking').is], [0, 'Pending', 'Lost']);
    assert.equal(conditionOf(await claim('sinking')).reason, 'VolumeDeleted');
  });

  test('after the remedy sync gives the claim back, and nothing of ours is left on it', async () => {
    await remedy('plain');
    const { code, report: done } = await report();
    assert.deepEqual([code, rowOf(done, 'plain').outcome], [0, 'Released']);
    const now = await claim('plain');
    assert.equal(now.status.phase, 'Bound');
    assert.equal(conditionOf(now), undefined);
    assert.deepEqual(await eventsOf('plain'), []);
    // The other claim is still held.
    assert.notEqual(await tenant.plane.api.find(POLICY), null);
  });

  test('--release-all leaves claims, policies and Events as if we had never been there', async () => {
    const { code, report: done } = await report('--release-all');
    assert.deepEqual([code, rowOf(done, 'sinking').outcome], [0, 'Released']);
    assert.equal(conditionOf(await claim('sinking')), undefined);
    await eventually('the controller to have its way', async () => (await claim('sinking')).status.phase === 'Bound');
    assert.equal(await tenant.plane.api.find(POLICY), null);
    assert.equal(await tenant.plane.api.find(BINDING), null);
    assert.deepEqual(await eventsOf('sinking'), []);
  });
});
