/**
 * Two and three replicas of `watch --sync --hold`, each a process: who writes which tenant, told by the tenants' API server
 * itself. The lease lasts 15 s, as everywhere; the times that were seen are printed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { AUDITED } from '../control-plane/write-audit.ts';
import { eventually } from '../control-plane/eventually.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import { HeldWrites } from '../control-plane/held-writes.ts';
import { LEASES, ReplicatedWatch, assertNeverTwo, writersOf } from '../control-plane/replicated-watch.ts';
import type { Division, Replica, TenantWrite } from '../control-plane/replicated-watch.ts';
import { bindRole, createRoles } from '../control-plane/roles.ts';
import { runCli } from '../support/run-cli.ts';

/** Chosen so that rendezvous hashing gives each replica a share. */
const TENANTS = ['vc-0', 'vc-1', 'vc-2', 'vc-3', 'vc-8', 'vc-17'];
const TWO = { one: ['vc-0', 'vc-2', 'vc-17'], two: ['vc-1', 'vc-3', 'vc-8'] };
const THREE = { one: ['vc-0', 'vc-17'], two: ['vc-1', 'vc-3'], three: ['vc-2', 'vc-8'] };
const WITHOUT_TWO = { one: ['vc-0', 'vc-17', 'vc-3'], three: ['vc-2', 'vc-8', 'vc-1'] };

let scene: ReplicatedWatch;
let one: Replica;
let two: Replica;
let three: Replica;

/** What is written while something happens. */
async function writesDuring(action: () => Promise<unknown>): Promise<TenantWrite[]> {
  const { length } = await scene.writes();
  await action();
  return (await scene.writes()).slice(length);
}

function told(context: TestContext, what: string, seconds: number): void {
  context.diagnostic(`${what}: ${seconds.toFixed(1)} s`);
}

describe('replicas of watch --sync --hold', () => {
  before(async () => {
    scene = await ReplicatedWatch.start(TENANTS);
    [one, two] = await Promise.all([scene.replica('one'), scene.replica('two')]);
  });
  after(() => scene?.stop());

  test('two divide the tenants, and each tenant is written by its own replica alone', async () => {
    await scene.divided(TWO);
    await Promise.all(TENANTS.map((name) => scene.shown(name, `${name}-broken`, 'Lost')));
    const written = await writesDuring(async () => {
      for (const phase of ['Lost', 'Bound', 'Lost']) {
        await Promise.all(TENANTS.map((name) => scene.superPhase(name, `${name}-b`, phase)));
        await Promise.all(TENANTS.map((name) => scene.shown(name, `${name}-b`, phase)));
      }
    });
    assert.deepEqual(writersOf(written), eachBy(TWO));
    assertNeverTwo(written);
    for (const replica of [one, two]) {
      const claims = new Set(TWO[replica.name as 'one' | 'two'].map((name) => `${name}-b`));
      await eventually(`${replica.name} to tell of its claims`, () =>
        Promise.resolve(['Held', 'Released'].every((outcome) => claims.isSubsetOf(replica.told(outcome)))),
      );
    }
  });

  test('when a third comes only its share moves, while everything changes all the time', async (context) => {
    const written = await writesDuring(async () => {
      const churned = scene.churn(TENANTS);
      three = await scene.replica('three');
      await three.cli.line('watching', { stream: 'stderr' });
      const began = performance.now();
      await scene.divided(THREE);
      await scene.lastWrittenBy('three', THREE.three);
      told(context, 'a third replica writes its share after', (performance.now() - began) / 1000);
      await churned();
    });
    const moved = { 'vc-2': ['one', 'three'], 'vc-8': ['two', 'three'] };
    assert.deepEqual(writersOf(written), { ...eachBy(THREE), ...moved });
    assertNeverTwo(written);
    for (const name of THREE.three) told(context, `nobody wrote ${name} for`, longestPause(written, name));
  });

  test('kill -9: others write what was its within the lease time, and nothing else moves', async (context) => {
    const written = await writesDuring(async () => {
      const churned = scene.churn(TENANTS);
      two.cli.signal('SIGKILL');
      await scene.superPhase('vc-1', 'vc-1-b', 'Bound');
      const taken = await scene.shown('vc-1', 'vc-1-b', 'Bound');
      told(context, 'a claim that was mended when its replica was killed shows it after', taken);
      await scene.divided(WITHOUT_TWO);
      await Promise.all([scene.lastWrittenBy('three', ['vc-1']), scene.lastWrittenBy('one', ['vc-3'])]);
      await churned();
      await scene.superPhase('vc-1', 'vc-1-b', 'Lost');
      await scene.shown('vc-1', 'vc-1-b', 'Lost');
    });
    const writers = writersOf(written);
    assert.deepEqual([writers['vc-1']?.at(-1), writers['vc-3']?.at(-1)], ['three', 'one']);
    for (const name of THREE.one) assert.deepEqual(writers[name], ['one']);
    for (const name of THREE.three) assert.deepEqual(writers[name], ['three']);
    assertNeverTwo(written);
  });

  test('one that was stopped (SIGSTOP) for longer than its lease writes nothing when it wakes up, and joins anew', async (context) => {
    const lease = `${LEASES}/vc-pvc-one`;
    const { spec: before } = await scene.fleet.super.api.get(lease);
    let woken = 0;
    const written = await writesDuring(async () => {
      const churned = scene.churn(TENANTS);
      one.cli.signal('SIGSTOP');
      await scene.superPhase('vc-0', 'vc-0-broken', 'Pending');
      const taken = await scene.shown('vc-0', 'vc-0-broken', 'Pending');
      told(context, 'a claim that changed when its replica was stopped shows it after', taken);
      await scene.superPhase('vc-0', 'vc-0-broken', 'Lost');
      await scene.shown('vc-0', 'vc-0-broken', 'Lost');
      await scene.divided({ three: TENANTS });
      await scene.lastWrittenBy('three', TENANTS);
      woken = Date.now();
      one.cli.signal('SIGCONT');
      await scene.divided(WITHOUT_TWO);
      await scene.lastWrittenBy('one', WITHOUT_TWO.one);
      told(context, 'it writes again after', (Date.now() - woken) / 1000);
      await churned();
    });
    const { spec: now } = await scene.fleet.super.api.get(lease);
    assert.equal(now.leaseTransitions, before.leaseTransitions + 1);
    const early = written.filter(
      ({ user, received }) => user === 'one' && received >= woken && received < Date.parse(now.acquireTime),
    );
    assert.deepEqual(early, []);
    assert.match(one.cli.lines('stderr').join('\n'), /^error: replica one: its lease ran out or was lost/m);
    const writers = writersOf(written);
    for (const name of WITHOUT_TWO.three) assert.deepEqual(writers[name], ['three']);
    for (const name of WITHOUT_TWO.one) assert.deepEqual(writers[name]?.slice(-2), ['three', 'one']);
    assertNeverTwo(written);
  });

  test('without the super cluster nobody writes, and everything goes on once it is back', async (context) => {
    const during = await writesDuring(async () => {
      await scene.fleet.super.stopApiserver();
      for (const replica of [one, three]) {
        await eventually(`${replica.name} to hold no lease`, async () => {
          return (await replica.series()).get('vc_pvc_lease_held') === 0;
        });
      }
      for (const name of TENANTS) await scene.undo(name, `${name}-b`);
    });
    assert.deepEqual(during, []);
    const written = await writesDuring(async () => {
      await scene.fleet.super.startApiserver();
      const began = performance.now();
      await Promise.all(TENANTS.map((name) => scene.shown(name, `${name}-b`, 'Lost')));
      told(context, 'all is written again after', (performance.now() - began) / 1000);
      await scene.divided(WITHOUT_TWO);
      told(context, 'both watch it again after', (performance.now() - began) / 1000);
    });
    assert.deepEqual(writersOf(written), eachBy(WITHOUT_TWO));
    assertNeverTwo(written);
  });

  test('SIGTERM: the write under way is finished, then the lease is given back and another takes over at once', async (context) => {
    const lease = `${LEASES}/vc-pvc-three`;
    const writes = await HeldWrites.start(scene.tenant('vc-2').plane, AUDITED, 'shop-vc-2', 'vc-2-b');
    context.after(() => writes.stop());
    const others = TENANTS.filter((name) => name !== 'vc-2');
    const written = await writesDuring(async () => {
      const churned = scene.churn(others);
      await scene.superPhase('vc-2', 'vc-2-b', 'Bound');
      await eventually('the write to be under way', () => Promise.resolve(writes.held.length > 0));
      three.cli.signal('SIGTERM');
      const { metadata } = await scene.fleet.super.api.get(lease);
      await eventually('the lease to be renewed for it', async () => {
        const now = await scene.fleet.super.api.get(lease);
        assert.match(now.spec.holderIdentity, /^three_/);
        return now.metadata.resourceVersion !== metadata.resourceVersion;
      });
      await scene.superPhase('vc-8', 'vc-8-b', 'Bound');
      writes.release();
      const began = performance.now();
      const { code, stderr } = await three.cli.end();
      assert.equal(code, 0, stderr);
      told(context, 'it has ended after', (performance.now() - began) / 1000);
      assert.ok(three.told('Released').has('vc-2-b'));
      assert.equal((await scene.fleet.super.api.get(lease)).spec.holderIdentity, '');
      await scene.shown('vc-8', 'vc-8-b', 'Bound');
      told(context, 'another has written what it left after', (performance.now() - began) / 1000);
      await scene.divided({ one: TENANTS });
      // What went from Bound to Lost and back while nobody watched needs no write.
      await scene.lastWrittenBy('one', others);
      await churned();
    });
    const writers = writersOf(written);
    assert.deepEqual(writers['vc-2'], ['three']);
    for (const name of others) assert.equal(writers[name]?.at(-1), 'one');
    for (const name of WITHOUT_TWO.one) assert.deepEqual(writers[name], ['one']);
    assert.equal((await scene.claim('vc-2', 'vc-2-b')).status.phase, 'Bound');
    assertNeverTwo(written);
  });

  test('SIGTERM: a tenant that does not answer does not keep the lease from being given back within the grace period', async (context) => {
    const writes = await HeldWrites.start(scene.tenant('vc-2').plane, AUDITED, 'shop-vc-2', 'vc-2-b');
    context.after(() => writes.stop());
    await scene.superPhase('vc-2', 'vc-2-b', 'Lost');
    await eventually('the write to be under way', () => Promise.resolve(writes.held.length > 0));
    const began = performance.now();
    one.cli.signal('SIGTERM');
    const { code, stderr } = await one.cli.end();
    assert.equal(code, 0, stderr);
    told(context, 'it has ended after', (performance.now() - began) / 1000);
    const left = await scene.fleet.super.api.find(`${LEASES}/vc-pvc-one`);
    assert.equal(left?.spec.holderIdentity ?? '', '');
  });

  test('a second SIGTERM ends it at once, whatever is under way', async (context) => {
    const writes = await HeldWrites.start(scene.tenant('vc-2').plane, AUDITED, 'shop-vc-2', 'vc-2-b');
    context.after(() => writes.stop());
    three = await scene.replica('three');
    await scene.divided({ three: TENANTS });
    await eventually('the write to be under way', () => Promise.resolve(writes.held.length > 0));
    let code: number | null | undefined;
    void three.cli.end().then((finished) => (code = finished.code));
    // Two at the same moment may come as one.
    await eventually('it to end', () => {
      three.cli.signal('SIGTERM');
      return Promise.resolve(code !== undefined);
    });
    assert.equal(code, 130);
  });

  test('without the permission or the namespace for Leases it says so in one line and ends with 2', async () => {
    await createRoles(scene.fleet.super, 'rbac-super.yaml');
    await bindRole(scene.fleet.super, 'vc-pvc-reader', 'reader');
    const reader = await scene.fleet.super.kubeconfigFor('reader');
    const asReader = await writeKubeconfig(scene.fleet.storage, 'reader', reader);
    const args = (namespace: string) => ['watch', '--sync', `--replicas-lease-namespace=${namespace}`];
    const forbidden = await runCli(args('vc-pvc'), { KUBECONFIG: asReader });
    assert.deepEqual([forbidden.code, forbidden.stdout], [2, '']);
    assert.match(
      forbidden.stderr,
      /^error: cannot [^\n]*; grant Role vc-pvc-replicas of [^\n]* in namespace vc-pvc\n$/,
    );
    const nowhere = await runCli(args('nowhere'), { KUBECONFIG: scene.fleet.kubeconfig });
    assert.deepEqual([nowhere.code, nowhere.stdout], [2, '']);
    assert.match(
      nowhere.stderr,
      /^error: cannot [^\n]*; create namespace nowhere, or name another with [^\n]*\n$/,
    );
  });
});

/** What writersOf gives where each tenant is written by one replica. */
function eachBy(division: Division): Record<string, string[]> {
  const pairs = Object.entries(division).flatMap(([name, tenants]) =>
    tenants.map((tenant) => [tenant, [name]]),
  );
  return Object.fromEntries(pairs) as Record<string, string[]>;
}

/** The longest time without a write to a claim of a tenant. Seconds. */
function longestPause(writes: readonly TenantWrite[], name: string): number {
  const times = writes.filter(({ tenant }) => tenant === name).map(({ answered }) => answered);
  const pauses = times.map((time, index) => time - (times[index - 1] ?? time));
  return Math.max(...pauses) / 1000;
}
