/** Replicas as processes, what each has said, and whether two ever might write one tenant. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { TENANTS } from './replica-process.ts';
import type { ReplicaLine } from './replica-process.ts';

const PROGRAM = fileURLToPath(new URL('./replica-process.ts', import.meta.url));

export interface GroupOptions {
  /** A file. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
}

export class ReplicaGroup {
  readonly #options: GroupOptions;
  readonly #replicas: RunningReplica[] = [];

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  start(identity: string): RunningReplica {
    const { kubeconfig, namespace, leaseDuration } = this.#options;
    const args = [PROGRAM, kubeconfig, namespace, identity, String(leaseDuration)];
    const replica = new RunningReplica(
      identity,
      spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    this.#replicas.push(replica);
    return replica;
  }

  /** Waits until these replicas, and no others, write all tenants between them. @param limit milliseconds */
  async divided(replicas: readonly RunningReplica[], limit?: number): Promise<void> {
    const names = replicas.map(({ identity }) => identity).toSorted();
    await eventually(
      `${names.join(', ')} to write all tenants`,
      () => {
        const lines = replicas.map(({ last }) => last);
        const all = lines.flatMap((line) => line?.writable ?? []).toSorted((a, b) => a - b);
        const agreed = lines.every((line) => line?.live.join() === names.join());
        return Promise.resolve(agreed && all.join() === [...TENANTS.keys()].join());
      },
      limit,
    );
  }

  /** Fails where two processes might ever write one tenant at a time. */
  assertNeverTwo(): void {
    const lines = this.#replicas.flatMap((replica) => replica.history.map((line) => ({ replica, line })));
    const writable = new Map<RunningReplica, readonly number[]>();
    for (const { replica, line } of lines.toSorted((a, b) => a.line.time - b.line.time)) {
      writable.set(replica, line.writable);
      const all = [...writable.values()].flat();
      assert.equal(
        new Set(all).size,
        all.length,
        `two may write one tenant when ${replica.identity} says so`,
      );
    }
  }

  /** Kills what still runs. */
  async stop(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.kill()));
  }
}

export class RunningReplica {
  readonly identity: string;
  readonly history: ReplicaLine[] = [];
  /** Its lines of trouble. */
  readonly troubles: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(identity: string, child: ChildProcess) {
    this.identity = identity;
    this.#child = child;
    this.#ended = once(child, 'close');
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('a replica without output');
    createInterface({ input: stdout }).on('line', (line) =>
      this.history.push(JSON.parse(line) as ReplicaLine),
    );
    createInterface({ input: stderr }).on('line', (line) => this.troubles.push(line));
  }

  get last(): ReplicaLine | undefined {
    return this.history.at(-1);
  }

  /** SIGSTOP: it neither writes nor says anything from now on. */
  pause(): void {
    this.#child.kill('SIGSTOP');
    this.#writesNothing();
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await this.#ended;
    this.#writesNothing();
  }

  /** SIGTERM. @returns its exit code */
  async leave(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended();
  }

  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  #writesNothing(): void {
    const time = performance.timeOrigin + performance.now();
    this.history.push({ time, holdsLease: false, live: [], owned: [], writable: [] });
  }
}
