/** What plugin/deploy lets its pods do, on a real API server: what the watch needs, and nothing else. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Json } from '../control-plane/api.ts';
import { binaries } from '../control-plane/build.ts';
import { BASE, NAMESPACE, kubeconfigOf, kubectl } from '../control-plane/deployed.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import { runCli, runProcess } from '../support/run-cli.ts';

let fleet: Fleet;
/** The kubeconfig of the pods' ServiceAccount. */
let asPod = '';
/** That of one to which nothing is bound: what it may do, everybody may. */
let asNobody = '';

describe('the ServiceAccount of plugin/deploy', () => {
  before(async () => {
    fleet = await startFleet({
      tenants: ['default/vc-sample-1', 'team-b/staging'],
      controllerManagers: false,
    });
    await kubectl(fleet, 'apply', '-k', BASE);
    asPod = await kubeconfigOf(fleet, 'vc-pvc');
    await kubectl(fleet, 'create', 'serviceaccount', 'nobody', '-n', NAMESPACE);
    asNobody = await kubeconfigOf(fleet, 'nobody');
  });
  after(() => fleet?.stop());

  test('everywhere it may read the fleet, and Secrets only by the name admin-kubeconfig', async () => {
    assert.deepEqual(await rulesIn('default'), READING);
  });

  test('in its own namespace it may keep Leases besides, and nothing else', async () => {
    const leases = 'create,delete,list,update coordination.k8s.io/leases';
    assert.deepEqual(await rulesIn(NAMESPACE), [...READING, leases].sort());
  });

  test('tenants’ kubeconfigs are listed and watched over all namespaces by their name', async () => {
    const selector = 'fieldSelector=metadata.name%3Dadmin-kubeconfig';
    const list = await pod('get', '--raw', `/api/v1/secrets?${selector}`);
    assert.deepEqual(
      JSON.parse(list.stdout)
        .items.map(({ metadata }: Json) => metadata.namespace)
        .sort(),
      fleet.tenants.map(({ key }) => key).sort(),
      list.stderr,
    );
    const watch = await pod(
      'get',
      '--raw',
      `/api/v1/secrets?${selector}&watch=1&resourceVersion=0&timeoutSeconds=1`,
    );
    assert.equal(watch.code, 0, watch.stderr);
    assert.equal(watch.stdout.match(/"type":"ADDED"/g)?.length, 2);
  });

  test('other Secrets are out of reach: by name, in a list, in a watch, by another selector', async () => {
    await kubectl(fleet, 'create', 'secret', 'generic', 'password', '-n', 'default', '--from-literal=a=b');
    for (const path of [
      '/api/v1/namespaces/default/secrets/password',
      '/api/v1/namespaces/default/secrets',
      '/api/v1/secrets',
      '/api/v1/secrets?watch=1&timeoutSeconds=1',
      '/api/v1/secrets?fieldSelector=metadata.name%3Dpassword',
      '/api/v1/secrets?fieldSelector=metadata.name%21%3Dadmin-kubeconfig',
    ]) {
      const { code, stderr } = await pod('get', '--raw', path);
      assert.equal(code, 1, path);
      assert.match(stderr, /Forbidden|forbidden/, path);
    }
  });

  test('Leases are kept in its own namespace and in no other', async () => {
    const create = (namespace: string) =>
      creates(asPod, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'vc-pvc-a', namespace },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
      });
    assert.equal((await create(NAMESPACE)).code, 0);
    assert.equal((await pod('delete', 'lease', 'vc-pvc-a', '-n', NAMESPACE, '--wait=false')).code, 0);
    for (const namespace of ['default', 'kube-system']) {
      assert.match((await create(namespace)).stderr, /cannot create resource "leases"/, namespace);
    }
  });

  test('with it the program reads the super cluster and every tenant', async () => {
    const { code, stderr } = await runCli(['check'], { KUBECONFIG: asPod });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /0 claims of 2 VirtualClusters/);
  });
});

/** What SelfSubjectRulesReview says, as rulesIn puts it. */
const READING = [
  'get,list,watch /namespaces',
  'get,list,watch /persistentvolumeclaims',
  'get,list,watch /persistentvolumes',
  'get,list,watch /secrets admin-kubeconfig',
  'get,list,watch storage.k8s.io/storageclasses',
  'get,list,watch tenancy.x-k8s.io/virtualclusters',
  'list /events',
];

/** Everything the ServiceAccount may do in a namespace and not everybody may. */
async function rulesIn(namespace: string): Promise<string[]> {
  const everybody = new Set(await rulesOf(asNobody, namespace));
  return (await rulesOf(asPod, namespace)).filter((rule) => !everybody.has(rule)).sort();
}

/** Each as `<verbs> <group>/<resource> <names>`. */
async function rulesOf(kubeconfig: string, namespace: string): Promise<string[]> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  };
  const { stdout, stderr } = await creates(kubeconfig, review);
  assert.notEqual(stdout, '', stderr);
  const { incomplete, resourceRules } = JSON.parse(stdout).status;
  assert.equal(incomplete, false);
  return resourceRules.flatMap(({ verbs, apiGroups, resources, resourceNames = [] }: Json) =>
    apiGroups.flatMap((group: string) =>
      resources.map((resource: string) =>
        `${verbs.sort().join(',')} ${group}/${resource} ${resourceNames.join(',')}`.trim(),
      ),
    ),
  );
}

/** Whether the client may look up schemas is not the question. */
async function creates(kubeconfig: string, object: object) {
  const { kubectl: program } = await binaries();
  const file = join(fleet.storage.directory, 'object.json');
  await writeFile(file, JSON.stringify(object));
  const args = ['create', '-f', file, '--validate=false', '-o', 'json'];
  return runProcess(program, args, { KUBECONFIG: kubeconfig });
}

/** As the pods' ServiceAccount. */
async function pod(...args: readonly string[]) {
  const { kubectl: program } = await binaries();
  return runProcess(program, args, { KUBECONFIG: asPod });
}
