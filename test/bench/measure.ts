/** One run of a program, as the operating system accounts for it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface Run {
  /** Seconds. */
  readonly wall: number;
  /** Bytes: the largest resident set, sampled every few milliseconds from the kernel's own high-water mark. */
  readonly memory: number;
  /** Seconds of all threads, user and system, sampled like the memory. */
  readonly cpu: number;
  readonly code: number | null;
}

/** Runs a program to its end, its output thrown away. */
export function measure(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
    let memory = 0;
    let cpu = 0;
    const sample = async (): Promise<void> => {
      // VmHWM only grows, so the last sample before the end is the peak but for the last few milliseconds.
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      memory = Math.max(memory, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
      // proc(5): utime and stime are the 14th and 15th field, in hundredths of a second; the 2nd may contain blanks.
      const [, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
      cpu = Math.max(cpu, (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100);
    };
    const timer = setInterval(() => void sample(), 5);
    child.stdout.resume();
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      resolve({ wall: (performance.now() - start) / 1000, memory, cpu, code });
    });
  });
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
