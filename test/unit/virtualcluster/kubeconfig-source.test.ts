/** Where a tenant's kubeconfig is taken from, and how each way for it not to be there is told. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import type { VirtualCluster } from '../../../src/reconcile/model.ts';
import { tenantKubeconfig } from '../../../src/virtualcluster/kubeconfig-source.ts';
import { ROOT, startFakeSuper } from './fake-super.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const VIRTUAL_CLUSTER: VirtualCluster = {
  namespace: 'default',
  name: 'vc-sample-1',
  uid: '14aad186-a667-41d0-87d1-5203159e49f4',
  phase: 'Running',
  clusterNamespace: '',
  adminKubeconfig: '',
  adminKubeconfigSecret: '',
};

const secretPath = (name: string): string => `/api/v1/namespaces/${ROOT}/secrets/${name}`;

/** What is found, and which Secrets were asked for. */
async function find(secrets: Readonly<Record<string, unknown>>, more: Partial<VirtualCluster> = {}) {
  const fake = await startFakeSuper(secrets);
  try {
    const found = await tenantKubeconfig(
      { ...VIRTUAL_CLUSTER, ...more },
      fake.api,
      AbortSignal.timeout(20_000),
    );
    return { ...found, asked: fake.asked };
  } finally {
    await fake.stop();
  }
}

describe('the kubeconfig of a tenant', () => {
  test('is the annotation where there is one, whatever Secrets there are', async () => {
    const found = await find(
      {},
      { adminKubeconfig: `${base64('from the annotation')}\n`, adminKubeconfigSecret: 'named' },
    );
    assert.equal(found.text, 'from the annotation');
    assert.deepEqual(found.asked, []);
  });

  test('is key "value" of the Secret that the annotation names, next', async () => {
    const secrets = {
      [secretPath('named')]: { data: { value: base64('from the named Secret') } },
      [secretPath('admin-kubeconfig')]: { data: { 'admin-kubeconfig': base64('another') } },
    };
    const found = await find(secrets, { adminKubeconfigSecret: 'named' });
    assert.equal(found.text, 'from the named Secret');
    assert.equal(found.source, `Secret ${ROOT}/named`);
  });

  test('is Secret admin-kubeconfig of the computed root namespace, last', async () => {
    const found = await find({
      [secretPath('admin-kubeconfig')]: { data: { 'admin-kubeconfig': base64('from the Secret') } },
    });
    assert.equal(found.text, 'from the Secret');
  });

  const BROKEN: readonly (readonly [string, Partial<VirtualCluster>, Record<string, unknown>, RegExp])[] = [
    ['an annotation that is no base64', { adminKubeconfig: 'SECRET!' }, {}, /^annotation .* is not base64$/],
    ['an annotation without padding', { adminKubeconfig: 'YQ' }, {}, /^annotation .* is not base64$/],
    ['an annotation of line breaks', { adminKubeconfig: '\n' }, {}, /^annotation .* is empty$/],
    [
      'a named Secret that is not there, though the other is',
      { adminKubeconfigSecret: 'named' },
      { [secretPath('admin-kubeconfig')]: { data: { 'admin-kubeconfig': base64('x') } } },
      /^Secret default-6177e3-vc-sample-1\/named, .* does not exist; --tenant-kubeconfig/,
    ],
    ['no Secret', {}, {}, /^Secret default-6177e3-vc-sample-1\/admin-kubeconfig, .* does not exist/],
    [
      'a Secret that may not be read',
      {},
      { [secretPath('admin-kubeconfig')]: 403 },
      /not allowed to get secrets in namespace default-6177e3-vc-sample-1, .*ClusterRole vc-pvc-tenant-kubeconfigs/,
    ],
    [
      'a Secret with another key',
      {},
      { [secretPath('admin-kubeconfig')]: { data: { value: base64('SECRET') } } },
      /^Secret .* has no data key "admin-kubeconfig"/,
    ],
    ['a Secret without data', {}, { [secretPath('admin-kubeconfig')]: {} }, /has no data key/],
    [
      'a Secret with an empty key',
      {},
      { [secretPath('admin-kubeconfig')]: { data: { 'admin-kubeconfig': '' } } },
      /or an empty one/,
    ],
    [
      'a Secret with no base64',
      {},
      { [secretPath('admin-kubeconfig')]: { data: { 'admin-kubeconfig': 'SECRET!' } } },
      /^Secret .*, key "admin-kubeconfig" is not base64$/,
    ],
    ['a Secret whose name is a path', { adminKubeconfigSecret: '..' }, {}, /is no name of a Secret$/],
    ['a root namespace that is a path', { clusterNamespace: '..' }, {}, /is no name of a namespace$/],
  ];
  for (const [what, more, secrets, message] of BROKEN) {
    test(`with ${what} is an error in one line, without its content`, async () => {
      await assert.rejects(find(secrets, more), (error: Error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /[\n\u001b]|SECRET/);
        return true;
      });
    });
  }

  test('of any annotation is its base64 or a UserError without it', async () => {
    const api = { settings: undefined as never, getJson: () => assert.fail('nothing is asked for') };
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.base64String(), fc.string()), async (adminKubeconfig) => {
        fc.pre(adminKubeconfig.length > 8);
        const found = tenantKubeconfig(
          { ...VIRTUAL_CLUSTER, adminKubeconfig },
          api,
          AbortSignal.timeout(20_000),
        );
        await found.then(
          ({ text }) => assert.equal(text, Buffer.from(adminKubeconfig, 'base64').toString('utf8')),
          (error: unknown) => {
            assert.ok(error instanceof UserError);
            assert.ok(!error.message.includes(adminKubeconfig));
          },
        );
      }),
    );
  });
});
