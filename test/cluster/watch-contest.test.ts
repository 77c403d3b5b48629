/** `watch --sync` against those who set everything back, and what its metrics say. Real PV controllers on all sides. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../control-plane/api.ts';
import { ApiFailure } from '../control-plane/api.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/eventually.ts';
import { volumeDeleted } from '../control-plane/faults.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { freePort } from '../control-plane/processes.ts';
import { conditionOf } from '../control-plane/sync-scene.ts';
import { claimSpec, createBoundPair, createClass, createNamespace, paths } from '../control-plane/syncer.ts';
import type { WatchLine } from '../control-plane/watched-fleet.ts';
import { HOLD_CONDITION } from '../../src/reconcile/model.ts';
import { RunningCli } from '../support/running-cli.ts';

const NAMESPACE = 'shop';
/** Writes to one claim within its first minute, however fast it is set back (reconcile/contest.ts). */
const MOST_WRITES = 8;

let fleet: Fleet;
let hostile: Tenant;
let quiet: Tenant;
let watch: RunningCli;
let port: number;

const told = (name: string, outcome: string, from = 0): Promise<WatchLine> =>
  watch.object<WatchLine>(({ object }) => object.tenant.name === name && object.outcome === outcome, from);

describe('watch --sync', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/hostile', 'default/quiet'] });
    const [first, second] = fleet.tenants;
    assert.ok(first !== undefined && second !== undefined);
    [hostile, quiet] = [first, second];
    for (const plane of [fleet.super, hostile.plane, quiet.plane]) await createClass(plane);
    for (const tenant of fleet.tenants) await createNamespace(fleet, tenant, NAMESPACE);
    await Promise.all([
      ...['fought', 'loop'].map((name) => createBoundPair(fleet, hostile, NAMESPACE, name)),
      ...['one', 'two', 'three', 'four'].map((name) => createBoundPair(fleet, quiet, NAMESPACE, name)),
    ]);
    port = await freePort();
    watch = new RunningCli(
      [
        'watch',
        '--sync',
        '--grace=0',
        '-A',
        '-o=json',
        '--output-watch-events',
        `--metrics-bind-address=127.0.0.1:${port}`,
      ],
      { KUBECONFIG: fleet.kubeconfig },
    );
    await watch.line('watching', { stream: 'stderr' });
  });
  after(async () => {
    await watch?.stop();
    await fleet?.stop();
  });

  test('a controller that sets the phase back is answered a few times, then ever less often, and told as Contested', async () => {
    const before = await requests(hostile.plane, 'PATCH', 'status');
    await volumeDeleted(fleet, hostile, NAMESPACE, 'fought');
    const { object } = await told('fought', 'Contested');
    assert.match(
      object.message,
      /^set back \d times after it was written; the next attempt comes \d+s after/,
    );
    // Nobody but the watch reads single claims now.
    const reads = await requests(fleet.super, 'GET');
    await delay(10_000);
    const writes = (await requests(hostile.plane, 'PATCH', 'status')) - before;
    assert.ok(writes >= 3 && writes <= MOST_WRITES, `${writes} writes`);
    const more = (await requests(fleet.super, 'GET')) - reads;
    assert.ok(more <= 4, `${more} reads of super claims within 10 s`);
  });

  test('the tenant is told by an Event, the operator by metrics', async () => {
    const { items } = await hostile.plane.api.get(`/api/v1/namespaces/${NAMESPACE}/events`);
    const event = items.find(({ reason }: Json) => reason === 'SuperClaimContested');
    assert.equal(event?.involvedObject.name, 'fought');
    const of = { virtualcluster_namespace: 'default', virtualcluster: 'hostile' };
    assert.equal(await metric('vc_pvc_contested_claims', of), 1);
    assert.ok((await metric('vc_pvc_reverts_total', of)) >= 2);
    assert.equal(await metric('vc_pvc_tenant_up', of), 1);
    assert.equal(await metric('vc_pvc_claims', { ...of, verdict: 'Consistent' }), 1);
    assert.ok((await metric('vc_pvc_writes_total', { action: 'SetPhase', result: 'Written' })) >= 3);
  });

  test('who keeps putting our condition on a claim that is Bound is answered no more often', async (t) => {
    const path = `${paths(hostile, NAMESPACE, 'loop').tenant}/status`;
    const type = 'application/strategic-merge-patch+json';
    const conditions = [{ type: HOLD_CONDITION, status: 'False', lastTransitionTime: null }];
    let theirs = 0;
    const writesBefore = await requests(hostile.plane, 'PATCH', 'status');
    const loop = asFastAsItCan(async () => {
      await hostile.plane.api.patch(path, { status: { phase: 'Lost', conditions } }, type);
      theirs += 1;
    });
    const from = watch.count;
    await told('loop', 'Contested', from);
    // A quiet tenant is served meanwhile.
    await volumeDeleted(fleet, quiet, NAMESPACE, 'one');
    await told('one', 'Written', from);
    await delay(5_000);
    await loop.end();
    const ours = (await requests(hostile.plane, 'PATCH', 'status')) - writesBefore - theirs;
    t.diagnostic(`${ours} writes against ${theirs}`);
    // A write that meets a conflict is tried again up to eight times.
    assert.ok(ours <= 8 * MOST_WRITES, `${ours} writes against ${theirs}`);
    assert.ok(theirs > 100, `${theirs} writes of theirs`);
    await eventually('the claim to be given back in the end', async () => {
      const claim = await hostile.plane.api.get(paths(hostile, NAMESPACE, 'loop').tenant);
      return conditionOf(claim) === undefined && claim.status.phase === 'Bound';
    });
  });

  test('a tenant that makes and deletes claims as fast as it can, a thousand of them, delays no other', async (t) => {
    const { tenantList } = paths(hostile, NAMESPACE, '');
    let number = 0;
    const loops = Array.from({ length: 8 }, () =>
      asFastAsItCan(async () => {
        number += 1;
        const name = `bogus-${number % 1000}`;
        await hostile.plane.api.create(tenantList, {
          metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
          spec: claimSpec(`pv-${name}`),
        });
        if (number % 3 === 0) await hostile.plane.api.delete(`${tenantList}/${name}`);
      }),
    );
    await eventually('a hundred claims', () => Promise.resolve(number > 100));
    const from = watch.count;
    await volumeDeleted(fleet, quiet, NAMESPACE, 'two');
    await told('two', 'Written', from);
    await eventually('a thousand claims', () => Promise.resolve(number > 1_000));
    await volumeDeleted(fleet, quiet, NAMESPACE, 'three');
    await told('three', 'Written', from);
    await Promise.all(loops.map((loop) => loop.end()));
    // All of them are told in the end: none has a super claim.
    // Deletions take their time: what is left is counted anew each time.
    const left = await eventually('all that are left to be told as mismatches', async () => {
      const { items } = await hostile.plane.api.get(tenantList);
      const bogus = items.filter(({ metadata }: Json) => metadata.name.startsWith('bogus-')).length;
      const of = { virtualcluster_namespace: 'default', virtualcluster: 'hostile' };
      const counts = await Promise.all(
        ['SuperMissing', 'NotSynced'].map((verdict) => metric('vc_pvc_claims', { ...of, verdict })),
      );
      return counts.reduce((total, count) => total + count, 0) === bogus && bogus;
    });
    t.diagnostic(`${number} claims made, ${left} left`);
  });

  test('it is not ready while the super cluster is down, and goes on when that is back', async () => {
    assert.equal(await status('/readyz'), 200);
    await fleet.super.stopApiserver();
    await watch.line('error: super cluster: ', { stream: 'stderr' });
    assert.equal(await status('/readyz'), 503);
    assert.equal(await status('/healthz'), 200);
    assert.equal(await metric('vc_pvc_super_cluster_up', {}), 0);
    await fleet.super.startApiserver();
    await watch.line('super cluster: reached again', { stream: 'stderr' });
    assert.equal(await status('/readyz'), 200);
    assert.equal(await metric('vc_pvc_super_cluster_up', {}), 1);
    const from = watch.count;
    await volumeDeleted(fleet, quiet, NAMESPACE, 'four');
    await told('four', 'Written', from);
  });

  test('a tenant that is not watched any more leaves no series', async () => {
    const path = '/apis/tenancy.x-k8s.io/v1alpha1/namespaces/default/virtualclusters/hostile';
    await fleet.super.api.patch(path, { status: { phase: 'Error' } });
    await eventually('its series to be gone', async () => !(await text('/metrics')).includes('"hostile"'));
    assert.equal(await metric('vc_pvc_owned_tenants', {}), 1);
  });
});

/** Does something again and again, without a pause; conflicts are part of it. */
function asFastAsItCan(work: () => Promise<void>): { readonly end: () => Promise<void> } {
  const ending = new AbortController();
  const running = (async () => {
    while (!ending.signal.aborted) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
      }
    }
  })();
  return {
    end: () => {
      ending.abort();
      return running;
    },
  };
}

/** How many requests about claims an API server has answered. */
async function requests(plane: ControlPlane, verb: string, subresource = ''): Promise<number> {
  const wanted = [`verb="${verb}"`, 'resource="persistentvolumeclaims"', `subresource="${subresource}"`];
  return sum(await plane.api.text('/metrics'), 'apiserver_request_total', wanted);
}

async function metric(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return sum(await text('/metrics'), name, wanted);
}

function sum(exposition: string, name: string, labels: readonly string[]): number {
  return exposition
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && labels.every((label) => line.includes(label)))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
}

async function text(path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

async function status(path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
}
