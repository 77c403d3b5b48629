import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import type { VirtualCluster } from '../../../src/reconcile/model.ts';
import { parseTenantKubeconfigFlags } from '../../../src/virtualcluster/tenant-kubeconfig-flag.ts';

const virtualCluster = (namespace: string, name: string): VirtualCluster => ({
  namespace,
  name,
  uid: '',
  phase: 'Running',
  clusterNamespace: '',
  adminKubeconfig: '',
  adminKubeconfigSecret: '',
});

test('NAMESPACE/NAME=FILE goes before NAME=FILE, and a file may have "=" in its name', () => {
  const files = parseTenantKubeconfigFlags(['a=plain', 'x/a=full', 'b=dir/k=v']);
  assert.equal(files.find(virtualCluster('x', 'a')), 'full');
  assert.equal(files.find(virtualCluster('y', 'a')), 'plain');
  assert.equal(files.find(virtualCluster('x', 'b')), 'dir/k=v');
  assert.equal(files.find(virtualCluster('x', 'c')), null);
});

test('any other form is refused in one line that says what is expected', () => {
  for (const value of ['', 'a', '=f', 'a=', 'x/=f', '/a=f', 'x/y/a=f', 'a\u001b[31m\nb']) {
    assert.throws(
      () => parseTenantKubeconfigFlags([value]),
      (error) =>
        error instanceof UserError &&
        error.message.endsWith('expected VIRTUALCLUSTER=FILE, the first as NAME or NAMESPACE/NAME') &&
        // oxlint-disable-next-line no-control-regex
        !/[\n\u001b]/.test(error.message),
      value,
    );
  }
});
