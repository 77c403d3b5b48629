/** VirtualClusters that come and go by the hundred leave nothing behind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ApiConnection } from '../../../src/kube/connection.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { TenantLink } from '../../../src/watch/tenant-link.ts';
import { TenantSession } from '../../../src/watch/tenant-session.ts';
import { TenantState } from '../../../src/watch/tenant-state.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { CLAIMS, FakeWatchedFleet, VOLUMES, claimObject } from '../../support/fake-watched-fleet.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What must not grow: what a tenant is made of, and what anything else would be kept in. */
const KINDS = [TenantState, TenantSession, TenantLink, Reflector, ApiConnection, Promise, Map, Set];
/** Requests that happen to be under way. */
const CHANCE = 10;

/** How many of each there are that something still refers to. */
async function reachable(): Promise<Map<string, number>> {
  // What ends asynchronously (sockets, finalizers) is let go of between two collections.
  for (let time = 0; time < 4; time += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return new Map(KINDS.map((kind) => [kind.name, queryObjects(kind, { format: 'count' })]));
}

/** Sockets, servers, timers. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((one) => one !== 'Immediate').length;
}

/** The phases that a VirtualCluster goes through, its tenant being watched in every second. */
async function turns(fleet: FakeWatchedFleet, count: number): Promise<void> {
  const virtualCluster = fleet.super.find('virtualclusters', 'team', 'first');
  const isWatched = (): boolean =>
    [...fleet.watch.tenants()].some(
      ({ state, health }) => state.id === 'team/first' && health.state === 'up',
    );
  for (let turn = 0; turn < count; turn += 1) {
    fleet.super.put('virtualclusters', {
      ...virtualCluster,
      status: { ...virtualCluster.status, phase: 'Pending' },
    });
    await eventually('the tenant to be left', () => Promise.resolve(!isWatched()));
    fleet.super.put('virtualclusters', virtualCluster);
    await eventually('the tenant to be watched', () => Promise.resolve(isWatched()));
  }
}

test(
  'a tenant that is started and stopped again and again leaves no socket, timer or object',
  { timeout: 120_000 },
  async () => {
    const fleet = await FakeWatchedFleet.start(() => 0, true);
    try {
      for (const name of ['a', 'b', 'c']) {
        fleet.tenants.first.put(CLAIMS, claimObject('shop', name, `uid-${name}`, 'Bound'));
        fleet.tenants.first.put(VOLUMES, { metadata: { name: `pv-${name}`, uid: 'v' }, spec: {} });
      }
      await turns(fleet, 10);
      const [handlesBefore, before] = [handles(), await reachable()];
      await turns(fleet, 60);
      await eventually('no more handles than before', () => Promise.resolve(handles() <= handlesBefore));
      for (const [kind, count] of await reachable()) {
        const most = (before.get(kind) ?? 0) + CHANCE;
        assert.ok(count <= most, `${count} of ${kind}, after ${before.get(kind)}`);
      }
    } finally {
      await fleet.stop();
    }
  },
);
