/**
 * V8's code for what a start runs: `node --hash-seed=1 --single-threaded-gc code-cache.ts BUNDLE CACHE` runs usual
 * process, one after the other, and then writes down every function that V8 had to compile. Node checks it when it is
 * used; a Node of another version or kind of machine cannot use it.
 */
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { ROOT } from './project.ts';

const RECORDING = join(ROOT, 'test/data/captures/broken');
const COMMAND_LINES = [
  ['--help'],
  ['check', '--from', RECORDING],
  ['check', '--from', RECORDING, '-o', 'json'],
];

/** What V8 does on a second thread or by the clock: it would make every cache a little different. */
const UNSTEADY = ['opt', 'maglev', 'sparkplug', 'flush-bytecode'];

const [, node = '', bundle = '', cache = ''] = process.argv;
for (const flag of UNSTEADY) setFlagsFromString(`--no-${flag}`);
const script = new Script(readFileSync(bundle, 'latin1'), { filename: 'kubectl-vc_pvc.js' });
const main = script.runInThisContext() as (require: NodeJS.Require) => void;
const left = [...COMMAND_LINES];

for (const stream of ['stdout', 'stderr'] as const) {
  Object.defineProperty(process, stream, { value: createWriteStream(devNull) });
}
// Each ends when nothing is left to wait for, as the program itself does.
process.on('beforeExit', runNext);
runNext();

function runNext(): void {
  const args = left.shift();
  if (args === undefined) {
    // V8 takes a cache only from a process with flags like its own.
    for (const flag of UNSTEADY) setFlagsFromString(`--${flag}`);
    setFlagsFromString('--hash-seed=0');
    writeFileSync(cache, script.createCachedData());
    process.exit(0);
  }
  process.argv = [node, node, ...args];
  main(createRequire(import.meta.url));
}
