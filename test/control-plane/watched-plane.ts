/** What the tests of the reflector share: one API server, claims that come, change and go, and a store that follows. */
import assert from 'node:assert/strict';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { ReflectorOptions } from '../../src/kube/reflector.ts';
import { CLAIMS, listPath } from '../../src/kube/resources.ts';
import type { Resource } from '../../src/kube/resources.ts';
import { ReflectedStore } from '../support/reflected-store.ts';
import type { Reflected } from '../support/reflected-store.ts';
import type { Json } from './api.ts';
import { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';
import { writeKubeconfig } from './fleet.ts';
import { startStorage } from './storage.ts';
import type { Storage } from './storage.ts';

export const CLAIM_PATH = '/api/v1/namespaces/default/persistentvolumeclaims';

export class WatchedPlane {
  readonly storage: Storage;
  readonly plane: ControlPlane;

  private constructor(storage: Storage, plane: ControlPlane) {
    this.storage = storage;
    this.plane = plane;
  }

  /** Without a controller manager: nothing changes but what a test changes. */
  static async start(): Promise<WatchedPlane> {
    const storage = await startStorage();
    try {
      const plane = await ControlPlane.start({ name: 'watched', storage, controllerManager: false });
      return new WatchedPlane(storage, plane);
    } catch (error) {
      await storage.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.plane.stop();
    await this.storage.stop();
  }

  /** A connection of the program's own, to the API server or to what stands in front of it. */
  async connectTo(port: number): Promise<ApiConnection> {
    const text = await this.plane.kubeconfigFor('admin', ['system:masters'], `https://127.0.0.1:${port}`);
    const kubeconfig = await writeKubeconfig(this.storage, `port-${port}`, text);
    return new ApiConnection((await connectionFromFlags({ kubeconfig })).settings);
  }

  /** Claims NAME-0, NAME-1 …: each is created and changed, every third changed again and deleted. */
  async churn(name: string, from: number, to: number): Promise<void> {
    const { api } = this.plane;
    for (let index = from; index < to; index += 1) {
      const path = `${CLAIM_PATH}/${name}-${index}`;
      await api.create(CLAIM_PATH, {
        metadata: { name: `${name}-${index}` },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage: '1Gi' } },
        },
      });
      await api.patch(path, { metadata: { labels: { turn: String(index) } } });
      if (index % 3 !== 0) continue;
      // Nobody else takes the finalizer off.
      await api.patch(path, { metadata: { finalizers: null } });
      await api.delete(path);
    }
  }

  /** Waits until a store holds what the API server lists. */
  async untilEqual(store: ReflectedStore<Reflected>, resource: Resource<unknown>): Promise<void> {
    await eventually('the store to hold what the API server does', async () => {
      const { items } = await this.plane.api.get(listPath(resource, null));
      const expected = items.map(describe).sort();
      return JSON.stringify(store.contents()) === JSON.stringify(expected);
    });
  }
}

/** What a store is told of the claims of a `churn` from 0, in order, without their versions. */
export function toldOfChurn(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const key = `default/${name}-${index}`;
    const kept = [`put ${key}`, `put ${key}`];
    return index % 3 === 0 ? [...kept, `put ${key}`, `remove ${key}`] : kept;
  }).flat();
}

/** What a store was told of the claims of a `churn`, in order, without their versions. */
export function toldOf(name: string, { told }: ReflectedStore<Reflected>): string[] {
  return told
    .filter((line) => line.includes(`/${name}-`))
    .map((line) => line.split(' ').slice(0, 2).join(' '));
}

/** Whether the versions that a store was told only ever rise: nothing was told twice. */
export function assertNothingRepeated({ told }: ReflectedStore<Reflected>): void {
  let last = 0;
  for (const line of told) {
    const [verb, , version = ''] = line.split(' ');
    if (verb === 'replace') continue;
    assert.ok(Number(version) > last, `${line} after ${last}`);
    last = Number(version);
  }
}

/** Runs a reflector while `use` does; `use` begins once the first list is complete. */
export async function reflecting<T extends Reflected>(
  connection: ApiConnection,
  resource: Resource<T>,
  use: (store: ReflectedStore<T>) => Promise<void>,
  timing: ReflectorOptions['timing'] = {},
  random: () => number = Math.random,
): Promise<void> {
  const store = new ReflectedStore<T>();
  const controller = new AbortController();
  const reflector = new Reflector(connection, resource, store, {
    namespace: null,
    signal: controller.signal,
    onState: store.onState,
    timing,
    random,
  });
  const ended = reflector.run();
  try {
    await store.until(() => store.states.at(-1)?.kind === 'watching');
    await use(store);
  } finally {
    controller.abort();
    await ended;
  }
}

/** The same for claims, through a connection that is closed afterwards. */
export async function reflectingClaims(
  connection: ApiConnection,
  use: (store: ReflectedStore<Reflected>) => Promise<void>,
  timing: ReflectorOptions['timing'] = {},
): Promise<void> {
  try {
    await reflecting(connection, CLAIMS, use, timing);
  } finally {
    await connection.close();
  }
}

function describe({ metadata }: Json): string {
  const key = [metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
  return `${key} ${metadata.resourceVersion}`;
}
