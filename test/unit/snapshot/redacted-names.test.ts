/** Names that stand for others, also where the syncer makes one name of several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterKey, superNamespaceName } from '../../../src/reconcile/mapping.ts';
import type { VirtualCluster } from '../../../src/reconcile/model.ts';
import { RedactedNames } from '../../../src/snapshot/redacted-names.ts';

const virtualCluster = (namespace: string, name: string, clusterNamespace = ''): VirtualCluster => ({
  namespace,
  name,
  uid: '0ffb6d29-4cd8-5d09-9400-71fd5b7bd2b1',
  phase: 'Running',
  clusterNamespace,
  adminKubeconfig: 'secret',
  adminKubeconfigSecret: 'secret',
});
const STAGING = virtualCluster('payments-team', 'production-eu-west-1');
const KEY = clusterKey(STAGING);
const OWN = virtualCluster('team-b', 'staging', 'roots');
const OWN_LONGER = virtualCluster('team-b', 'other', 'roots-of');

function namesOf(...virtualClusters: readonly VirtualCluster[]): RedactedNames {
  return new RedactedNames(virtualClusters);
}

test("a tenant's super namespace is made of the other names as the syncer makes it", () => {
  const names = namesOf(STAGING);
  const key = clusterKey(names.virtualCluster(STAGING));
  assert.equal(names.superNamespace(KEY), key);
  assert.equal(names.superNamespace(`${KEY}-shop`), `${key}-${names.namespace('shop')}`);
  assert.equal(names.superNamespace(`${KEY}-default`), `${key}-default`);
  assert.equal(names.superNamespace('elsewhere'), names.namespace('elsewhere'));
});

test('one whose name is too long, and therefore a digest, is made anew from what it was made of', () => {
  const names = namesOf(STAGING);
  const tenantNamespace = 'analytics-warehouse-staging';
  names.learn(KEY, tenantNamespace);
  const redacted = names.superNamespace(superNamespaceName(KEY, tenantNamespace));
  assert.match(redacted, /^.{57}-[0-9a-f]{5}$/);
  assert.equal(
    redacted,
    superNamespaceName(clusterKey(names.virtualCluster(STAGING)), names.namespace(tenantNamespace)),
  );
});

test('of two keys the longer one is taken for the beginning of a name', () => {
  const names = namesOf(OWN, OWN_LONGER);
  assert.equal(
    names.superNamespace('roots-of-shop'),
    `${names.clusterKey('roots-of')}-${names.namespace('shop')}`,
  );
  assert.equal(names.superNamespace('roots-shop'), `${names.clusterKey('roots')}-${names.namespace('shop')}`);
});

test('a VirtualCluster keeps its way of naming its root namespace, and none of its credentials', () => {
  const computed = { ...STAGING, clusterNamespace: KEY };
  const names = namesOf(STAGING);
  const redacted = names.virtualCluster(computed);
  assert.equal(redacted.clusterNamespace, clusterKey({ ...redacted, clusterNamespace: '' }));
  assert.equal(names.virtualCluster(STAGING).clusterNamespace, '');
  assert.equal(names.virtualCluster(OWN).clusterNamespace, names.namespace('roots'));
  assert.deepEqual([redacted.adminKubeconfig, redacted.adminKubeconfigSecret], ['', '']);
});

test("a provisioned volume's name holds the claim's other uid", () => {
  const names = namesOf();
  const uid = '7374a172-c35d-45b1-9c8e-bf5c5b614937';
  assert.equal(names.volume(`pvc-${uid}`), `pvc-${names.uid(uid)}`);
  assert.match(names.uid(uid), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(names.volume('pvc-of-mine'), /^volume-[0-9a-v]{10}$/);
  assert.equal(names.uid(''), '');
});

test('names are valid; those of namespaces and VirtualClusters are as long as they were, but for short ones', () => {
  const names = namesOf();
  for (const length of [1, 10, 11, 12, 40, 63]) {
    const name = 'a'.repeat(length);
    for (const other of [names.namespace(name), names.virtualClusterName(name)]) {
      assert.match(other, /^[a-z][a-z0-9-]*[a-z0-9]$/);
      assert.equal(other.length, Math.max(11, length));
    }
  }
  assert.equal(names.namespace('a'.repeat(253)).length, 253);
});

test('what every cluster has keeps its name', () => {
  const names = namesOf();
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    assert.equal(names.namespace(name), name);
    assert.equal(names.superNamespace(name), name);
  }
  assert.equal(names.provisioner('kubernetes.io/no-provisioner'), 'kubernetes.io/no-provisioner');
  assert.match(names.provisioner('disks.acme.example'), /^provisioner-[0-9a-v]{8}$/);
});

test('kinds have names of their own, and every run has others', () => {
  const [first, second] = [namesOf(), namesOf()];
  const all = [first, second].flatMap((names) => [
    names.claim('data'),
    names.volume('data'),
    names.storageClass('data'),
    names.namespace('data'),
    names.virtualClusterName('data'),
    names.node('data'),
    names.uid('data'),
  ]);
  assert.equal(new Set(all).size, all.length);
  assert.equal(first.claim('data'), first.claim('data'));
});
