/** sync of 200 claims, killed 50 times. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { killRounds } from '../control-plane/kill-sync.ts';
import { SyncScene } from '../control-plane/sync-scene.ts';

let scene: SyncScene;

describe('sync --hold of 200 claims, killed 50 times', () => {
  before(async () => {
    scene = await SyncScene.start();
  });
  after(() => scene?.stop());

  test('leaves every claim untouched or completely written, and the next run brings about the plan', async (t) => {
    const found = await killRounds(scene, 200, 50, Math.random);
    t.diagnostic(`killed before, amid and after the writes: ${found.before}, ${found.amid}, ${found.after}`);
    assert.ok(found.amid >= 5, 'too few kills fell among the writes');
  });
});
