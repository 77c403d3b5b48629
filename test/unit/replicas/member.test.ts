/** One replica, step by step: what random schedules come upon too seldom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instant } from '../../../src/replicas/clock.ts';
import { leaseName, termOf } from '../../../src/replicas/lease.ts';
import type { LeaseContent, ReplicaLease } from '../../../src/replicas/lease.ts';
import { Member } from '../../../src/replicas/member.ts';
import type { Step } from '../../../src/replicas/member.ts';
import { LEASE_DURATION, timingsOf } from '../../../src/replicas/timings.ts';

const TENANTS = Array.from({ length: 30 }, (_, index) => `team/${index}`);
const TIMINGS = timingsOf(LEASE_DURATION);

/** Seconds by both clocks. */
function at(seconds: number): Instant {
  return { monotonic: seconds * 1000, wall: seconds * 1000 + 1e12 };
}

function member(replica = 'me'): Member {
  return new Member({ name: leaseName(replica), holder: `${replica}_1`, timings: TIMINGS });
}

function lease(replica: string, parts: Partial<ReplicaLease> = {}): ReplicaLease {
  return {
    name: leaseName(replica),
    uid: `uid of ${replica}`,
    resourceVersion: '1',
    holder: `${replica}_1`,
    transitions: 1,
    duration: LEASE_DURATION,
    actsUpon: new Set(['me_1/1']),
    ...parts,
  };
}

/** Our lease as it is after a write. */
function stored({ lease: content }: { lease: LeaseContent }): ReplicaLease {
  return { ...content, uid: 'ours', resourceVersion: '5', actsUpon: new Set(content.actsUpon) };
}

function write(step: Step): Extract<Step, { kind: 'write' }> {
  if (step.kind !== 'write') assert.fail('nothing to write');
  return step;
}

function writes(one: Member, seconds: number): boolean {
  return TENANTS.some((tenant) => one.mayWrite(tenant, at(seconds)));
}

/** Second 0 of a member that has seen the others live: it announces itself. */
function announce(me: Member, others: readonly ReplicaLease[]): Extract<Step, { kind: 'write' }> {
  const earlier = others.map((one) => ({ ...one, resourceVersion: '0' }));
  if (others.length > 0) assert.equal(me.listed(earlier, at(-1), at(-1)).kind, 'wait');
  const step = write(me.listed(others, at(0), at(0)));
  me.answered(at(0));
  return step;
}

/** A member that may write from second 0 on, with these others there. */
function established(others: readonly ReplicaLease[] = []): { me: Member; own: ReplicaLease } {
  const me = member();
  const announced = announce(me, others);
  const own = stored(announced);
  me.listed([own, ...others], at(0), at(0));
  me.answered(at(0));
  assert.ok(writes(me, 0));
  return { me, own };
}

/** One round that is answered. @param began, ended seconds */
function round(me: Member, leases: readonly ReplicaLease[], began: number, ended = began): void {
  me.listed(leases, at(began), at(ended));
  me.answered(at(ended));
}

test('the first of all writes as soon as a list that is younger than its lease shows nobody else', () => {
  const me = member();
  const { lease: content, resourceVersion } = write(me.listed([], at(0), at(0)));
  assert.deepEqual([content.transitions, resourceVersion], [1, null]);
  assert.equal(writes(me, 0), false);
  me.answered(at(0));
  assert.equal(writes(me, 0), false);
  assert.equal(me.nextRoundIn(at(0), 0), 0);
  me.listed([stored({ lease: content })], at(0), at(0));
  assert.ok(TENANTS.every((tenant) => me.mayWrite(tenant, at(0))));
});

test('a lease counts from when the round began, for three fifths of its duration, by whichever clock says more', () => {
  const { me, own } = established();
  me.listed([own], at(5), at(6));
  me.answered(at(7));
  assert.equal(writes(me, 13.9), true);
  assert.equal(writes(me, 14), false);
  assert.equal(me.mayWrite('team/1', { monotonic: 6_000, wall: at(14).wall }), false, 'suspended');
  assert.equal(me.mayWrite('team/1', { monotonic: 14_000, wall: at(1).wall }), false, 'clock set back');
});

test('a renewal that is answered after the lease ran out revives nothing: it is announced as another term', () => {
  const { me, own } = established();
  me.listed([own], at(8), at(8));
  me.answered(at(9.5));
  assert.equal(writes(me, 9.5), false);
  const again = write(me.listed([own], at(10), at(10)));
  assert.equal(again.lease.transitions, 2);
  assert.equal(again.resourceVersion, own.resourceVersion);
});

test('an announcement that was not answered may have been seen: the next has another number', () => {
  const me = member();
  const first = write(me.listed([], at(0), at(0)));
  me.failed();
  const second = write(me.listed([stored(first)], at(5), at(5)));
  assert.deepEqual([first.lease.transitions, second.lease.transitions], [1, 2]);
});

test('a newcomer writes once every other lease names its term, and not another term of its', () => {
  const me = member();
  const other = (...actsUpon: string[]): ReplicaLease => lease('other', { actsUpon: new Set(actsUpon) });
  const { lease: content } = announce(me, [other()]);
  assert.deepEqual(content.actsUpon, ['other_1/1']);
  const own = stored({ lease: content });
  for (const actsUpon of [[], ['me_1/0'], ['me_2/1'], ['me_1/11']]) {
    me.listed([own, other(...actsUpon)], at(1), at(1));
    assert.equal(writes(me, 1), false);
    assert.deepEqual(me.awaiting(), ['other']);
  }
  me.listed([own, other(termOf(content))], at(1), at(1));
  assert.equal(writes(me, 1), true);
});

test('a newcomer gets its share at once, and is told so a second later, when our writes have ended', () => {
  const { me, own } = established();
  const other = lease('other');
  const named = (step: Step): readonly string[] => write(step).lease.actsUpon;
  assert.deepEqual(named(me.listed([own, other], at(2), at(2))), []);
  const lost = TENANTS.filter((tenant) => !me.owns(tenant));
  assert.ok(lost.length > 0 && lost.length < TENANTS.length);
  me.answered(at(2));
  assert.equal(me.nextRoundIn(at(2), 0), 1_000);
  assert.deepEqual(named(me.listed([own, other], at(3), at(3))), ['other_1/1']);
});

test('a newcomer takes no share before it has seen which of the others live', () => {
  const me = member();
  const [alive, dead] = [lease('alive'), lease('dead')];
  assert.deepEqual(me.listed([alive, dead], at(0), at(0)), { kind: 'wait', holder: null });
  assert.deepEqual(me.live(), ['alive', 'dead']);
  assert.equal(me.nextRoundIn(at(0), 0), 250);
  const renewed = { ...alive, resourceVersion: '2' };
  assert.equal(me.listed([renewed, dead], at(2), at(2)).kind, 'wait');
  assert.equal(me.listed([renewed, dead], at(11.9), at(11.9)).kind, 'wait');
  const step = write(me.listed([{ ...alive, resourceVersion: '3' }, dead], at(12), at(12)));
  assert.deepEqual(step.lease.actsUpon, ['alive_1/1']);
});

test('a moment that comes while a round is under way is not missed: the next round begins at once', () => {
  const { me, own } = established();
  const other = lease('other');
  round(me, [own, other], 2);
  // The newcomer may be told at 3 s; this list was taken in just before.
  round(me, [own, other], 2.98);
  assert.equal(me.nextRoundIn(at(3.02), 0), 0);
  round(me, [own, other], 8);
  // Its lease has not changed for 12 s at 14 s; this list was asked for just before.
  round(me, [own, other], 13.9, 14.1);
  assert.deepEqual(me.live(), ['me', 'other']);
  assert.equal(me.nextRoundIn(at(14.2), 0), 0);
  round(me, [own, other], 14.2);
  assert.deepEqual(me.live(), ['me']);
  assert.equal(me.nextRoundIn(at(14.3), 0), TIMINGS.interval);
});

test('another is dead when a list asked for twelve seconds after its last change still shows it unchanged', () => {
  const { me, own } = established([lease('other')]);
  const leases = [own, lease('other', { resourceVersion: '2' })];
  for (const second of [3, 6, 9, 12]) round(me, leases, second);
  round(me, leases, 14.9, 15.5);
  assert.deepEqual(me.live(), ['me', 'other']);
  assert.ok(TENANTS.some((tenant) => !me.owns(tenant)));
  round(me, leases, 15);
  assert.deepEqual(me.live(), ['me']);
  assert.ok(TENANTS.every((tenant) => me.mayWrite(tenant, at(15))));
});

test('a dead one that renews its lease all the same lives again', () => {
  const { me, own } = established([lease('other')]);
  for (const second of [3, 6, 9, 12]) round(me, [own, lease('other')], second);
  assert.deepEqual(me.live(), ['me']);
  round(me, [own, lease('other', { resourceVersion: '2' })], 13);
  assert.deepEqual(me.live(), ['me', 'other']);
});

test('time in which we were cut off ourselves is not held against the others', () => {
  const { me, own } = established([lease('other')]);
  round(me, [own, lease('other')], 20);
  assert.deepEqual(me.live(), ['me', 'other']);
  const again = { ...own, transitions: 2 };
  for (const second of [23, 26, 29, 31.9]) round(me, [again, lease('other')], second);
  assert.deepEqual(me.live(), ['me', 'other']);
  round(me, [again, lease('other')], 32);
  assert.deepEqual(me.live(), ['me']);
});

test('the lease of a dead one is to be removed, as it was seen, when nothing was seen of it for a minute', () => {
  const dead = lease('other');
  const { me, own } = established([dead]);
  for (let second = 3; second < 60; second += 3) round(me, [own, dead], second);
  assert.deepEqual(me.removable(at(59)), []);
  round(me, [own, dead], 60);
  assert.deepEqual(me.removable(at(60)), [dead]);
  assert.deepEqual(me.removable(at(71)), [], 'our own lease has run out');
});

test('one that gave its lease back is gone at once; one whose lease was deleted may not know it yet', () => {
  const { me, own } = established([lease('gone'), lease('deleted')]);
  round(me, [own, lease('gone', { holder: '', resourceVersion: '2' })], 2);
  assert.deepEqual(me.live(), ['deleted', 'me']);
  for (const second of [5, 8, 11, 13.9]) round(me, [own], second);
  assert.deepEqual(me.live(), ['deleted', 'me']);
  round(me, [own], 14);
  assert.deepEqual(me.live(), ['me']);
});

test('a lease in the hands of another process is left to it until that one is dead', () => {
  const me = member();
  const twin = lease('me', { holder: 'me_0', transitions: 4 });
  assert.deepEqual(me.listed([twin], at(0), at(0)), { kind: 'wait', holder: 'me_0' });
  assert.ok(TENANTS.every((tenant) => !me.owns(tenant)));
  assert.equal(me.listed([twin], at(11.9), at(12)).kind, 'wait');
  const step = write(me.listed([twin], at(12), at(12)));
  assert.deepEqual([step.lease.transitions, step.resourceVersion], [5, '1']);
});

test('a lease that another process has taken over is given up at once', () => {
  const { me } = established();
  const twin = lease('me', { holder: 'me_2', transitions: 2 });
  assert.equal(me.listed([twin], at(1), at(1)).kind, 'wait');
  assert.equal(writes(me, 1), false);
});

test('whoever leaves owns and writes nothing from then on', () => {
  const { me, own } = established();
  me.leave();
  round(me, [own], 1);
  assert.ok(TENANTS.every((tenant) => !me.owns(tenant)));
  assert.equal(writes(me, 1), false);
  assert.equal(me.holdsLease(at(1)), false);
});

test('after a failure the next round waits as long as any other', () => {
  const me = member();
  me.listed([], at(0), at(0));
  me.answered(at(0));
  me.failed();
  assert.equal(me.nextRoundIn(at(0), 0), TIMINGS.interval);
  assert.equal(me.nextRoundIn(at(0), 1), TIMINGS.interval * 1.2);
});
