/**
 * The third part of `make bench`: `watch --sync --hold` of 20 tenants, from a super claim's change to the tenant's
 * status, seen by a watch of our own; then `watch` of 100 VirtualClusters with 20,000 pairs: start, memory, rest.
 * Prints tables; nothing fails by time.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createManyPairs, createSharedPairs } from '../control-plane/bulk.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { createNamespace, paths } from '../control-plane/syncer.ts';
import { withReleaseBinary } from './release-binary.ts';
import { StatusTimes } from './status-times.ts';

const TENANTS = Number(process.env['WATCH_TENANTS'] ?? 20);
const CHANGES = Number(process.env['CHANGES'] ?? 200);
const LARGE = Number(process.env['VIRTUALCLUSTERS'] ?? 100);
const PAIRS = Number(process.env['WATCH_PAIRS'] ?? 200);
/** Claims of each tenant whose changes are timed. */
const CLAIMS = 10;
/** What is idle is measured over so long. Milliseconds. */
const REST = 60_000;
const PARTS = (process.env['WATCH_PARTS'] ?? 'latency,scale').split(',');

await withReleaseBinary(async (binary) => {
  if (PARTS.includes('latency')) await latency(binary);
  if (PARTS.includes('scale')) await scale(binary);
});

async function latency(binary: string): Promise<void> {
  const names = Array.from({ length: TENANTS }, (_, index) => `team/vc-${index}`);
  const fleet = await startFleet({ tenants: names, controllerManagers: false, tenantPlanes: 4 });
  try {
    for (const tenant of fleet.tenants) await createNamespace(fleet, tenant, namespaceOf(tenant));
    for (const tenant of fleet.tenants) {
      await createManyPairs(fleet, tenant, namespaceOf(tenant), CLAIMS, Infinity, () => {}, tenant.name);
    }
    const watch = startWatch(binary, fleet, ['--sync', '--hold', '--grace=0', '-o', 'json']);
    await watch.ready;
    const times = await StatusTimes.start(fleet);
    try {
      // The first write to a tenant waits until its policy is in effect.
      for (const tenant of fleet.tenants) await change(fleet, tenant, `${tenant.name}-0`, times);
      const rows: { readonly set: number; readonly released: number }[] = [];
      for (let index = 0; index < CHANGES; index += 1) {
        const tenant = fleet.tenants[index % fleet.tenants.length];
        if (tenant !== undefined)
          rows.push(await change(fleet, tenant, `${tenant.name}-${index % CLAIMS}`, times));
      }
      const burst = await burstOf(fleet, times);
      process.stdout.write(
        [
          `${TENANTS} tenants, ${CHANGES} changes one after the other; milliseconds from before the super claim's status is sent to the API server until a watch of the tenant tells the new status`,
          '| change | p50 | p99 | max |',
          '|---|---|---|---|',
          row(
            'super claim Lost: tenant claim Lost',
            rows.map(({ set }) => set),
          ),
          row(
            'super claim Bound again: tenant claim Bound',
            rows.map(({ released }) => released),
          ),
          row(`${burst.length} super claims Lost at once`, burst),
          '',
        ].join('\n'),
      );
    } finally {
      await times.stop();
      await watch.stop();
    }
  } finally {
    await fleet.stop();
  }
}

/** One claim is broken, and mended again. */
async function change(
  fleet: Fleet,
  tenant: Tenant,
  name: string,
  times: StatusTimes,
): Promise<{ readonly set: number; readonly released: number }> {
  const at = paths(tenant, namespaceOf(tenant), name);
  const step = async (phase: string): Promise<number> => {
    const began = performance.now();
    const seen = times.next(tenant, namespaceOf(tenant), name, phase);
    await fleet.super.api.patch(`${at.super}/status`, { status: { phase } });
    return (await seen) - began;
  };
  const set = await step('Lost');
  const released = await step('Bound');
  return { set, released };
}

async function burstOf(fleet: Fleet, times: StatusTimes): Promise<number[]> {
  const all = fleet.tenants.flatMap((tenant) =>
    Array.from({ length: CLAIMS }, (_, index) => ({ tenant, index })),
  );
  return Promise.all(
    all.map(async ({ tenant, index }) => {
      const at = paths(tenant, namespaceOf(tenant), `${tenant.name}-${index}`);
      const began = performance.now();
      const seen = times.next(tenant, namespaceOf(tenant), `${tenant.name}-${index}`, 'Lost');
      await fleet.super.api.patch(`${at.super}/status`, { status: { phase: 'Lost' } });
      return (await seen) - began;
    }),
  );
}

/**
 * VirtualClusters that share an API server see each other's claims, as claims without a super claim: more work for the
 * watch than in earnest. A namespace of the same name would be written to by several.
 */
function namespaceOf({ name }: Tenant): string {
  return `shop-${name}`;
}

async function scale(binary: string): Promise<void> {
  const names = Array.from({ length: LARGE }, (_, index) => `team/vc-${index}`);
  const fleet = await startFleet({ tenants: names, controllerManagers: false, tenantPlanes: 2 });
  try {
    await createSharedPairs(fleet, PAIRS, (done) => {
      if (done % 20 === 0) process.stderr.write(`${done} of ${LARGE} VirtualClusters\n`);
    });
    const port = await freePort();
    const began = performance.now();
    const watch = startWatch(binary, fleet, ['--grace=0', `--metrics-bind-address=127.0.0.1:${port}`]);
    const line = await watch.ready;
    const start = (performance.now() - began) / 1000;
    const atStart = await memoryOf(watch.child);
    await delay(REST / 4);
    const before = await usage(watch.child, port);
    await delay(REST);
    const after = await usage(watch.child, port);
    const { resident } = await memoryOf(watch.child);
    await watch.stop();
    const empty = await residentOfOne(binary, fleet);
    const cpu = ((after.cpu - before.cpu) / (REST / 1000)) * 100;
    process.stdout.write(
      [
        `${line}: 2 tenant API servers, ${LARGE} VirtualClusters; ${REST / 1000} s of rest`,
        '| figure | value |',
        '|---|---|',
        `| start until every claim was looked at | ${start.toFixed(2)} s |`,
        `| resident memory then, and at most until then | ${megabytes(atStart.resident)} MB, ${megabytes(atStart.peak)} MB |`,
        `| resident memory at rest | ${megabytes(resident)} MB |`,
        `| the same with one VirtualCluster and ${PAIRS} pairs in view of it | ${megabytes(empty)} MB |`,
        `| bytes a pair (difference, all super claims are known to both) | ${Math.round((resident - empty) / (LARGE * PAIRS - PAIRS))} |`,
        `| CPU at rest | ${cpu.toFixed(2)} % of one core |`,
        `| requests a minute at rest | ${(after.requests - before.requests).toFixed(0)} |`,
        '',
      ].join('\n'),
    );
  } finally {
    await fleet.stop();
  }
}

/** What a watch that keeps all super claims, and one tenant's, takes. Bytes. */
async function residentOfOne(binary: string, fleet: Fleet): Promise<number> {
  const watch = startWatch(binary, fleet, ['--grace=0', 'team/vc-0']);
  await watch.ready;
  await delay(REST / 4);
  const { resident } = await memoryOf(watch.child);
  await watch.stop();
  return resident;
}

interface Watch {
  readonly child: ChildProcess;
  /** The line that tells that every claim was looked at. */
  readonly ready: Promise<string>;
  readonly stop: () => Promise<void>;
}

function startWatch(binary: string, fleet: Fleet, args: readonly string[]): Watch {
  const child = spawn(binary, ['watch', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', KUBECONFIG: fleet.kubeconfig, HOME: fleet.storage.directory },
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const ready = new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const line = /^watching .*$/m.exec(text)?.[0];
      if (line !== undefined) resolve(line);
    });
    child.on('close', () => reject(new Error(`watch ended: ${text}`)));
  });
  return {
    child,
    ready,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Bytes: resident now, and at most so far. */
async function memoryOf({
  pid,
}: ChildProcess): Promise<{ readonly resident: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Seconds of CPU so far, and requests. */
async function usage(
  { pid }: ChildProcess,
  port: number,
): Promise<{ readonly cpu: number; readonly requests: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const requests = metrics.matchAll(/^vc_pvc_api_requests_total\{.*\} (\d+)$/gm);
  return {
    // Clock ticks are hundredths of a second on Linux.
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    requests: requests.reduce((sum, [, count]) => sum + Number(count), 0),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function row(name: string, values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN).toFixed(1);
  return `| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`;
}
