/** `watch` as a process that runs for long: its rows as they are now, what it serves, what it takes. */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { seriesOf } from '../support/exposition.ts';
import { eventually } from './eventually.ts';
import type { Fleet } from './fleet.ts';
import { freePort } from './processes.ts';
import type { WatchLine } from './watched-fleet.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Collects all garbage on SIGUSR2: what is in use can be told from what is not yet collected. */
const COLLECTOR = 'data:text/javascript,process.on("SIGUSR2",()=>gc())';
const SAMPLES = 3;
const COLLECTIONS = 'nodejs_gc_duration_seconds_count{kind="major"}';

/** What a process has in use, all garbage collected. */
export interface Sample {
  /** Bytes of objects. Without compiled code, which grows for minutes as V8 finds what is worth it. */
  readonly heap: number;
  /** Bytes. */
  readonly resident: number;
  readonly descriptors: number;
  /** Timers, sockets and the like that Node keeps. */
  readonly resources: number;
}

export class MeasuredWatch {
  /** By `<virtualcluster> <namespace>/<claim>`. */
  readonly rows = new Map<string, WatchLine['object']>();
  /** Lines that do not follow from those before: a row that came twice, or went without having come. */
  readonly contradictions: string[] = [];
  readonly errors: string[] = [];
  /** Of stdout, read so far. */
  bytes = 0;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #url: string;
  readonly #ended: Promise<number | null>;

  private constructor(fleet: Pick<Fleet, 'kubeconfig'>, args: readonly string[], port: number) {
    this.#url = `http://127.0.0.1:${port}/metrics`;
    const child = spawn(
      process.execPath,
      [
        '--expose-gc',
        // After a dozen collections V8 drops what was compiled for the start, 5 MB at once: that would hide what is kept.
        '--no-flush-bytecode',
        `--import=${COLLECTOR}`,
        MAIN,
        'watch',
        '-A',
        '--grace=0',
        '-o=json',
        '--output-watch-events',
        `--metrics-bind-address=127.0.0.1:${port}`,
        ...args,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', KUBECONFIG: fleet.kubeconfig },
      },
    );
    this.#child = child;
    createInterface(child.stderr).on('line', (line) => this.errors.push(line));
    this.#ended = new Promise((resolve) => child.on('close', resolve));
  }

  /** Starts it, and waits until the first rows are there. */
  static async start(fleet: Fleet, ...args: readonly string[]): Promise<MeasuredWatch> {
    const watch = await MeasuredWatch.startUnread(fleet, ...args);
    watch.read();
    return watch;
  }

  /** The same; of stdout nothing is read but what the stream's own buffer takes, until `read` is called. */
  static async startUnread(
    fleet: Pick<Fleet, 'kubeconfig'>,
    ...args: readonly string[]
  ): Promise<MeasuredWatch> {
    const watch = new MeasuredWatch(fleet, args, await freePort());
    await watch.until('the first look', () => watch.errors.some((line) => line.startsWith('watching')));
    return watch;
  }

  /** Reads stdout from now on. */
  read(): void {
    createInterface(this.#child.stdout).on('line', (line) => this.#take(line));
  }

  /** All series of /metrics. */
  async metrics(): Promise<Map<string, number>> {
    return seriesOf(await (await fetch(this.#url)).text());
  }

  /** Waits for something. @throws Error with what it told last */
  async until(what: string, holds: () => boolean | Promise<boolean>, timeout?: number): Promise<void> {
    try {
      await eventually(what, async () => holds(), timeout);
    } catch (error) {
      throw new Error(`${what}; last told: ${this.errors.slice(-5).join(' | ')}`, { cause: error });
    }
  }

  /** The least of several times: what is just under way is no more than that. */
  async sample(): Promise<Sample> {
    // What finalizers let go of is collected the next time.
    await this.#collect();
    const samples: Sample[] = [];
    for (let time = 0; time < SAMPLES; time += 1) {
      await this.#collect();
      samples.push(sampleOf(await this.metrics()));
    }
    const least = (of: (sample: Sample) => number): number => Math.min(...samples.map(of));
    return {
      heap: least(({ heap }) => heap),
      resident: least(({ resident }) => resident),
      descriptors: least(({ descriptors }) => descriptors),
      resources: least(({ resources }) => resources),
    };
  }

  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.#ended;
  }

  /** Ends it in any case, what it has printed unread. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    // It is not over before all that it printed has been taken.
    this.#child.stdout.resume();
    await this.#ended;
  }

  async #collect(): Promise<void> {
    const collections = async (): Promise<number> => (await this.metrics()).get(COLLECTIONS) ?? 0;
    const before = await collections();
    // Of several collections at once prom-client (15.1.3, lib/metrics/gc.js) counts the first, which may be a minor one.
    await this.until('a collection', async () => {
      this.#child.kill('SIGUSR2');
      return (await collections()) > before;
    });
  }

  #take(line: string): void {
    this.bytes += Buffer.byteLength(line) + 1;
    const { type, object } = JSON.parse(line) as WatchLine;
    const { virtualCluster, tenant } = object;
    const key = `${virtualCluster.name} ${tenant.namespace}/${tenant.name}`;
    if (this.rows.has(key) === (type === 'ADDED')) this.contradictions.push(`${type} ${key}`);
    if (type === 'DELETED') this.rows.delete(key);
    else this.rows.set(key, object);
  }
}

function sampleOf(series: ReadonlyMap<string, number>): Sample {
  const value = (name: string): number => series.get(name) ?? Number.NaN;
  const spaces = OBJECT_SPACES.map((space) => value(`nodejs_heap_space_size_used_bytes{space="${space}"}`));
  return {
    heap: spaces.reduce((sum, bytes) => sum + bytes, 0),
    resident: value('process_resident_memory_bytes'),
    descriptors: value('process_open_fds'),
    resources: value('nodejs_active_resources_total'),
  };
}

/** V8's spaces as the metrics name them; of compiled code are code, trusted and their large ones. */
const OBJECT_SPACES = ['new', 'old', 'large_object', 'new_large_object'];
