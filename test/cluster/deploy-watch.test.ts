/** The program as the pods of plugin/deploy run it: their arguments, their ServiceAccount, their probes, their end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { BASE, EXAMPLE, NAMESPACE, argsOf, kubeconfigOf, kubectl } from '../control-plane/deployed.ts';
import { eventually } from '../control-plane/eventually.ts';
import { freePort } from '../control-plane/processes.ts';
import { SyncScene } from '../control-plane/sync-scene.ts';
import { metricNames, seriesOf } from '../support/exposition.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const TENANT = 'virtualcluster="vc-sample-1",virtualcluster_namespace="default"';

interface Pod {
  readonly process: ChildProcess;
  readonly url: string;
  readonly output: () => { stdout: string; stderr: string };
}

let scene: SyncScene;
let asPod = '';

describe('the program as plugin/deploy runs it', () => {
  before(async () => {
    scene = await SyncScene.start();
    await scene.breakClaim('data');
    await kubectl(scene.fleet, 'apply', '-k', BASE);
    asPod = await kubeconfigOf(scene.fleet, 'vc-pvc');
  });
  after(() => scene?.stop());

  test('with the base it becomes ready, tells of the mismatch, keeps a Lease and writes nothing', async (context) => {
    const before = await scene.claim('data');
    const pod = await startPod(BASE, context);
    const series = await scraped(pod, `vc_pvc_claims{verdict="SuperNotBound",${TENANT}}`);
    assert.equal(series.get(`vc_pvc_broken_claims{cause="ClaimRefStale",${TENANT}}`), 1);
    assert.equal(series.get(`vc_pvc_tenant_up{${TENANT}}`), 1);
    assert.equal(series.get('vc_pvc_super_cluster_up'), 1);
    assert.equal(series.get('vc_pvc_owned_tenants'), 1);
    assert.equal((await scene.fleet.super.api.get(LEASES)).items.length, 1);
    await end(pod);
    const [line = ''] = pod.output().stdout.split('\n');
    assert.match(line, /"ADDED"/);
    assert.match(line, /"data"/);
    assert.deepEqual((await scene.fleet.super.api.get(LEASES)).items, []);
    assert.deepEqual(await scene.claim('data'), before);
  });

  test('with the component sync it holds the claim, counts the write, and ends within the grace period', async (context) => {
    const pod = await startPod(EXAMPLE, context);
    const series = await scraped(pod, `vc_pvc_claims{verdict="Held",${TENANT}}`);
    assert.equal(series.get('vc_pvc_writes_total{action="SetPhase",result="Held"}'), 1);
    assert.equal(series.get('vc_pvc_change_to_status_seconds_count'), 1);
    assert.equal((await scene.claim('data')).status.phase, 'Pending');
    // Held, it still counts among the broken ones: the disk is no safer.
    assert.equal(series.get(`vc_pvc_broken_claims{cause="ClaimRefStale",${TENANT}}`), 1);
    await end(pod);
  });
});

/** Starts what a pod of the folder's Deployment would run, and waits until its probes say that it is ready. */
async function startPod(folder: string, context: TestContext): Promise<Pod> {
  const port = await freePort();
  const args = (await argsOf(scene.fleet, folder)).map((arg) =>
    arg.replace('$(POD_NAMESPACE)', NAMESPACE).replace('=:8080', `=127.0.0.1:${port}`),
  );
  const child = spawn(process.execPath, [MAIN, ...args, '--grace=0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { KUBECONFIG: asPod },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const pod = { process: child, url: `http://127.0.0.1:${port}`, output: () => output };
  context.after(() => child.kill('SIGKILL'));
  await eventually('/readyz to be 200', async () => {
    if (child.exitCode !== null) assert.fail(`it ended: ${output.stderr}`);
    return (await fetch(`${pod.url}/readyz`)).status === 200;
  });
  assert.equal((await fetch(`${pod.url}/healthz`)).status, 200);
  return pod;
}

/** The series once one of them is 1; every metric that is published has to be there. */
async function scraped({ url }: Pod, name: string): Promise<Map<string, number>> {
  return eventually(`${name} to be 1`, async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    assert.ok(metricNames(text).includes('vc_pvc_build_info'));
    const series = seriesOf(text);
    return series.get(name) === 1 ? series : null;
  });
}

/** As the kubelet ends a pod. */
async function end({ process: child, output }: Pod): Promise<void> {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, output().stderr);
}
