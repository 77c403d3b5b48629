/** Every remedy as it is printed, run by a shell with the real kubectl against real PV controllers. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Json } from '../control-plane/api.ts';
import { binaries } from '../control-plane/build.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { MENDABLE } from '../control-plane/mendable.ts';
import type { Mendable } from '../control-plane/mendable.ts';
import {
  createClasses,
  createShapedPair,
  createSuperClaim,
  sampleShapes,
  shapedSpec,
  volumePath,
} from '../control-plane/shaped-pairs.ts';
import type { Instance } from '../control-plane/shaped-pairs.ts';
import { createNamespace, deleteClaim, paths, phaseOf } from '../control-plane/syncer.ts';
import { mapConcurrently } from '../../src/fleet/concurrency.ts';
import { runCli, runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const INSTANCES = 20;
const AT_ONCE = 6;
const NAMESPACES = ['shop', 'warehouse-of-the-tenant'];

let fleet: Fleet;
let tenant: Tenant;
let tenantFile: string;
let kubectlDirectory: string;

function explained(instance: Instance, more: readonly string[] = []): Promise<Finished> {
  const claim = `${tenant.namespace}/${tenant.name}/${instance.namespace}/${instance.name}`;
  const files = [
    `--kubeconfig=${fleet.kubeconfig}`,
    `--tenant-kubeconfig=${tenant.namespace}/${tenant.name}=${tenantFile}`,
  ];
  return runCli(['explain', claim, '--grace=0', ...files, ...more]);
}

/** The command as a reader would copy it from the screen: everything from its first line to the next empty one. */
function printedCommand({ stdout, stderr }: Finished): string {
  const command = /^(kubectl (?:.+\n)+)\n/m.exec(stdout)?.[1];
  assert.ok(command !== undefined, `no command in:\n${stdout}${stderr}`);
  return command;
}

/** Runs a command through a shell that has the real kubectl and nothing of ours. */
function inShell(command: string): Promise<Finished> {
  return runProcess('/bin/sh', ['-c', command], {
    PATH: `${kubectlDirectory}:${process.env['PATH'] ?? ''}`,
    HOME: fleet.storage.directory,
  });
}

function plane(side: Mendable['side']): ControlPlane {
  return side === 'super' ? fleet.super : tenant.plane;
}

async function broken(fault: Mendable, index: number, key: string): Promise<Instance> {
  const [shape] = sampleShapes(index + 1, MENDABLE.indexOf(fault) + 1).slice(index);
  assert.ok(shape !== undefined);
  const namespace = NAMESPACES[index % NAMESPACES.length] ?? '';
  // A held claim is judged as one, whatever else its tenant's controller says of it.
  const held = shape.held && fault.side === 'super';
  const instance = await createShapedPair(fleet, tenant, namespace, key, { ...shape, held });
  await fault.break(instance);
  return instance;
}

/** Every claim and volume of a cluster but those of the instances, with all their fields. */
async function bystanders(of: ControlPlane): Promise<Json> {
  const [claims, volumes] = await Promise.all(
    ['persistentvolumeclaims', 'persistentvolumes'].map((plural) => of.api.get(`/api/v1/${plural}`)),
  );
  return [...claims.items, ...volumes.items].filter(({ metadata }) => /bystander/.test(metadata.name));
}

async function createBystanders(): Promise<void> {
  for (const [index, shape] of sampleShapes(8, 99).entries()) {
    for (const namespace of NAMESPACES) {
      await createShapedPair(fleet, tenant, namespace, `bystander-${index}-${namespace.slice(0, 4)}`, shape);
    }
  }
}

/** What somebody else may do to the objects meanwhile; the smallest change there is. */
const CHANGES: Readonly<Record<string, (instance: Instance, side: Mendable['side']) => Promise<void>>> = {
  claim: async ({ namespace, name }, side) => {
    await annotate(plane(side), paths(tenant, namespace, name)[side]);
  },
  volume: (instance, side) => annotate(plane(side), volumePath(instance)),
};

async function annotate(of: ControlPlane, path: string): Promise<void> {
  await of.api.patch(path, { metadata: { annotations: { 'example.com/touched': 'yes' } } });
}

/** spec of super and tenant claim and volume; null where there is none. */
function specsOf(instance: Instance): Promise<Json> {
  const at = paths(tenant, instance.namespace, instance.name);
  const volume = volumePath(instance);
  return Promise.all(
    (
      [
        [fleet.super, at.super],
        [fleet.super, volume],
        [tenant.plane, at.tenant],
        [tenant.plane, volume],
      ] as const
    ).map(async ([of, path]) => (await of.api.find(path))?.spec ?? null),
  );
}

/** As a tenant does who deletes a claim and creates it again for the same volume. */
async function recreateTenantClaim(instance: Instance): Promise<void> {
  const at = paths(tenant, instance.namespace, instance.name);
  await deleteClaim(tenant.plane, at.tenant);
  await tenant.plane.api.create(at.tenantList, {
    metadata: { name: instance.name },
    spec: shapedSpec(instance, true),
  });
  await tenant.plane.api.patch(volumePath(instance), { spec: { claimRef: null } });
  await phaseOf(tenant.plane, at.tenant, 'Bound');
}

/** uid and deletion mark of both volumes: an object that was deleted and made again has another uid. */
function volumeUids(instance: Instance): Promise<Json> {
  return Promise.all(
    [fleet.super, tenant.plane].map(async (of) => {
      const { uid, deletionTimestamp } = (await of.api.get(volumePath(instance))).metadata;
      return { uid, deletionTimestamp };
    }),
  );
}

/** The second command, where there is one, gives the volume the policy back that it had. */
async function laterCommand({ stdout }: Finished, instance: Instance): Promise<void> {
  const policy = async (): Promise<string> =>
    (await fleet.super.api.get(volumePath(instance))).spec.persistentVolumeReclaimPolicy;
  const later = /^ {2}Later, [^]*?\n\n(kubectl (?:.+\n)+)\n/m.exec(stdout)?.[1];
  if (later === undefined) {
    assert.equal(await policy(), instance.shape.policy);
    return;
  }
  assert.equal(await policy(), 'Retain');
  const ran = await inShell(later);
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(await policy(), instance.shape.policy);
}

describe('printed remedies on real control planes', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'] });
    const [first] = fleet.tenants;
    assert.ok(first !== undefined);
    tenant = first;
    tenantFile = await writeKubeconfig(fleet.storage, "the tenant's own", tenant.plane.adminKubeconfig);
    kubectlDirectory = dirname((await binaries()).kubectl);
    await Promise.all([fleet.super, tenant.plane].map(createClasses));
    for (const namespace of NAMESPACES) await createNamespace(fleet, tenant, namespace);
    await createBystanders();
  });
  after(() => fleet?.stop());

  for (const [number, fault] of MENDABLE.entries()) {
    test(`${fault.cause}, ${fault.name}: ${INSTANCES} times Bound by the printed command, no volume deleted, nobody else touched`, async () => {
      const before = await Promise.all([fleet.super, tenant.plane].map(bystanders));
      const indexes = Array.from({ length: INSTANCES }, (_, index) => index);
      await mapConcurrently(indexes, AT_ONCE, async (index) => {
        const instance = await broken(fault, index, `m${number}-${index}`);
        const uids = await volumeUids(instance);
        const explanation = await explained(instance);
        assert.match(explanation.stdout, new RegExp(`, ${fault.cause}: see`), explanation.stdout);
        const ran = await inShell(printedCommand(explanation));
        assert.equal(ran.code, 0, `${explanation.stdout}\n${ran.stdout}${ran.stderr}`);
        await fault.afterwards?.(instance);
        const at = paths(tenant, instance.namespace, instance.name);
        const claim = await phaseOf(plane(fault.side), at[fault.side], 'Bound');
        assert.equal(claim.spec.volumeName, instance.volume);
        await phaseOf(fleet.super, volumePath(instance), 'Bound');
        await phaseOf(tenant.plane, at.tenant, 'Bound');
        assert.deepEqual(await volumeUids(instance), uids);
        await laterCommand(explanation, instance);
      });
      assert.deepEqual(await Promise.all([fleet.super, tenant.plane].map(bystanders)), before);
    });
  }

  for (const [number, fault] of MENDABLE.entries()) {
    for (const [what, change] of Object.entries(CHANGES)) {
      if (what === 'claim' && fault.cause === 'SuperClaimDeleted') continue;
      test(`${fault.cause}, ${fault.name}: refused where the ${what} has changed in between, and nothing is written`, async () => {
        const instance = await broken(fault, number, `r${number}-${what}`);
        const command = printedCommand(await explained(instance));
        await change(instance, fault.side);
        const before = await specsOf(instance);
        const { code, stderr } = await inShell(command);
        assert.equal(code, 1);
        assert.match(stderr, /^The request is invalid/m);
        assert.deepEqual(await specsOf(instance), before);
      });
    }
  }

  test('a claim that was deleted and made again in between is not taken for the one that was explained', async () => {
    const fault = MENDABLE.find(({ cause }) => cause === 'ClaimRefStale');
    assert.ok(fault !== undefined);
    const instance = await broken(fault, 1, 'replaced');
    const command = printedCommand(await explained(instance));
    await deleteClaim(fleet.super, paths(tenant, instance.namespace, instance.name).super);
    await createSuperClaim(instance, 'another', { named: true });
    const before = await specsOf(instance);
    assert.equal((await inShell(command)).code, 1);
    assert.deepEqual(await specsOf(instance), before);
  });

  test(`TenantClaimRecreated: ${INSTANCES} disks kept by the printed command, and after the syncer has been there Bound by the next one`, async () => {
    const doomed = sampleShapes(INSTANCES * 2, 7).filter(({ policy }) => policy !== 'Retain');
    assert.ok(doomed.length >= INSTANCES);
    await mapConcurrently([...doomed.entries()].slice(0, INSTANCES), AT_ONCE, async ([index, shape]) => {
      const instance = await createShapedPair(fleet, tenant, 'shop', `recreated-${index}`, {
        ...shape,
        held: false,
      });
      const at = paths(tenant, 'shop', instance.name);
      await recreateTenantClaim(instance);
      const uids = await volumeUids(instance);
      const first = await explained(instance);
      assert.match(first.stdout, /OwnerMismatch, TenantClaimRecreated/);
      assert.match(first.stdout, /^Data: IN DANGER$/m);
      assert.equal((await inShell(printedCommand(first))).code, 0);
      // The syncer's patrol.
      await deleteClaim(fleet.super, at.super);
      await phaseOf(fleet.super, volumePath(instance), 'Released');
      const { uid } = (await tenant.plane.api.get(at.tenant)).metadata;
      await createSuperClaim(instance, uid, { named: true });
      const second = await explained(instance);
      assert.equal((await inShell(printedCommand(second))).code, 0, second.stdout);
      await phaseOf(fleet.super, at.super, 'Bound');
      assert.deepEqual(await volumeUids(instance), uids);
      assert.equal((await explained(instance)).code, 0);
    });
  });
});
