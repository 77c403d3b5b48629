/** Silence is noticed; a process that was suspended is given the time to read what arrived meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SilenceTimer } from '../../../src/kube/silence-timer.ts';
import type { Unresponsive } from '../../../src/kube/silence-timer.ts';

test('silence is cut once, with its length in words', async () => {
  const { promise, resolve } = Promise.withResolvers<Unresponsive>();
  const timer = new SilenceTimer(1_000, resolve);
  assert.equal((await promise).message, 'nothing was heard for 1 s');
  timer.stop();
});

test('a process that was suspended for longer reads first what had arrived', async () => {
  let cut = false;
  const timer = new SilenceTimer(120, () => {
    cut = true;
  });
  // As SIGSTOP: nothing runs, and all timers are overdue afterwards.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  assert.equal(cut, false);
  timer.stop();
});
