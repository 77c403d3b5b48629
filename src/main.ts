/** argv in, exit code out: the only place that ends the process. */
import process from 'node:process';
import { run } from './cli.ts';
import { INTERRUPTED, Interrupted } from './errors.ts';

const controller = new AbortController();
let interrupts = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupts += 1;
    if (interrupts > 1) process.exit(INTERRUPTED);
    controller.abort(new Interrupted(signal));
  });
}
// Of a terminal that is closed both the kernel and the shell tell: twice is no wish for haste.
process.on('SIGHUP', () => controller.abort(new Interrupted('SIGHUP')));

/** The exit code of a command whose output cannot be written; null while it can be. */
let unwritten: number | null = null;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (unwritten !== null) return;
  // `| head` closes the pipe when it has seen enough: that is no error of ours.
  unwritten = code === 'EPIPE' ? 0 : 2;
  if (unwritten !== 0) process.stderr.write(`error: cannot write the output: ${code}\n`);
  process.exitCode = unwritten;
  // What is being written to a cluster is finished, and a Lease given back.
  controller.abort(new Interrupted('SIGPIPE'));
});

// Whoever closed it wants no messages; what is done and its exit code stand all the same.
process.stderr.on('error', () => {});

// No `await` here: the release bundles this into a script, not a module.
void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  signal: controller.signal,
  now: Date.now,
}).then((exitCode) => {
  process.exitCode = unwritten ?? exitCode;
  // Whoever pressed TAB waits for the end: a credential plugin that does not answer must not hold it up.
  if (process.argv[2] === '__complete') process.stdout.write('', () => process.exit());
});
