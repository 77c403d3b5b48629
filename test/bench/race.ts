/**
 * A part of `make bench`: `check` of 100,000 pairs of four tenants beside a program that reads the same claims through
 * client-go and joins them, in turn, in one run. Prints a table; nothing fails by time.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startFleet, writeKubeconfig } from '../control-plane/fleet.ts';
import { goBuild } from '../control-plane/go-build.ts';
import { storePairs } from '../control-plane/stored-pairs.ts';
import { measure, median } from './measure.ts';
import type { Run } from './measure.ts';
import { withReleaseBinary } from './release-binary.ts';

const PAIRS = Number(process.env['RACE_PAIRS'] ?? 100_000);
const RUNS = Number(process.env['RACE_RUNS'] ?? 7);
const TENANTS = 4;
const BROKEN_EVERY = 1000;

const peer = join(
  await goBuild({
    name: 'bench-client-go',
    module: new URL('./client-go/', import.meta.url),
    ldflags: '-s -w',
    packages: ['.'],
  }),
  'bench-client-go',
);
const names = Array.from({ length: TENANTS }, (_, index) => `team/vc-${index}`);
const fleet = await startFleet({ tenants: names, controllerManagers: false });
try {
  await withReleaseBinary(race);
} finally {
  await fleet.stop();
}

async function race(binary: string): Promise<void> {
  const args = [fleet.kubeconfig];
  for (const tenant of fleet.tenants) {
    await storePairs(fleet, tenant, 'shop', PAIRS / TENANTS, BROKEN_EVERY);
    const file = await writeKubeconfig(fleet.storage, tenant.name, tenant.plane.adminKubeconfig);
    args.push(`${tenant.key}=${file}`);
  }
  const commands: readonly [name: string, program: string, args: readonly string[]][] = [
    ['`kubectl vc-pvc check`', binary, ['check', '--grace=0', '-o', 'name']],
    ['the same claims through client-go, joined', peer, args],
  ];
  const environment = { KUBECONFIG: fleet.kubeconfig, HOME: fleet.storage.directory };
  for (const [name, program, words] of commands) {
    const { stdout, stderr } = spawnSync(program, words, { env: environment, encoding: 'utf8' });
    const found = stdout.trim().split('\n').length;
    // A comparison of two programs that find different things would mean nothing.
    if (found !== PAIRS / BROKEN_EVERY) throw new Error(`${name} found ${found} claims: ${stderr}`);
  }
  const runs = commands.map(() => [] as Run[]);
  for (let run = 0; run < RUNS; run += 1) {
    for (const [index, [, program, words]] of commands.entries()) {
      runs[index]?.push(await measure(program, words, environment));
    }
  }
  print(
    commands.map(([name]) => name),
    runs,
  );
}

function print(commandNames: readonly string[], runs: readonly (readonly Run[])[]): void {
  const lines = [
    `\n${PAIRS} pairs of ${TENANTS} tenants, ${RUNS} runs in turn`,
    '| command | min s | median s | CPU s, median | peak MB |',
    '|---|---|---|---|---|',
  ];
  for (const [index, name] of commandNames.entries()) {
    const mine = runs[index] ?? [];
    const walls = mine.map(({ wall }) => wall);
    const memory = median(mine.map((run) => run.memory)) / 1024 / 1024;
    const cpu = median(mine.map((run) => run.cpu)).toFixed(2);
    lines.push(
      `| ${name} | ${Math.min(...walls).toFixed(2)} | ${median(walls).toFixed(2)} | ${cpu} | ${memory.toFixed(0)} |`,
    );
  }
  const [ours = [], theirs = []] = runs;
  const ratio = (of: (run: Run) => number): string =>
    median(ours.map((run, index) => of(run) / of(theirs[index] ?? run))).toFixed(2);
  lines.push(
    `| ratio, pair by pair, median | | ${ratio(({ wall }) => wall)} | ${ratio(({ cpu }) => cpu)} | ${ratio(({ memory }) => memory)} |`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
