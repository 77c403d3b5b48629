import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  afterRefusal,
  afterWrite,
  isContested,
  pauseBefore,
  waitBefore,
} from '../../../src/reconcile/contest.ts';
import type { Contest, Deed } from '../../../src/reconcile/contest.ts';

const SET_PHASE: Deed = { action: 'SetPhase', phase: 'Lost' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** When SetPhase is written, if it is undone so long after each write. Milliseconds. */
function writesAgainst(undoneAfter: (write: number) => number, until: number): number[] {
  const writes: number[] = [];
  let contest: Contest | null = null;
  for (let now = 0; now <= until;) {
    writes.push(now);
    contest = afterWrite(contest, SET_PHASE, now);
    const undone = now + undoneAfter(writes.length - 1);
    now = undone + waitBefore(contest, SET_PHASE, undone);
  }
  return writes;
}

function mostWithin(window: number, writes: readonly number[]): number {
  return Math.max(...writes.map((from) => writes.filter((one) => one >= from && one < from + window).length));
}

test('a claim that is set back at once is answered at these times, and from then on once in ten minutes', () => {
  const writes = writesAgainst(() => 3, 2 * HOUR);
  const pauses = writes.slice(1).map((one, index) => one - (writes[index] ?? 0));
  assert.deepEqual(
    pauses.slice(0, 13),
    [250, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 600_000, 600_000],
  );
  assert.ok(pauses.slice(11).every((pause) => pause === 600_000));
});

test('whenever it is set back, there are no more than eight writes in any minute', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 130_000 }), { minLength: 1 }), (delays) => {
      const writes = writesAgainst((write) => delays[write % delays.length] ?? 1, HOUR);
      assert.ok(mostWithin(MINUTE, writes) <= 8, JSON.stringify(writes));
    }),
  );
});

test('who sets it back so that it costs most has it written less than 320 times an hour', () => {
  // Undone at once until the pause is long enough, then left alone until it counts as calm again.
  for (let quick = 0; quick < 12; quick += 1) {
    const writes = writesAgainst((write) => {
      return write % (quick + 1) === quick ? Math.max(MINUTE, 2 * 250 * 2 ** (quick + 1)) + 1 : 1;
    }, HOUR);
    assert.ok(writes.length < 320, `${writes.length} with ${quick} quick ones`);
  }
});

test('the third time that it is set back within a minute it is contested', () => {
  let contest = afterWrite(null, SET_PHASE, 0);
  assert.equal(isContested(contest), false);
  contest = afterWrite(contest, SET_PHASE, 300);
  assert.equal(isContested(contest), false);
  contest = afterWrite(contest, SET_PHASE, 1_400);
  assert.equal(isContested(contest), true);
});

test('what stood for a minute is answered at once, as if nothing had been', () => {
  const contest = afterWrite(afterWrite(null, SET_PHASE, 0), SET_PHASE, 300);
  assert.equal(waitBefore(contest, SET_PHASE, 300 + MINUTE + 1), 0);
  assert.equal(afterWrite(contest, SET_PHASE, 300 + MINUTE + 1).repeats, 0);
});

test('waiting out a pause is no calm: the next pause is longer', () => {
  let contest: Contest = afterWrite(null, SET_PHASE, 0);
  for (let write = 0; write < 40; write += 1) {
    const pause = pauseBefore(contest);
    const next = afterWrite(contest, SET_PHASE, contest.written + pause);
    assert.ok(pauseBefore(next) >= pause);
    assert.equal(next.repeats, contest.repeats + 1);
    contest = next;
  }
});

test('a write that is refused each time is tried at these times, and from then on once in ten minutes', () => {
  const pauses: number[] = [];
  let contest: Contest | null = null;
  for (let now = 0; pauses.length < 12; now += pauses.at(-1) ?? 0) {
    contest = afterRefusal(contest, SET_PHASE, now);
    assert.equal(isContested(contest), false);
    pauses.push(waitBefore(contest, SET_PHASE, now));
  }
  assert.deepEqual(
    pauses,
    [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map((seconds) => seconds * 1000),
  );
});

test('a super claim that changes is followed: what differs from the last write is never contested', () => {
  const deeds: readonly Deed[] = [
    SET_PHASE,
    { action: 'SetPhase', phase: 'Pending' },
    { action: 'Release', phase: 'Bound' },
  ];
  fc.assert(
    fc.property(
      fc.array(fc.record({ step: fc.integer({ min: 1, max: 2 }), gap: fc.nat(1_000) })),
      (turns) => {
        let contest: Contest | null = null;
        let now = 0;
        let at = 0;
        for (const { step, gap } of turns) {
          now += gap;
          at = (at + step) % deeds.length;
          const deed = deeds[at] ?? SET_PHASE;
          assert.equal(waitBefore(contest, deed, now), 0);
          contest = afterWrite(contest, deed, now);
          assert.equal(isContested(contest), false);
        }
      },
    ),
  );
});
