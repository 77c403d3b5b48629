/** The command line within this process: for the many runs of a generated test. */
import { run } from '../../src/cli.ts';
import type { Surroundings } from '../../src/commands/check.ts';
import type { Finished } from './run-cli.ts';

/** Runs `kubectl vc-pvc`; its output is no terminal. */
export async function runInProcess(
  args: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): Surroundings['stdout'] =>
    // The commands write to it and ask whether it is a terminal, nothing else.
    ({
      isTTY: false,
      write: (text: string) => {
        output[name] += text;
        return true;
      },
    }) as Surroundings['stdout'];
  const code = await run(args, {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    environment: {},
    signal,
    now: Date.now,
  });
  return { code, ...output };
}
