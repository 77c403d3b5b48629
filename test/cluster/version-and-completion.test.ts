/** `version`, `snapshot` as their help shows them, and completion through the real kubectl, on real API servers. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../control-plane/eventually.ts';
import { binaries } from '../control-plane/build.ts';
import { kubeconfig } from '../control-plane/control-plane.ts';
import {
  createVirtualCluster,
  startFleet,
  storeKubeconfig,
  writeKubeconfig,
} from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import { claimSpec, createNamespace, paths } from '../control-plane/syncer.ts';
import { runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';

const PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));
const VERSION = 'v1.37.2';

let fleet: Fleet;
let environment: Record<string, string>;

function kubectl(...args: string[]): Promise<Finished> {
  return runProcess('kubectl', args, environment);
}

async function createClaim(name: string): Promise<void> {
  const [tenant] = fleet.tenants;
  if (tenant === undefined) throw new Error('no tenant was started');
  const { tenantList } = paths(tenant, 'shop', name);
  await tenant.plane.api.create(tenantList, { metadata: { name }, spec: claimSpec() });
}

interface Versions {
  readonly clientVersion: { readonly gitVersion: string };
  readonly serverVersion: { readonly gitVersion: string };
  readonly virtualClusters: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly phase: string;
    readonly serverVersion: { readonly gitVersion: string } | null;
  }[];
}

describe('version and completion on real API servers', () => {
  before(async () => {
    fleet = await startFleet({
      tenants: ['default/vc-sample-1', 'team-b/staging'],
      controllerManagers: false,
      tenantPlanes: 1,
    });
    const [tenant] = fleet.tenants;
    if (tenant === undefined) throw new Error('no tenant was started');
    await createNamespace(fleet, tenant, 'shop');
    await createClaim('cart-0');
    await createClaim('cart-1');
    const { kubectl: binary } = await binaries();
    environment = {
      PATH: [PLUGIN, dirname(binary), process.env['PATH'] ?? ''].join(delimiter),
      HOME: fleet.storage.directory,
      KUBECONFIG: fleet.kubeconfig,
    };
  });
  after(() => fleet?.stop());

  test('kubectl vc-pvc version tells all versions, of each tenant too', async () => {
    const { code, stdout, stderr } = await kubectl('vc-pvc', 'version');
    assert.deepEqual([code, stderr], [0, '']);
    const tail = [
      `Server Version: ${VERSION}`,
      'VirtualClusters: 2 (2 Running)',
      `Server Version of default/vc-sample-1: ${VERSION}`,
      `Server Version of team-b/staging: ${VERSION}`,
    ];
    assert.deepEqual(stdout.trimEnd().split('\n').slice(3), tail);
    assert.equal(stdout.split('\n')[3], (await kubectl('version')).stdout.split('\n')[2]);
  });

  /** What kubectl's own completion prints for a line; its messages go to stderr. */
  async function completed(...words: string[]): Promise<string[]> {
    const { code, stdout } = await kubectl('__complete', 'vc-pvc', ...words);
    assert.equal(code, 0);
    return stdout.trimEnd().split('\n');
  }

  test('kubectl completes commands and flags of the plugin, with descriptions', async () => {
    assert.deepEqual(await completed('che'), [
      'check\tFind claims whose tenant and super cluster state disagree',
      ':4',
    ]);
    assert.deepEqual(await completed('sync', '--hol'), [
      "--hold\tKeep the tenant's PV controller from undoing it: installs ValidatingAdmissionPolicy vc-pvc-hold in the tenant",
      ':4',
    ]);
    assert.deepEqual(await completed('check', '--context', ''), ['super', ':4']);
  });

  /** Whoever is offered nothing, since the machine was busy for the few seconds that completion may take, presses TAB again. */
  async function completes(words: readonly string[], ...expected: string[]): Promise<void> {
    await eventually(`${words.join(' ')} to be completed`, async () => {
      assert.deepEqual(await completed(...words), expected);
      return true;
    });
  }

  test('kubectl completes VirtualClusters, tenant namespaces and claims as they are now', async () => {
    await completes(['check', ''], 'default/vc-sample-1\tRunning', 'team-b/staging\tRunning', ':4');
    await completes(['check', '-n', 't'], 'team-b', ':4');
    await completes(['sync', '--tenant-namespace', 'sh'], 'shop', ':4');
    await completes(
      ['explain', 'default/vc-sample-1/shop/'],
      'default/vc-sample-1/shop/cart-0\tPending',
      'default/vc-sample-1/shop/cart-1\tPending',
      ':4',
    );
    await createClaim('cart-2');
    await completes(
      ['explain', 'default/vc-sample-1/shop/cart-2'],
      'default/vc-sample-1/shop/cart-2\tPending',
      ':4',
    );
  });

  test('without rights to see anything nothing is offered, and nothing is said', async () => {
    const file = await writeKubeconfig(fleet.storage, 'nobody', await fleet.super.kubeconfigFor('nobody'));
    const { stdout, stderr } = await runProcess(
      'kubectl_complete-vc_pvc',
      ['check', '--kubeconfig', file, ''],
      environment,
    );
    assert.deepEqual([stdout, stderr], [':4\n', '']);
  });

  test('every example of version --help and snapshot --help does what it says', async () => {
    const texts = [
      await kubectl('vc-pvc', 'version', '--help'),
      await kubectl('vc-pvc', 'snapshot', '--help'),
    ];
    const examples = texts.flatMap(({ stdout }) =>
      [...stdout.matchAll(/^ {2}# .*\n {2}(.+)$/gm)].map(([, line = '']) => line),
    );
    assert.equal(examples.length, 6);
    for (const line of examples) {
      // A recording is written where none is yet; check of one exits 1 where it finds something.
      const script = `cd "$HOME"; ${line.includes(' snapshot ') ? 'rm -rf recording;' : ''} ${line}`;
      const { code, stderr } = await runProcess('sh', ['-c', script], environment);
      assert.ok(code === 0 || (code === 1 && line.includes(' check ')), `${line}: ${code} ${stderr}`);
      assert.doesNotMatch(stderr, /error:/);
    }
    assert.match(
      await readFile(join(fleet.storage.directory, 'recording', 'super.yaml'), 'utf8'),
      /VirtualCluster/,
    );
  });

  test('a dead tenant is named, exit 2, and everything else is printed', async () => {
    const { status } = await createVirtualCluster(fleet.super, 'team-b', 'dead');
    const client = await fleet.super.authority.client('nobody', []);
    await storeKubeconfig(
      fleet.super,
      status.clusterNamespace,
      kubeconfig('dead', 'https://127.0.0.1:1', fleet.super.authority.certificate, client),
    );
    const { code, stdout, stderr } = await kubectl('vc-pvc', 'version', '-o', 'json');
    assert.equal(code, 2);
    assert.match(stderr, /^error: team-b\/dead: cannot reach the tenant's API server: .*127\.0\.0\.1:1.*\n$/);
    const versions = JSON.parse(stdout) as Versions;
    assert.equal(versions.serverVersion.gitVersion, VERSION);
    assert.deepEqual(
      versions.virtualClusters.map(({ name, phase, serverVersion }) => [
        name,
        phase,
        serverVersion?.gitVersion ?? null,
      ]),
      [
        ['vc-sample-1', 'Running', VERSION],
        ['dead', 'Running', null],
        ['staging', 'Running', VERSION],
      ],
    );
  });
});
