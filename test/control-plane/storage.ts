/** A real etcd: one serves all control planes of a test, each with a prefix of its own. */
import { join } from 'node:path';
import { binaries } from './build.ts';
import { freePort, startDaemon, temporaryDirectory, untilReady } from './processes.ts';

export interface Storage {
  readonly url: string;
  readonly directory: string;
  /** Forgets all versions but the present ones. */
  readonly compact: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts etcd in a new temporary directory, which `stop` removes.
 * @throws Error with etcd's last log lines where it does not become healthy
 */
export async function startStorage(): Promise<Storage> {
  const { etcd } = await binaries();
  const directory = await temporaryDirectory();
  const url = `http://127.0.0.1:${await freePort()}`;
  const daemon = startDaemon(
    etcd,
    [
      '--unsafe-no-fsync',
      `--data-dir=${join(directory.path, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${await freePort()}`,
    ],
    join(directory.path, 'etcd.log'),
  );
  const stop = async (): Promise<void> => {
    await daemon.stop('SIGKILL');
    await directory.remove();
  };
  try {
    await untilReady(daemon, 'etcd to be healthy', async () => (await fetch(`${url}/health`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, directory: directory.path, compact: () => compact(url), stop };
}

async function compact(url: string): Promise<void> {
  const { header } = (await call(url, 'range', { key: Buffer.from('x').toString('base64') })) as {
    header: { revision: string };
  };
  await call(url, 'compaction', { revision: header.revision, physical: true });
}

/** Asks etcd's JSON gateway: api/etcdserverpb/rpc.proto, KV. Keys and values are in base64. @throws Error */
export async function call(
  url: string,
  method: 'range' | 'txn' | 'compaction',
  body: object,
): Promise<unknown> {
  const answer = await fetch(`${url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd ${method}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
