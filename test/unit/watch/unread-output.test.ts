/** `watch` as a process whose stdout is a pipe that nobody reads for a while. The clusters are FAKE. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { superNamespaceName } from '../../../src/reconcile/mapping.ts';
import { MeasuredWatch } from '../../control-plane/measured-watch.ts';
import { FakeCluster } from '../../support/fake-cluster.ts';
import { CLAIMS, claimObject, keyOf, marksOf } from '../../support/fake-watched-fleet.ts';
import { growthOf } from '../../support/growth.ts';
import type { Point } from '../../support/growth.ts';

const COUNT = 20;
const NAMES = Array.from({ length: COUNT }, (_, index) => `data-${index}`);
/** In each round every claim changes so often. */
const TURNS = 50;
const ROUNDS = 5;
/** What two sockets and two streams hold before the writer has to wait, and the line of each claim. Bytes. */
const MOST_READ = 1024 * 1024;
/** A line is more than 600. Bytes of heap a change. */
const FLAT = 400;

let scratch: string;
let superCluster: FakeCluster;
let tenant: FakeCluster;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-'));
  [superCluster, tenant] = await Promise.all([FakeCluster.start(() => 0), FakeCluster.start(() => 0)]);
  superCluster.put('virtualclusters', {
    metadata: { namespace: 'team', name: 'first', uid: 'uid-of-first' },
    status: { phase: 'Running', clusterNamespace: keyOf('first') },
  });
  for (const name of NAMES) {
    tenant.put(CLAIMS, claimObject('shop', name, `uid-of-${name}`, 'Bound'));
    setPhase(name, 'Lost');
  }
});
after(async () => {
  await Promise.all([superCluster?.close(), tenant?.close()]);
  await rm(scratch, { recursive: true, force: true });
});

function setPhase(name: string, phase: string): void {
  const marks = marksOf('first', 'shop', `uid-of-${name}`);
  superCluster.put(
    CLAIMS,
    claimObject(superNamespaceName(keyOf('first'), 'shop'), name, `super-${name}`, phase, marks),
  );
}

async function kubeconfig(name: string, { server }: FakeCluster): Promise<string> {
  const file = join(scratch, name);
  const text = {
    kind: 'Config',
    clusters: [{ name, cluster: { server: server.url } }],
    contexts: [{ name, context: { cluster: name, user: '' } }],
    'current-context': name,
  };
  await writeFile(file, JSON.stringify(text));
  return file;
}

async function started(): Promise<MeasuredWatch> {
  const [of, ofTenant] = await Promise.all([kubeconfig('super', superCluster), kubeconfig('first', tenant)]);
  return MeasuredWatch.startUnread({ kubeconfig: of }, `--tenant-kubeconfig=team/first=${ofTenant}`);
}

/** What is broken is so one way and another, again and again; in the end so many are. */
async function round(watch: MeasuredWatch, broken: number): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const name of NAMES) setPhase(name, turn % 2 === 0 ? 'Pending' : 'Lost');
  }
  await untilSeen(watch, COUNT);
  for (const [index, name] of NAMES.entries()) setPhase(name, index < broken ? 'Lost' : 'Bound');
  await untilSeen(watch, broken);
}

/** What the watch knows is seen from its metrics: its rows are not read. */
function untilSeen(watch: MeasuredWatch, broken: number): Promise<void> {
  return watch.until(`${broken} mismatches to be counted`, async () => {
    const counted = [...(await watch.metrics())].filter(
      ([series]) => series.startsWith('vc_pvc_claims{') && series.includes('verdict="SuperNotBound"'),
    );
    return counted.length === 1 && counted[0]?.[1] === broken;
  });
}

function untilShown(watch: MeasuredWatch, broken: number): Promise<void> {
  const wanted = NAMES.slice(0, broken)
    .map((name) => `first shop/${name} SuperNotBound Lost`)
    .sort();
  return watch.until('the rows to be those that there are', () => {
    const rows = [...watch.rows].map(([key, row]) => `${key} ${row.verdict} ${row.super?.phase}`);
    return isDeepStrictEqual(rows.sort(), wanted);
  });
}

test('while nobody reads, memory stays flat; who reads then sees what is true, in no more lines than there is room', async (t) => {
  const watch = await started();
  t.after(() => watch.kill());
  const points: Point[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    await round(watch, 5 + number);
    points.push({ count: number * TURNS * COUNT, value: (await watch.sample()).heap });
  }
  // In the first round the pipe is not full yet.
  const growth = growthOf(points.slice(1));
  t.diagnostic(`${growth.toFixed(1)} bytes a change: ${points.map(({ value }) => value).join(' ')}`);
  assert.ok(growth < FLAT, `${growth.toFixed(0)} bytes a change`);
  watch.read();
  await untilShown(watch, 5 + ROUNDS - 1);
  t.diagnostic(`${watch.bytes} bytes read`);
  assert.ok(watch.bytes < MOST_READ, `${watch.bytes} bytes`);
  for (const name of NAMES) setPhase(name, 'Lost');
  await untilShown(watch, COUNT);
  assert.deepEqual(watch.contradictions, []);
});

test('a watch that is ended while nobody reads has said what is true when somebody does', async (t) => {
  const watch = await started();
  t.after(() => watch.kill());
  for (const broken of [7, 9]) await round(watch, broken);
  const ended = watch.stop();
  watch.read();
  await untilShown(watch, 9);
  assert.equal(await ended, 0);
  assert.deepEqual(watch.contradictions, []);
});
