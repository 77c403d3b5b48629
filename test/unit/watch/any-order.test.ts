/** Whatever changes, and however late each watch tells of it: in the end the rows are those of the objects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { superNamespaceName } from '../../../src/reconcile/mapping.ts';
import { eventually } from '../../control-plane/eventually.ts';
import type { FakeCluster } from '../../support/fake-cluster.ts';
import {
  CLAIMS,
  FakeWatchedFleet,
  claimObject,
  marksOf,
  TENANTS,
  VOLUMES,
  described,
  keyOf,
} from '../../support/fake-watched-fleet.ts';
import type { TenantName } from '../../support/fake-watched-fleet.ts';

const place = {
  tenant: fc.constantFrom(...TENANTS),
  namespace: fc.constantFrom('shop', 'office'),
  name: fc.constantFrom('data', 'logs'),
};
const phase = fc.constantFrom('Bound', 'Pending', 'Lost');

/** One change of one object, by one of those who may. */
const superChange = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('super' as const), ...place, phase }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('super gone' as const), ...place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('volume' as const), ...place, gone: fc.boolean() }) },
);
const tenantChange = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tenant' as const), ...place, phase }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tenant gone' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recreated' as const), ...place }) },
);
const cut = fc.record({ kind: fc.constant('cut' as const), ...place });
const anyChange = fc.oneof(
  { weight: 6, arbitrary: superChange },
  { weight: 5, arbitrary: tenantChange },
  { weight: 1, arbitrary: cut },
);
type Change = typeof anyChange extends fc.Arbitrary<infer C> ? C : never;

let uids = 0;

function writeTenant(
  cluster: FakeCluster,
  namespace: string,
  name: string,
  state: string,
  anew: boolean,
): void {
  const before = cluster.find(CLAIMS, namespace, name);
  if (anew && before !== null) cluster.remove(CLAIMS, namespace, name);
  if (anew || before === null) {
    uids += 1;
    cluster.put(CLAIMS, claimObject(namespace, name, `uid-${uids}`, state));
  } else cluster.put(CLAIMS, { ...before, status: { ...before.status, phase: state } });
}

function writeSuper(fleet: FakeWatchedFleet, { tenant, namespace, name }: Place, state: string): void {
  const superNamespace = superNamespaceName(keyOf(tenant), namespace);
  const before = fleet.super.find(CLAIMS, superNamespace, name);
  const owner = fleet.tenants[tenant].find(CLAIMS, namespace, name)?.metadata.uid ?? 'nobody';
  uids += 1;
  const uid = before?.metadata.uid ?? `uid-${uids}`;
  fleet.super.put(CLAIMS, claimObject(superNamespace, name, uid, state, marksOf(tenant, namespace, owner)));
}

interface Place {
  readonly tenant: TenantName;
  readonly namespace: string;
  readonly name: string;
}

function perform(fleet: FakeWatchedFleet, change: Change): void {
  const { tenant, namespace, name } = change;
  const cluster = fleet.tenants[tenant];
  const superNamespace = superNamespaceName(keyOf(tenant), namespace);
  switch (change.kind) {
    case 'super':
      return writeSuper(fleet, change, change.phase);
    case 'super gone':
      return fleet.super.remove(CLAIMS, superNamespace, name);
    case 'volume':
      if (change.gone) return fleet.super.remove(VOLUMES, '', `pv-${name}`);
      fleet.super.put(VOLUMES, {
        metadata: { name: `pv-${name}`, uid: 'v' },
        spec: { claimRef: { namespace: superNamespace, name, uid: 'earlier' } },
      });
      return undefined;
    case 'tenant':
      return writeTenant(cluster, namespace, name, change.phase, false);
    case 'tenant gone':
      return cluster.remove(CLAIMS, namespace, name);
    case 'recreated':
      return writeTenant(cluster, namespace, name, 'Bound', true);
    default:
      return (name === 'data' ? fleet.super : cluster).cutWatches();
  }
}

/** What the rows are to be; a claim that is on its way to Consistent has none. */
function expected(fleet: FakeWatchedFleet): Map<string, string> {
  return new Map([...fleet.judgements()].map(([name, judgement]) => [name, described(judgement)]));
}

const rounds = (change: fc.Arbitrary<Change>): fc.Arbitrary<Change[][]> =>
  fc.array(fc.array(change, { minLength: 1, maxLength: 25 }), { minLength: 2, maxLength: 4 });
const pace = fc.infiniteStream(fc.nat(30));

async function withFleet(
  delays: Iterator<number>,
  sync: boolean,
  work: (fleet: FakeWatchedFleet) => Promise<void>,
): Promise<void> {
  const fleet = await FakeWatchedFleet.start(() => Number(delays.next().value), sync);
  try {
    await work(fleet);
  } finally {
    await fleet.stop();
  }
}

test(
  'the rows of a watch are what is said of the objects as they are in the end',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(rounds(anyChange), pace, (all, delays) =>
        withFleet(delays, false, async (fleet) => {
          for (const changes of all) {
            for (const change of changes) perform(fleet, change);
            await fleet.untilShown(() => expected(fleet));
          }
          assert.deepEqual(fleet.troubles, []);
        }),
      ),
      { numRuns: 6, endOnFailure: true },
    );
  },
);

test(
  'with --sync nothing that is planned is left undone in the end, and nothing else was written',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        rounds(fc.oneof({ weight: 8, arbitrary: superChange }, { weight: 1, arbitrary: cut })),
        pace,
        (all, delays) =>
          withFleet(delays, true, async (fleet) => {
            for (const tenant of TENANTS) {
              for (const namespace of ['shop', 'office']) {
                for (const name of ['data', 'logs']) {
                  writeTenant(fleet.tenants[tenant], namespace, name, 'Bound', true);
                }
              }
            }
            for (const changes of all) {
              for (const change of changes) perform(fleet, change);
              await eventually(
                'everything planned to be done',
                () => {
                  const due = [...fleet.judgements()].filter(([, { plan }]) => plan !== null);
                  if (due.length === 0) return Promise.resolve(true);
                  throw new Error(due.map(([name, one]) => `${name}: ${described(one)}`).join('\n'));
                },
                10_000,
              );
              await fleet.untilShown(() => expected(fleet));
            }
            const writes = fleet.super.server.requests.filter((one) => !one.startsWith('GET '));
            assert.deepEqual(writes, []);
            assert.deepEqual(fleet.troubles, []);
          }),
      ),
      { numRuns: 6, endOnFailure: true },
    );
  },
);
