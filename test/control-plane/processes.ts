/** Child processes that never outlive their test. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const running = new Set<ChildProcess>();

// On a crash or Ctrl-C no after() hook runs: children must not stay.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

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
    log: () => readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n'),
    ended: () => !running.has(child),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
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
