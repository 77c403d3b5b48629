import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterKey, superNamespaceName } from '../../../src/reconcile/mapping.ts';
import type { VirtualCluster } from '../../../src/reconcile/model.ts';

const SAMPLE: VirtualCluster = {
  namespace: 'default',
  name: 'vc-sample-1',
  uid: '14aad186-a667-41d0-87d1-5203159e49f4',
  phase: 'Running',
  clusterNamespace: '',
  adminKubeconfig: '',
  adminKubeconfigSecret: '',
};

test('the key is computed from the uid where the status names none', () => {
  // Uid and key as recorded from the real syncer (test/data/captures).
  assert.equal(clusterKey(SAMPLE), 'default-6177e3-vc-sample-1');
});

test('the key is what the status says where it says something', () => {
  assert.equal(clusterKey({ ...SAMPLE, clusterNamespace: 'elsewhere' }), 'elsewhere');
});

test('a super namespace is the key and the tenant namespace', () => {
  assert.equal(
    superNamespaceName('default-532c0e-vc-sample-1', 'default'),
    'default-532c0e-vc-sample-1-default',
  );
});

test('a super namespace of 63 characters is kept and one of 64 is shortened with a hash', () => {
  const key = 'k'.repeat(31);
  assert.equal(superNamespaceName(key, 'n'.repeat(31)), `${key}-${'n'.repeat(31)}`);
  const shortened = superNamespaceName(key, 'n'.repeat(32));
  assert.equal(shortened.length, 63);
  assert.match(shortened, new RegExp(`^${key}-n{25}-[0-9a-f]{5}$`));
});

test('the hash is the one that the syncer computes', () => {
  assert.equal(
    superNamespaceName('payments-team-67cbb2-production-eu-west-1', 'analytics-warehouse-staging'),
    'payments-team-67cbb2-production-eu-west-1-analytics-wareh-7f159',
  );
});
