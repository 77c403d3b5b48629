/** What `watch --timeout` says of a fleet that it has not come to know by then. FAKE API servers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeCluster } from '../../support/fake-cluster.ts';
import { CLAIMS, claimObject } from '../../support/fake-watched-fleet.ts';
import { runInProcess } from '../../support/run-in-process.ts';

// What is written is waited for, for up to 20 s; what is only read is not.
const PROMPTLY = { timeout: 15_000 };

test(
  'a claim that could not be read by then is no claim that is Consistent: one line, and 2',
  PROMPTLY,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vc-pvc-time-up-'));
    const [superCluster, tenant] = [await FakeCluster.start(() => 0), await FakeCluster.start(() => 0)];
    const kubeconfig = async (name: string, { server: { url } }: FakeCluster): Promise<string> => {
      const clusters = [{ name: 'x', cluster: { server: url } }];
      const contexts = [{ name: 'x', context: { cluster: 'x', user: '' } }];
      const config = { kind: 'Config', clusters, contexts, 'current-context': 'x' };
      await writeFile(join(directory, name), JSON.stringify(config));
      return join(directory, name);
    };
    try {
      superCluster.put('virtualclusters', {
        metadata: { namespace: 'team', name: 'first', uid: 'uid-of-first' },
        status: { phase: 'Running', clusterNamespace: 'team-first' },
      });
      tenant.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
      // Each read of a claim is left without an answer.
      const asked = Promise.withResolvers<void>();
      tenant.onRead = () => {
        asked.resolve();
        return new Promise(() => {});
      };
      const watch = runInProcess([
        'watch',
        '-A',
        '--timeout=2s',
        `--kubeconfig=${await kubeconfig('super', superCluster)}`,
        `--tenant-kubeconfig=team/first=${await kubeconfig('first', tenant)}`,
      ]);
      await asked.promise;
      const { code, stdout, stderr } = await watch;
      assert.match(stderr, /^error: the time was up before every claim had been looked at: .*\n$/m);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    } finally {
      await Promise.all([superCluster.close(), tenant.close(), rm(directory, { recursive: true })]);
    }
  },
);
