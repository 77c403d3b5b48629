import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { FairQueue } from '../../../src/watch/fair-queue.ts';

/** A queue whose work is recorded, and awaited where the test says so. */
class Recorded {
  readonly taken: string[] = [];
  readonly failures: unknown[] = [];
  /** Work that is held back until the test lets it go. */
  readonly held = new Map<string, PromiseWithResolvers<void>>();
  readonly #waiting: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];
  readonly queue: FairQueue;

  constructor(options: { readonly holdBack?: (tenant: string, key: string) => boolean } = {}) {
    this.queue = new FairQueue(
      (tenant, key) => {
        this.taken.push(`${tenant} ${key}`);
        for (const { holds, resolve } of this.#waiting) if (holds()) resolve();
        if (options.holdBack?.(tenant, key) !== true) return null;
        const held = Promise.withResolvers<void>();
        this.held.set(`${tenant} ${key}`, held);
        return held.promise;
      },
      (error) => this.failures.push(error),
    );
  }

  /** Waits until what was taken shows what the test waits for. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => this.#waiting.push({ holds, resolve }));
  }

  letGo(name: string): void {
    const held = this.held.get(name);
    assert.ok(held !== undefined, `${name} is not in flight`);
    this.held.delete(name);
    held.resolve();
  }
}

/** Long enough for anything that is due without a timer. */
async function afterEverythingDue(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

test('a key that is added a thousand times before its turn is looked at once', async () => {
  const recorded = new Recorded();
  for (let time = 0; time < 1000; time += 1) recorded.queue.add('a', 'shop/data');
  recorded.queue.start();
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a shop/data']);
});

test('nothing is taken before the start', async () => {
  const recorded = new Recorded();
  recorded.queue.add('a', 'x');
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, []);
  assert.equal(recorded.queue.isIdle('a'), false);
});

test('a key that is added while it is in flight is looked at once more, and never twice at the same time', async () => {
  const recorded = new Recorded({ holdBack: () => true });
  recorded.queue.start();
  recorded.queue.add('a', 'x');
  await recorded.until(() => recorded.taken.length === 1);
  recorded.queue.add('a', 'x');
  recorded.queue.add('a', 'x');
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a x']);
  recorded.letGo('a x');
  await recorded.until(() => recorded.taken.length === 2);
  recorded.letGo('a x');
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a x', 'a x']);
  assert.equal(recorded.queue.isIdle('a'), true);
});

test('ten thousand keys of one tenant delay a key of another by one of them', async () => {
  const recorded = new Recorded();
  recorded.queue.start();
  for (let number = 0; number < 10_000; number += 1) recorded.queue.add('noisy', `shop/data-${number}`);
  recorded.queue.add('quiet', 'shop/data');
  await recorded.until(() => recorded.taken.includes('quiet shop/data'));
  assert.ok(
    recorded.taken.indexOf('quiet shop/data') <= 1,
    String(recorded.taken.indexOf('quiet shop/data')),
  );
  await recorded.until(() => recorded.taken.length === 10_001);
  assert.equal(new Set(recorded.taken).size, 10_001);
});

test('a tenant that answers nothing occupies its own places only', async () => {
  const recorded = new Recorded({ holdBack: (tenant) => tenant === 'dead' });
  recorded.queue.start();
  for (let number = 0; number < 100; number += 1) recorded.queue.add('dead', `${number}`);
  for (let number = 0; number < 100; number += 1) recorded.queue.add('alive', `${number}`);
  await recorded.until(() => recorded.taken.filter((name) => name.startsWith('alive')).length === 100);
  await afterEverythingDue();
  assert.equal(recorded.held.size, 8, 'in flight at once');
  for (const name of recorded.held.keys()) recorded.letGo(name);
  await recorded.until(() => recorded.taken.filter((name) => name.startsWith('dead')).length === 16);
});

test('what was forgotten is not looked at, neither now nor when it would have been due', async () => {
  const recorded = new Recorded({ holdBack: (_tenant, key) => key === 'in flight' });
  recorded.queue.start();
  recorded.queue.add('a', 'in flight');
  await recorded.until(() => recorded.taken.length === 1);
  recorded.queue.add('a', 'in flight');
  recorded.queue.add('a', 'waiting');
  recorded.queue.addAfter('a', 'later', 1);
  recorded.queue.forget('a');
  recorded.letGo('a in flight');
  const bystander = new Promise<void>((resolve) => setTimeout(resolve, 20));
  await bystander;
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a in flight']);
  assert.equal(recorded.queue.isIdle('a'), true);
});

test('a tenant that was forgotten can come back under its name', async () => {
  const recorded = new Recorded();
  recorded.queue.start();
  recorded.queue.add('a', 'before');
  recorded.queue.forget('a');
  recorded.queue.add('a', 'after');
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a after']);
});

test('stop waits for what is in flight and takes nothing more', async () => {
  const recorded = new Recorded({ holdBack: () => true });
  recorded.queue.start();
  recorded.queue.add('a', 'first');
  recorded.queue.add('b', 'second');
  await recorded.until(() => recorded.taken.length === 2);
  recorded.queue.add('a', 'third');
  let stopped = false;
  const stopping = recorded.queue.stop().then(() => (stopped = true));
  await afterEverythingDue();
  assert.equal(stopped, false);
  recorded.letGo('a first');
  await afterEverythingDue();
  assert.equal(stopped, false);
  recorded.letGo('b second');
  await stopping;
  recorded.queue.add('a', 'fourth');
  recorded.queue.start();
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a first', 'b second']);
});

test('what is put off while it stops keeps no process from ending', async () => {
  const recorded = new Recorded({ holdBack: () => true });
  recorded.queue.start();
  recorded.queue.add('a', 'x');
  await recorded.until(() => recorded.taken.length === 1);
  const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const before = timers();
  const stopping = recorded.queue.stop();
  // As a write does that ends now and is to be looked at in five minutes.
  recorded.queue.addAfter('a', 'x', 300_000);
  recorded.letGo('a x');
  await stopping;
  assert.equal(timers(), before);
});

test('of several times for one key the soonest counts', async () => {
  const recorded = new Recorded();
  recorded.queue.start();
  recorded.queue.addAfter('a', 'x', 60_000);
  recorded.queue.addAfter('a', 'x', 5);
  recorded.queue.addAfter('a', 'x', 60_000);
  await recorded.until(() => recorded.taken.length === 1);
  await afterEverythingDue();
  assert.deepEqual(recorded.taken, ['a x']);
  await recorded.queue.stop();
});

test('a key that is added at once is not looked at again when it would have been due', async () => {
  const recorded = new Recorded();
  recorded.queue.start();
  recorded.queue.addAfter('a', 'x', 5);
  recorded.queue.add('a', 'x');
  recorded.queue.addAfter('a', 'x', 5);
  recorded.queue.addAfter('b', 'y', 20);
  await recorded.until(() => recorded.taken.includes('b y'));
  assert.deepEqual(recorded.taken, ['a x', 'b y']);
});

test('work that fails is told, and its key can be looked at again', async () => {
  const failures: unknown[] = [];
  let times = 0;
  const failed = Promise.withResolvers<void>();
  const queue = new FairQueue(
    () => {
      times += 1;
      return Promise.reject(new Error(`failure ${times}`));
    },
    (error) => {
      failures.push(error);
      if (failures.length === 2) failed.resolve();
    },
  );
  queue.start();
  queue.add('a', 'x');
  await afterEverythingDue();
  queue.add('a', 'x');
  await failed.promise;
  assert.deepEqual(failures.map(String), ['Error: failure 1', 'Error: failure 2']);
  await queue.stop();
});

test('a tenant whose key in flight asks to be looked at again at once is not idle before that look is over', async () => {
  const recorded = new Recorded({ holdBack: () => true });
  recorded.queue.start();
  recorded.queue.add('a', 'x');
  await recorded.until(() => recorded.taken.length === 1);
  recorded.queue.addAfter('a', 'x', 0);
  recorded.letGo('a x');
  await Promise.resolve();
  while (recorded.taken.length < 2) {
    assert.equal(recorded.queue.isIdle('a'), false);
    await nextTurn();
  }
  recorded.letGo('a x');
  await afterEverythingDue();
  assert.equal(recorded.queue.isIdle('a'), true);
});
