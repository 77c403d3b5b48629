/** The screen of --ui. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { WriteStream } from 'node:tty';
import { LiveScreen } from '../../../src/output/live-screen.ts';

/** What rendering a screen of very many claims takes, milliseconds. */
const COST = 20;

test('a screen that takes long to draw leaves nine tenths of the time to the watch', async () => {
  const stream = Object.assign(new EventEmitter(), { columns: 80, rows: 24, write: () => true });
  const drawn: { readonly began: number; readonly ended: number }[] = [];
  const enough = Promise.withResolvers<void>();
  const screen = new LiveScreen(stream as unknown as WriteStream, () => {
    const began = performance.now();
    while (performance.now() < began + COST);
    drawn.push({ began, ended: performance.now() });
    if (drawn.length === 3) enough.resolve();
    return ['a line'];
  });
  screen.start(1);
  await enough.promise;
  screen.stop();
  for (const [index, { began }] of drawn.entries()) {
    const before = drawn[index - 1];
    if (before !== undefined) assert.ok(began - before.ended >= 9 * COST, JSON.stringify(drawn));
  }
});
