/** Child processes and temporary directories that never outlive their test. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const running = new Set<ChildProcess>();
const directories = new Set<string>();

// On a crash or Ctrl-C no after() hook runs: nothing of ours must stay.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  // A child that is being killed may still write: removed again where the directory was not empty.
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});
// A signal ends Node without an 'exit' event, unless somebody listens. Who else listens ends in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}

export interface Daemon {
  /** The last lines of its log. */
  readonly log: () => string;
  readonly ended: () => boolean;
  /** Ends it (SIGTERM, SIGKILL after 5 s) and waits until it is gone. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts a program in the background, its output in a file. */
export function startDaemon(program: string, args: readonly string[], logFile: string): Daemon {
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  running.add(child);
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => void running.delete(child));
  return {
    log: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
    ended: () => !running.has(child),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/**
 * Waits until a daemon's probe succeeds; errors of the probe mean not yet.
 * @throws Error with the last lines of the daemon's log: at once where it ends, else when the time is up
 */
export async function untilReady(
  daemon: Daemon,
  description: string,
  probe: () => Promise<boolean>,
): Promise<void> {
  try {
    await eventually(description, async () => daemon.ended() || probe());
  } catch (error) {
    throw new Error(`${description}: not in time; the last lines of its log:\n${daemon.log()}`, {
      cause: error,
    });
  }
  if (daemon.ended())
    throw new Error(`${description}: it ended; the last lines of its log:\n${daemon.log()}`);
}

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A new directory, removed at the latest when this process ends. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'vc-pvc-control-plane-'));
  directories.add(path);
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
      directories.delete(path);
    },
  };
}

/** A port on which nothing listens at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
