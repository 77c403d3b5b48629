/** `watch --sync --hold` over what a fleet goes through in weeks: what it keeps of it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../control-plane/api.ts';
import { createPair } from '../control-plane/bulk.ts';
import { ClaimChurn } from '../control-plane/claim-churn.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { MeasuredWatch } from '../control-plane/measured-watch.ts';
import type { Sample } from '../control-plane/measured-watch.ts';
import { freePort } from '../control-plane/processes.ts';
import { createClass, createNamespace } from '../control-plane/syncer.ts';
import { CHANGES_A_TURN, takeTurn } from '../control-plane/virtual-cluster-turns.ts';
import { growthOf } from '../support/growth.ts';
import { SilentServer } from '../support/silent-server.ts';

/** Of VirtualClusters. */
const CHANGES = 1_000;
/** Of claims and volumes: an hour of ten a second. */
const EVENTS = 36_000;
const CLAIMS = 120;
/** What is left of an hour with this would be 1 MB, as much as two more tenants' connections. Bytes of heap an event. */
const FLAT_CHURN = 32;
/** Bytes of heap that a change may add: what a closed connection, a session or a row leaves behind is more. */
const FLAT = 1_024;

let fleet: Fleet;
let steady: Tenant;
let watch: MeasuredWatch;

describe('watch --sync --hold for long', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/steady'], controllerManagers: false, tenantPlanes: 1 });
    [steady] = fleet.tenants as [Tenant];
    await Promise.all([createClass(fleet.super), createClass(steady.plane)]);
    await createNamespace(fleet, steady, 'shop');
    for (const name of ['calm', 'sound']) await createPair(fleet, steady, 'shop', name, false);
    await createPair(fleet, steady, 'shop', 'broken', true);
    watch = await MeasuredWatch.start(fleet, '--sync', '--hold');
    await watch.until('the broken claim to be held', () => {
      return watch.rows.get('steady shop/broken')?.verdict === 'Held';
    });
  });
  after(async () => {
    await watch?.stop();
    await fleet?.stop();
  });

  test('1,000 VirtualClusters that come, stop, change their kubeconfig and go leave nothing behind', async (t) => {
    const silent = await SilentServer.start();
    t.after(() => silent.stop());
    const good = [
      steady.plane.adminKubeconfig,
      await steady.plane.kubeconfigFor('other', ['system:masters']),
    ] as const;
    const stranger = fleet.super.kubeconfigFor.bind(fleet.super);
    const bad = [
      await Promise.all([stranger('nobody', [], refusing(await freePort())), stranger('nobody')]),
      await Promise.all([stranger('a', [], silent.url), stranger('b', [], silent.url)]),
      ['no kubeconfig', '{}'],
      await Promise.all(
        ['a', 'b'].map((user) => stranger(user, [], `https://127.0.0.1:${steady.plane.port}`)),
      ),
    ] as [string, string][];
    const scene = { fleet, watch };
    const round = async (number: number): Promise<void> => {
      await Promise.all([
        takeTurn({ ...scene, kubeconfigs: good, kind: 'answers' }, `good-${number}`),
        takeTurn(
          { ...scene, kubeconfigs: bad[number % bad.length] ?? good, kind: 'does not answer' },
          `bad-${number}`,
        ),
      ]);
    };
    const samples: Measured[] = [];
    const rows = new Set(watch.rows.keys());
    let number = 0;
    for (let changes = 0; changes <= CHANGES; changes += 2 * CHANGES_A_TURN) {
      // The first rounds fill what is kept for good: pools, compiled code.
      if (number % 8 === 0) samples.push({ count: changes, ...(await watch.sample()) });
      await round(number);
      number += 1;
    }
    const [, start] = samples;
    assert.ok(start !== undefined);
    await untilClosed(start);
    samples.push({ count: number * 2 * CHANGES_A_TURN, ...(await watch.sample()) });
    tell(t, samples);
    assert.equal(silent.open, 0, 'connections to a server that answers nothing');
    assert.deepEqual(new Set(watch.rows.keys()), rows);
    assert.deepEqual(watch.contradictions, []);
    const growth = growthOf(samples.slice(1).map(({ count, heap }) => ({ count, value: heap })));
    assert.ok(growth < FLAT, `${growth.toFixed(0)} bytes a change`);
  });

  test('an hour of changes of claims leaves memory and handles flat, and every claim as it should be', async (t) => {
    const start = await watch.sample();
    const churn = await ClaimChurn.start(fleet, steady, 'shop', CLAIMS);
    const samples: Measured[] = [];
    for (let until = 1_000; until <= EVENTS; until += 1_000) {
      await churn.until(until);
      samples.push({ count: churn.events, ...(await watch.sample()) });
    }
    const states = await churn.settle();
    const wanted = ['steady shop/broken Held'];
    for (const [name, state] of states) {
      if (state !== 'Bound') wanted.push(`steady shop/${name} ${state === 'SuperMissing' ? state : 'Held'}`);
    }
    const shown = (): string[] => [...watch.rows].map(([key, { verdict }]) => `${key} ${verdict}`).sort();
    wanted.sort();
    await watch.until('all rows to be right', () => isDeepStrictEqual(shown(), wanted)).catch(() => {});
    tell(t, samples);
    assert.deepEqual(shown(), wanted);
    assert.deepEqual(watch.contradictions, []);
    const { items } = await steady.plane.api.get('/api/v1/namespaces/shop/persistentvolumeclaims');
    for (const { metadata, status } of items as Json[]) {
      const state = states.get(metadata.name);
      if (state !== undefined) assert.equal(status.phase, state === 'SuperMissing' ? 'Bound' : state);
    }
    const half = samples.slice(samples.length / 2);
    const growth = growthOf(half.map(({ count, heap }) => ({ count, value: heap })));
    assert.ok(growth < FLAT_CHURN, `${growth.toFixed(1)} bytes an event`);
    await untilClosed(start);
  });
});

/** What is kept alive for the next request is closed within a minute. @throws Error where more is open for good than was */
async function untilClosed(start: Sample): Promise<void> {
  const holds = async (): Promise<boolean> => {
    const { descriptors, resources } = await watch.sample();
    return descriptors <= start.descriptors && resources <= start.resources;
  };
  await watch.until('no more descriptors and handles than at the start', holds, 120_000);
}

interface Measured extends Sample {
  /** Changes so far. */
  readonly count: number;
}

function tell(t: TestContext, samples: readonly Measured[]): void {
  t.diagnostic('changes | heap kB | resident MB | descriptors | resources');
  for (const { count, heap, resident, descriptors, resources } of samples) {
    t.diagnostic(
      `${count} | ${(heap / 1e3).toFixed(0)} | ${(resident / 1e6).toFixed(0)} | ${descriptors} | ${resources}`,
    );
  }
}

function refusing(port: number): string {
  return `https://127.0.0.1:${port}`;
}
