/**
 * Pairs by the hundred thousand: copies of pairs that the API servers have made, put into etcd beside them, since
 * creating so many takes an hour. An API server tells them through its watch like any other object.
 */
import { randomUUID } from 'node:crypto';
import { mapConcurrently } from '../../src/fleet/concurrency.ts';
import { createPair } from './bulk.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Fleet, Tenant } from './fleet.ts';
import { call } from './storage.ts';
import { createNamespace, paths } from './syncer.ts';

/** etcd's --max-txn-ops is 128. */
const PUTS_AT_ONCE = 128;
const CALLS_AT_ONCE = 4;

/** A stored object and what has to become another in its copies. All lengths stay, so its bytes can be exchanged. */
interface Original {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly name: string;
  /** Its own uid, or that of the claim that an annotation names. */
  readonly uids: readonly string[];
}

/**
 * Makes `count` pairs named after the tenant, NAME-000000, NAME-000001, … in a tenant namespace, which is created; every
 * `brokenEvery`-th super claim is Lost. No volumes but those of two pairs: what is Bound on both sides needs none.
 */
export async function storePairs(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  count: number,
  brokenEvery: number,
): Promise<void> {
  await createNamespace(fleet, tenant, namespace);
  const isBroken = (index: number): boolean => index % brokenEvery === brokenEvery - 1;
  for (const broken of [false, true]) {
    const numbers = Array.from({ length: count }, (_, index) => index).filter(
      (index) => isBroken(index) === broken,
    );
    const [first, ...others] = numbers;
    if (first === undefined) continue;
    await createPair(fleet, tenant, namespace, nameOf(tenant, first), broken);
    await copyPair(fleet, tenant, namespace, nameOf(tenant, first), others);
  }
}

/** Volumes have no namespace, so two tenants' names differ. */
function nameOf(tenant: Tenant, index: number): string {
  return `${tenant.name}-${String(index).padStart(6, '0')}`;
}

async function copyPair(
  fleet: Fleet,
  tenant: Tenant,
  namespace: string,
  name: string,
  copies: readonly number[],
): Promise<void> {
  const at = paths(tenant, namespace, name);
  const { metadata: claim } = await tenant.plane.api.get(at.tenant);
  const { metadata: superClaim } = await fleet.super.api.get(at.super);
  const originals = [
    await original(fleet, tenant.plane, `${namespace}/${name}`, name, [claim.uid]),
    await original(fleet, fleet.super, `${at.superNamespace}/${name}`, name, [claim.uid, superClaim.uid]),
  ];
  const calls = Array.from({ length: Math.ceil(copies.length / PUTS_AT_ONCE) }, (_, index) =>
    copies.slice(index * PUTS_AT_ONCE, (index + 1) * PUTS_AT_ONCE),
  );
  await mapConcurrently(calls, CALLS_AT_ONCE, async (numbers) => {
    const uids = numbers.map(() => [randomUUID(), randomUUID()]);
    for (const one of originals) {
      const success = numbers.map((number, index) => ({
        requestPut: copyOf(one, nameOf(tenant, number), uids[index] ?? []),
      }));
      await call(fleet.storage.url, 'txn', { success });
    }
  });
}

async function original(
  { storage }: Fleet,
  plane: ControlPlane,
  place: string,
  name: string,
  uids: readonly string[],
): Promise<Original> {
  const key = Buffer.from(`/${plane.name}/persistentvolumeclaims/${place}`);
  const { kvs } = (await call(storage.url, 'range', { key: key.toString('base64') })) as {
    kvs: [{ value: string }];
  };
  return { key, value: Buffer.from(kvs[0].value, 'base64'), name, uids };
}

function copyOf(
  { key, value, name, uids }: Original,
  newName: string,
  newUids: readonly string[],
): { key: string; value: string } {
  const renamed = (bytes: Buffer): string => {
    // One character a byte: nothing but the exchanged bytes changes.
    let text = bytes.toString('latin1').replaceAll(name, newName);
    for (const [index, uid] of uids.entries()) text = text.replaceAll(uid, newUids[index] ?? '');
    return Buffer.from(text, 'latin1').toString('base64');
  };
  return { key: renamed(key), value: renamed(value) };
}
