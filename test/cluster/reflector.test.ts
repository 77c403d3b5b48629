/** A reflector before a real API server: cut, compacted, killed and restarted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { CLAIMS, SECRET_METADATA, STORAGE_CLASSES, VOLUMES, listPath } from '../../src/kube/resources.ts';
import type { ReflectorOptions } from '../../src/kube/reflector.ts';
import type { Resource } from '../../src/kube/resources.ts';
import type { Json } from '../control-plane/api.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/eventually.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import { FakeNetwork } from '../control-plane/proxy.ts';
import { startStorage } from '../control-plane/storage.ts';
import type { Storage } from '../control-plane/storage.ts';
import { ReflectedStore } from '../support/reflected-store.ts';

const CLAIM_PATH = '/api/v1/namespaces/default/persistentvolumeclaims';
let storage: Storage;
let plane: ControlPlane;

before(async () => {
  storage = await startStorage();
  plane = await ControlPlane.start({ name: 'watched', storage, controllerManager: false });
});
after(async () => {
  await plane?.stop();
  await storage?.stop();
});

interface Named {
  readonly namespace?: string;
  readonly name: string;
  readonly resourceVersion: string;
}

/** Runs a reflector while `use` does. */
async function reflecting<T extends Named>(
  connection: ApiConnection,
  resource: Resource<T>,
  use: (store: ReflectedStore<T>, reflector: Reflector<T>) => Promise<void>,
  timing: ReflectorOptions['timing'] = {},
): Promise<void> {
  const store = new ReflectedStore<T>();
  const controller = new AbortController();
  const reflector = new Reflector(connection, resource, store, {
    namespace: null,
    signal: controller.signal,
    onState: store.onState,
    timing,
  });
  const ended = reflector.run();
  try {
    await store.until(() => store.states.at(-1)?.kind === 'watching');
    await use(store, reflector);
  } finally {
    controller.abort();
    await ended;
  }
}

/** A connection of the program's own, to the API server or to what stands in front of it. */
async function connectTo(port: number): Promise<ApiConnection> {
  const text = await plane.kubeconfigFor('admin', ['system:masters'], `https://127.0.0.1:${port}`);
  const kubeconfig = await writeKubeconfig(storage, `port-${port}`, text);
  return new ApiConnection((await connectionFromFlags({ kubeconfig })).settings);
}

/** Creates a claim, changes it, and every third one is deleted. */
async function churn(name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const path = `${CLAIM_PATH}/${name}-${index}`;
    await plane.api.create(CLAIM_PATH, claim(`${name}-${index}`));
    await plane.api.patch(path, { metadata: { labels: { turn: String(index) } } });
    if (index % 3 === 0) {
      // Without a controller manager nobody takes the finalizer off.
      await plane.api.patch(path, { metadata: { finalizers: null } });
      await plane.api.delete(path);
    }
  }
}

function claim(name: string): object {
  return {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  };
}

/** Key and resourceVersion of each object of a kind, as the API server lists them. */
async function held(resource: Resource<unknown>): Promise<string[]> {
  const { items } = await plane.api.get(listPath(resource, null));
  return items
    .map(({ metadata }: Json) =>
      [[metadata.namespace, metadata.name].filter(Boolean).join('/'), metadata.resourceVersion].join(' '),
    )
    .sort();
}

/** Waits until the store is what the API server lists. */
async function untilEqual(store: ReflectedStore<Named>, resource: Resource<unknown>): Promise<void> {
  await eventually('the store to hold what the API server does', async () => {
    const expected = await held(resource);
    return JSON.stringify(store.contents()) === JSON.stringify(expected);
  });
}

/** Whether versions that were put or removed only ever rise: nothing was told twice. */
function assertNothingRepeated(store: ReflectedStore<Named>): void {
  let last = 0;
  for (const line of store.told) {
    const [verb, , version = ''] = line.split(' ');
    if (verb === 'replace') continue;
    assert.ok(Number(version) > last, `${line} after ${last}`);
    last = Number(version);
  }
}

test('what is created, changed and deleted while connections are cut arrives once, and nothing else', async () => {
  const network = await FakeNetwork.start(plane.port);
  const connection = await connectTo(network.port);
  try {
    await reflecting(
      connection,
      CLAIMS,
      async (store) => {
        const cutting = setInterval(() => network.cutAfter(Math.floor(Math.random() * 2000)), 100);
        await churn('cut', 90);
        clearInterval(cutting);
        await untilEqual(store, CLAIMS);
        assert.ok(network.opened > 5, `${network.opened} connections`);
        // Each change of each claim, once: a list would tell what has come of several only.
        assert.equal(store.told.length, 1 + 90 * 2 + 30 * 2);
        assertNothingRepeated(store);
      },
      { shortestWatch: 50 },
    );
  } finally {
    await connection.close();
    await network.stop();
  }
});

test('three watches of a cluster travel on one connection', async () => {
  const network = await FakeNetwork.start(plane.port);
  const connection = await connectTo(network.port);
  try {
    await reflecting(connection, CLAIMS, async (claims) => {
      await reflecting(connection, VOLUMES, async () => {
        await reflecting(connection, SECRET_METADATA, async (secrets) => {
          const before = network.open;
          await plane.api.create('/api/v1/namespaces/default/secrets', {
            metadata: { name: 'watched' },
            stringData: { password: 'open sesame' },
          });
          await churn('one', 3);
          await untilEqual(secrets, SECRET_METADATA);
          await untilEqual(claims, CLAIMS);
          assert.equal(network.open, before);
          // One for the watches, and one or two for the lists, which take turns; HTTP/1.1 would need four at least.
          assert.ok(network.opened <= 3, `${network.opened} connections`);
        });
      });
    });
  } finally {
    await connection.close();
    await network.stop();
  }
});

test('storage classes, which have no version in our model, are followed too', async () => {
  const connection = await connectTo(plane.port);
  try {
    const names = new Set<string>();
    const controller = new AbortController();
    const reflector = new Reflector(
      connection,
      STORAGE_CLASSES,
      {
        replace: (all) => all.forEach(({ name }) => names.add(name)),
        put: ({ name }) => names.add(name),
        remove: ({ name }) => names.delete(name),
      },
      { namespace: null, signal: controller.signal, onState: () => {} },
    );
    const ended = reflector.run();
    const path = '/apis/storage.k8s.io/v1/storageclasses';
    await plane.api.create(path, { metadata: { name: 'fast' }, provisioner: 'disks.example.com' });
    await eventually('the class to be seen', async () => names.has('fast'));
    await plane.api.delete(`${path}/fast`);
    await eventually('the class to be gone', async () => !names.has('fast'));
    controller.abort();
    await ended;
  } finally {
    await connection.close();
  }
});
