/**
 * A third part of `make bench`: how long the binary takes to start, beside Node with nothing to do and kubectl, in turn, in
 * one run.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { binaries } from '../control-plane/build.ts';
import { median } from './measure.ts';
import { withReleaseBinary } from './release-binary.ts';

const RUNS = Number(process.env['START_RUNS'] ?? 31);
const RECORDING = fileURLToPath(new URL('../data/captures/broken', import.meta.url));

await withReleaseBinary(async (binary) => {
  const commands: [string, string, string[]][] = [
    ['node -e 0', process.execPath, ['-e', '0']],
    ['kubectl version --client', (await binaries()).kubectl, ['version', '--client']],
    ['vc-pvc version --client', binary, ['version', '--client']],
    ['vc-pvc check --from (recording)', binary, ['check', '--from', RECORDING]],
  ];
  const times = commands.map(() => [] as number[]);
  // The first round fills the page cache and is not counted.
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [index, [, program, args]] of commands.entries()) {
      const start = performance.now();
      spawnSync(program, args, { stdio: 'ignore' });
      if (run > 0) times[index]?.push(performance.now() - start);
    }
  }
  print(commands.map(([name], index) => [name, times[index] ?? []]));
});

/** @param rows a name and its milliseconds; the first is what the others are compared with */
function print(rows: readonly [string, number[]][]): void {
  const [, base = []] = rows[0] ?? [];
  process.stdout.write(`\nstart, ${RUNS} runs each, in turn    min ms  median   / node\n`);
  for (const [name, times] of rows) {
    const numbers = [
      Math.min(...times)
        .toFixed(1)
        .padStart(8),
      median(times).toFixed(1).padStart(8),
      (Math.min(...times) / Math.min(...base)).toFixed(2).padStart(6),
      (median(times) / median(base)).toFixed(2).padStart(6),
    ];
    process.stdout.write(`${name.padEnd(34)}${numbers.join('')}\n`);
  }
}
