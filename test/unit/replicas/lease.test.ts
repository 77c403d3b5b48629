/** Leases as they are read and written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { leaseName, leaseObject, leasesFromJson, replicaOf, termOf } from '../../../src/replicas/lease.ts';

const TIMES = { acquired: Date.UTC(2026, 10, 30, 10), renewed: Date.UTC(2026, 10, 30, 10, 0, 2, 7) };

test('what is written is what another replica reads', () => {
  const content = { name: 'vc-pvc-a', holder: 'a_1', transitions: 3, duration: 15_000, actsUpon: ['b_1/1'] };
  const [read] = leasesFromJson({ items: [leaseObject(content, '7', TIMES)] });
  assert.deepEqual(read, { ...content, uid: '', resourceVersion: '7', actsUpon: new Set(['b_1/1']) });
  assert.equal(termOf(content), 'a_1/3');
});

test('times are written with six digits, durations as whole seconds', () => {
  const content = { name: 'vc-pvc-a', holder: 'a_1', transitions: 3, duration: 1_500, actsUpon: [] };
  const { spec } = leaseObject(content, null, TIMES) as { spec: object };
  assert.deepEqual(spec, {
    holderIdentity: 'a_1',
    leaseDurationSeconds: 2,
    leaseTransitions: 3,
    acquireTime: '2026-11-30T10:00:00.000000Z',
    renewTime: '2026-11-30T10:00:02.007000Z',
  });
});

test('a spoilt lease is read as one that keeps off nothing', () => {
  for (const annotation of ['', 'not JSON', '{"a":1}', '[1,null]', '"a/1"']) {
    const metadata = { name: 'x', annotations: { 'vc-pvc.tenancy.x-k8s.io/acts-upon': annotation } };
    const [lease] = leasesFromJson({ items: [{ metadata, spec: { holderIdentity: 'x_1' } }] });
    assert.deepEqual(lease?.actsUpon, new Set(), annotation);
  }
});

test('any object is taken for a list of leases', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const list of [value, { items: value }, { items: [value] }, { items: [{ spec: value }] }]) {
        for (const lease of leasesFromJson(list)) assert.ok(lease.transitions >= 0 && lease.duration >= 0);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a replica is found again by the name of its lease', () => {
  assert.equal(replicaOf(leaseName('vc-pvc-7f9c-x2x')), 'vc-pvc-7f9c-x2x');
  assert.equal(replicaOf('somebody-elses'), 'somebody-elses');
});
