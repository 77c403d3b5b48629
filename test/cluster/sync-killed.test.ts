/** sync, killed. The long form, with more claims and kills, is in test/soak. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { killRounds } from '../control-plane/kill-sync.ts';
import { SyncScene } from '../control-plane/sync-scene.ts';

let scene: SyncScene;

describe('sync --hold, killed', () => {
  before(async () => {
    scene = await SyncScene.start();
  });
  after(() => scene?.stop());

  test('leaves every claim untouched or completely written, and the next run brings about the plan', async (t) => {
    const found = await killRounds(scene, 40, 4, Math.random);
    t.diagnostic(`killed before, amid and after the writes: ${found.before}, ${found.amid}, ${found.after}`);
    assert.equal(found.before + found.amid + found.after, 4);
  });
});
