/** Runs the command line as a user does: a process of its own, its output and exit code. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Runs `kubectl vc-pvc` from the sources with exactly this environment (and PATH). */
export function runCli(args: readonly string[], environment: Record<string, string> = {}): Promise<Finished> {
  return runProcess(process.execPath, [MAIN, ...args], environment);
}

/** Runs any program; its standard input is empty. @param folder to run it in; where this process is if none is given */
export function runProcess(
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  folder?: string,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}
