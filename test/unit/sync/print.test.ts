/** What sync prints, from recordings: a dry run by the client needs no cluster. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import type { SyncItem, SyncReport } from '../../../src/reconcile/sync-report.ts';
import { buildSyncReport } from '../../../src/reconcile/sync-report.ts';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { printSyncReport, syncSummaryLines } from '../../../src/output/print-sync.ts';
import { runCli } from '../../support/run-cli.ts';

const data = (name: string): string => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));
const dryRun = (name: string, ...args: readonly string[]) =>
  runCli(['sync', '--dry-run=client', '--from', data(name), ...args]);

describe('sync --dry-run=client --from', () => {
  test('prints a row for each claim that would be written or is refused, and exits 1 for the refused one', async () => {
    const { code, stdout, stderr } = await dryRun('captures/broken');
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {3,}/));
    assert.deepEqual(rows[0], ['VIRTUALCLUSTER', 'NAMESPACE', 'CLAIM', 'WAS', 'IS', 'RESULT', 'WHY']);
    assert.deepEqual(
      rows.slice(1).map((row) => row.slice(2, 6).join(' ')),
      [
        'cart-0 Bound Lost Planned',
        'cart-1 Bound Pending Planned',
        'orders-1 Bound Pending Planned',
        'search-0 Bound Lost Planned',
        'db-2 Bound Bound Refused',
      ],
    );
    assert.equal(code, 1);
    assert.match(
      stderr,
      /9 claims of 2 VirtualClusters: 1 refused, 4 would be written; 1 other mismatch \(see check\): not for sync; dry run \(client\): nothing was written\.\n$/,
    );
  });

  test('prints the exact patches as YAML, and with --hold the objects that it would install', async () => {
    const { stdout } = await dryRun('cases/claim-recreated-pending', '-o', 'yaml', '--hold');
    const report = load(stdout) as SyncReport;
    const [item] = report.items;
    assert.equal(item?.patch?.contentType, 'application/strategic-merge-patch+json');
    assert.match(item.patch.path, /^\/api\/v1\/namespaces\/[^/]+\/persistentvolumeclaims\/[^/]+\/status$/);
    const { metadata } = item.patch.body as { metadata: { uid: string; resourceVersion: string } };
    assert.equal(metadata.uid, item.tenant.uid);
    assert.notEqual(metadata.resourceVersion, '');
    assert.equal(report.holds[0]?.objects.length, 2);
  });

  test('of a healthy recording has nothing to do, and says so', async () => {
    const { code, stdout, stderr } = await dryRun('captures/healthy');
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /: nothing to do; dry run \(client\): nothing was written\.\n$/);
  });

  test('of a held claim whose super claim is Bound releases it', async () => {
    const { stdout } = await dryRun('cases/hold-stale', '-o', 'json');
    const [item] = (JSON.parse(stdout) as SyncReport).items;
    assert.deepEqual([item?.action, item?.is, item?.outcome], ['Release', 'Bound', 'Planned']);
  });
});

const ITEM: SyncItem = {
  virtualCluster: { namespace: 'default', name: 'vc-sample-1' },
  tenant: { namespace: 'shop', name: 'database-of-the-orders-0', uid: 'uid-1' },
  super: { namespace: 'default-6177e3-vc-sample-1-shop', name: 'data', phase: 'Lost' },
  verdict: 'SuperNotBound',
  cause: { code: 'VolumeDeleted', message: 'gone' },
  action: 'SetPhase',
  was: 'Bound',
  is: 'Bound',
  outcome: 'Reverted',
  message: "reverted by the tenant's PV controller; --hold makes it stay",
  patch: null,
};
const REPORT = buildSyncReport(
  'none',
  [
    {
      items: [ITEM, { ...ITEM, message: 'a\u001b[31m\nred one' }],
      hold: { virtualCluster: ITEM.virtualCluster, state: 'Foreign', message: 'in the way', objects: [] },
      errors: [],
      claims: 3,
      otherMismatches: 2,
      settling: 1,
    },
  ],
  [],
  [{ virtualCluster: null, message: 'dead' }],
);

describe('the results of sync', () => {
  const print = (format: string, width: number | null): string[] =>
    printSyncReport(REPORT, {
      format: parseOutputFormat(format),
      headers: true,
      sortBy: null,
      color: false,
      width,
    })
      .trimEnd()
      .split('\n');

  test('fit 80 columns, the outcome whole', () => {
    for (const line of print('table', 80)) assert.ok(line.length <= 80, line);
    assert.match(print('table', 80)[1] ?? '', / Reverted +reverted b/);
  });

  test('never carry what a terminal would obey', () => {
    assert.match(print('table', null)[2] ?? '', / ared one$/);
    assert.equal(print('table', null).length, 3);
  });

  test('show action, cause and super claim when wide', () => {
    assert.match(print('wide', null)[0] ?? '', /RESULT +ACTION +CAUSE +SUPER CLAIM +WHY$/);
  });

  test('are summed up, with errors and policies first', () => {
    assert.deepEqual(syncSummaryLines(REPORT), [
      'error: dead',
      'default/vc-sample-1: in the way',
      "3 claims of 1 VirtualCluster: 2 reverted by the tenants' PV controllers (see --hold); 2 other mismatches (see check): not for sync; 1 settling (left to the syncer); 1 error.",
    ]);
  });
});
