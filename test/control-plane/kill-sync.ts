/** Kills sync --hold at random moments, and looks at what it leaves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from './api.ts';
import { createManyPairs } from './bulk.ts';
import { eventually } from './eventually.ts';
import { BINDING, NAMESPACE, POLICY, conditionOf } from './sync-scene.ts';
import type { SyncScene } from './sync-scene.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** What was found after all kills. */
export interface Killed {
  /** Rounds in which a kill came before anything, in the middle, and after everything was written. */
  readonly before: number;
  readonly amid: number;
  readonly after: number;
}

/**
 * Syncs `claims` broken claims `rounds` times, killing each run at a random moment; asserts after each that every claim is
 * untouched or completely written, and that a run that is let through brings about the plan. Then releases all.
 * @param random gives numbers from 0 to 1
 */
export async function killRounds(
  scene: SyncScene,
  claims: number,
  rounds: number,
  random: () => number,
): Promise<Killed> {
  const { plane } = scene.tenant;
  await createManyPairs(scene.fleet, scene.tenant, NAMESPACE, claims, 1, () => {});
  await allBound(scene, claims);
  const started = performance.now();
  await through(scene, claims);
  const whole = performance.now() - started;
  const found = { before: 0, amid: 0, after: 0 };
  for (let round = 0; round < rounds; round += 1) {
    await releaseAll(scene, claims);
    await killedAfter(scene, random() * whole);
    const written = (await list(scene)).filter((claim) => isWhole(claim, `round ${round}`)).length;
    if (written === 0) found.before += 1;
    else if (written < claims) found.amid += 1;
    else found.after += 1;
    await through(scene, claims);
  }
  await releaseAll(scene, claims);
  assert.equal(await plane.api.find(POLICY), null);
  assert.equal(await plane.api.find(BINDING), null);
  return found;
}

async function list({ tenant }: SyncScene): Promise<Json[]> {
  return (await tenant.plane.api.get(`/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`)).items;
}

/** @returns whether the claim is written; false: untouched. Anything between the two fails. */
function isWhole(claim: Json, when: string): boolean {
  const condition = conditionOf(claim);
  const state = [claim.status.phase, condition?.status, condition?.reason];
  const written = claim.status.phase !== 'Bound';
  const expected = written ? ['Lost', 'False', 'ClaimRefStale'] : ['Bound', undefined, undefined];
  assert.deepEqual(state, expected, `${when}: ${claim.metadata.name}`);
  return written;
}

async function through(scene: SyncScene, claims: number): Promise<void> {
  const { code, stderr } = await scene.sync('--hold');
  assert.equal(code, 0, stderr);
  const written = (await list(scene)).filter((claim) => isWhole(claim, 'after a whole run'));
  assert.equal(written.length, claims);
}

async function releaseAll(scene: SyncScene, claims: number): Promise<void> {
  const { code, stderr } = await scene.sync('--release-all');
  assert.equal(code, 0, stderr);
  await allBound(scene, claims);
}

function allBound(scene: SyncScene, claims: number): Promise<unknown> {
  return eventually('all claims to be Bound, with nothing of ours', async () => {
    const untouched = (await list(scene)).filter(
      (claim) => claim.status.phase === 'Bound' && conditionOf(claim) === undefined,
    );
    return untouched.length === claims;
  });
}

async function killedAfter(scene: SyncScene, milliseconds: number): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'sync', '--hold', '--grace=0'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], KUBECONFIG: scene.fleet.kubeconfig },
  });
  const ended = once(child, 'close');
  await delay(milliseconds);
  child.kill('SIGKILL');
  await ended;
}
