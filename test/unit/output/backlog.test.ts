import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Backlog } from '../../../src/output/backlog.ts';
import type { Change } from '../../../src/output/backlog.ts';

interface Told extends Change {
  readonly key: string;
  readonly state: number;
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ key: fc.constantFrom('a', 'b', 'c'), isThere: fc.boolean(), state: fc.nat(3) }),
  },
  // So many are said; the others wait on.
  { weight: 1, arbitrary: fc.record({ said: fc.nat(3) }) },
);

/** Applies what was said. @throws where it does not follow from what was said before */
function apply(things: Map<string, number>, { key, type, state }: Told): void {
  assert.equal(things.has(key), type !== 'ADDED', `${type} ${key}`);
  if (type === 'DELETED') things.delete(key);
  else things.set(key, state);
}

function said(backlog: Backlog<Told>, most = Infinity): Told[] {
  return [...backlog.takeAll().take(most)];
}

test('whoever is told what is left of any changes, whenever he listens, has in the end what whoever is told all has', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [all, seen] = [new Map<string, number>(), new Map<string, number>()];
      const backlog = new Backlog<Told>();
      for (const one of steps) {
        if ('said' in one) {
          for (const told of said(backlog, one.said)) apply(seen, told);
          continue;
        }
        const { key, isThere, state } = one;
        if (!isThere && !all.has(key)) continue;
        const type = isThere ? (all.has(key) ? 'MODIFIED' : 'ADDED') : 'DELETED';
        apply(all, { key, type, state });
        backlog.add(key, { key, type, state });
        assert.ok(backlog.size <= new Set([...all.keys(), ...seen.keys()]).size, 'one a thing at most');
      }
      for (const told of said(backlog)) apply(seen, told);
      assert.deepEqual(seen, all);
      assert.equal(backlog.size, 0);
    }),
    { numRuns: 500 },
  );
});

test('what came and went again is nothing to say, what went and came back has changed', () => {
  const backlog = new Backlog<Told>();
  const add = (key: string, ...types: readonly Change['type'][]): void =>
    types.forEach((type, state) => backlog.add(key, { key, type, state }));
  add('came and went', 'ADDED', 'MODIFIED', 'DELETED');
  add('back', 'DELETED', 'ADDED');
  add('gone', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED');
  add('new', 'ADDED', 'DELETED', 'ADDED', 'MODIFIED');
  assert.deepEqual(said(backlog), [
    { key: 'back', type: 'MODIFIED', state: 1 },
    { key: 'gone', type: 'DELETED', state: 3 },
    { key: 'new', type: 'ADDED', state: 3 },
  ]);
});

test('what has waited longest is said first, however often it changed since', () => {
  const backlog = new Backlog<Told>();
  for (const key of ['b', 'a', 'c', 'b', 'a']) backlog.add(key, { key, type: 'MODIFIED', state: 0 });
  assert.deepEqual(
    said(backlog, 2).map(({ key }) => key),
    ['b', 'a'],
  );
  backlog.add('b', { key: 'b', type: 'MODIFIED', state: 1 });
  assert.deepEqual(
    said(backlog).map(({ key }) => key),
    ['c', 'b'],
  );
});
