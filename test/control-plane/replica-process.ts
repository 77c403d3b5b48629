/**
 * One replica as a process of its own: joins, and prints, a JSON line each time that changes, what it owns and may write.
 * Run by replica-group.ts. On SIGTERM it leaves.
 */
import process from 'node:process';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { Replicas } from '../../src/replicas/replicas.ts';

/** What a replica prints. */
export interface ReplicaLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whether its lease is surely valid. */
  readonly holdsLease: boolean;
  /** As `Ownership.state` has it. */
  readonly live: readonly string[];
  /** Indices into TENANTS. */
  readonly owned: readonly number[];
  readonly writable: readonly number[];
}

export const TENANTS: readonly string[] = Array.from({ length: 100 }, (_, index) => `team-${index}/vc`);

/** Often enough to catch a permission that is there for a moment: a process that wakes up is asked before it has done anything. */
const EVERY = 2;

/** @param args kubeconfig, namespace, identity, lease duration in milliseconds */
async function play([
  kubeconfig = '',
  namespace = '',
  identity = '',
  duration = '',
]: string[]): Promise<void> {
  const { settings } = await connectionFromFlags({ kubeconfig });
  const connection = new ApiConnection(settings);
  const replicas = await Replicas.join({
    connection,
    namespace,
    identity,
    signal: new AbortController().signal,
    onTrouble: (line) => process.stderr.write(`${line}\n`),
    leaseDuration: Number(duration),
  });
  let last = '';
  const look = (): void => {
    const { holdsLease, live } = replicas.state();
    const indices = [...TENANTS.keys()];
    const owned = indices.filter((index) => replicas.owns(TENANTS[index] ?? ''));
    const writable = owned.filter((index) => replicas.mayWrite(TENANTS[index] ?? ''));
    const what = { holdsLease, live, owned, writable };
    if (JSON.stringify(what) === last) return;
    last = JSON.stringify(what);
    const line: ReplicaLine = { time: performance.timeOrigin + performance.now(), ...what };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  replicas.onChange(look);
  const timer = setInterval(look, EVERY);
  process.once('SIGTERM', () => {
    void replicas
      .leave()
      .then(() => connection.close())
      .then(() => clearInterval(timer));
  });
}

if (import.meta.main) {
  try {
    await play(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
