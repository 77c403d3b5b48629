/** The command line as a process that goes on: what it prints is looked at while it runs. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Finished } from './run-cli.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** A loaded machine is slow; what never comes is told with all that came. Milliseconds. */
const PATIENCE = 60_000;

const running = new Set<ChildProcess>();
// On a crash no after() hook runs: nothing of ours must stay.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class RunningCli {
  readonly #child: ChildProcess;
  readonly #output = { stdout: '', stderr: '' };
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #ended: Promise<number | null>;
  #code: number | null | undefined;

  constructor(args: readonly string[], environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
    running.add(this.#child);
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
        this.#changes.emit('change');
      });
    }
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        running.delete(this.#child);
        this.#code = code;
        this.#changes.emit('change');
        resolve(code);
      });
    });
  }

  /** Whole lines so far. */
  lines(stream: 'stdout' | 'stderr' = 'stdout'): string[] {
    return this.#output[stream].split('\n').slice(0, -1);
  }

  /** How many lines there are on stdout: where a test goes on to look. */
  get count(): number {
    return this.lines().length;
  }

  /**
   * Waits for a line. @param from the number of lines that are not looked at
   * @throws Error with all that was printed, where it ends or the time is up before
   */
  async line(
    wanted: string | ((line: string) => boolean),
    { stream = 'stdout', from = 0 }: { readonly stream?: 'stdout' | 'stderr'; readonly from?: number } = {},
  ): Promise<string> {
    const fits = typeof wanted === 'string' ? (line: string) => line.includes(wanted) : wanted;
    const patience = AbortSignal.timeout(PATIENCE);
    for (;;) {
      const found = this.lines(stream).slice(from).find(fits);
      if (found !== undefined) return found;
      if (this.#code !== undefined || patience.aborted) throw this.#inVain(String(wanted));
      await once(this.#changes, 'change', { signal: patience }).catch(() => {});
    }
  }

  /** Waits for the object of a line that fits, -o json. @throws as `line` */
  async object<T>(fits: (object: T) => boolean, from = 0): Promise<T> {
    return JSON.parse(await this.line((line) => fits(JSON.parse(line) as T), { from })) as T;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Closes the pipe that it prints into, as `| head` does. */
  closeStdout(): void {
    this.#child.stdout?.destroy();
  }

  /** Waits for its end. @throws Error where it does not come */
  async end(): Promise<Finished> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE);
    const code = await this.#ended;
    clearTimeout(timer);
    return { code, ...this.#output };
  }

  /** SIGTERM, and its end. */
  stop(): Promise<Finished> {
    this.signal('SIGTERM');
    return this.end();
  }

  #inVain(wanted: string): Error {
    const { stdout, stderr } = this.#output;
    return new Error(`no line ${wanted}; exit code ${this.#code}\nstdout:\n${stdout}\nstderr:\n${stderr}`);
  }
}
