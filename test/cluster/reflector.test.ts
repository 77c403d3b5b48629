/** A reflector before a real API server: many cuts, one connection, an expired version, a server that comes back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Reflector } from '../../src/kube/reflector.ts';
import { CLAIMS, SECRET_METADATA, STORAGE_CLASSES, VOLUMES } from '../../src/kube/resources.ts';
import { eventually } from '../control-plane/eventually.ts';
import { FakeNetwork } from '../control-plane/proxy.ts';
import {
  WatchedPlane,
  assertNothingRepeated,
  reflecting,
  reflectingClaims,
  toldOf,
  toldOfChurn,
} from '../control-plane/watched-plane.ts';

let watched: WatchedPlane;

before(async () => {
  watched = await WatchedPlane.start();
});
after(() => watched?.stop());

test('what is created, changed and deleted while connections are cut arrives once, and nothing else', async () => {
  const network = await FakeNetwork.start(watched.plane.port);
  try {
    await reflectingClaims(
      await watched.connectTo(network.port),
      async (store) => {
        const cutting = setInterval(() => network.cutAfter(Math.floor(Math.random() * 2000)), 100);
        await watched.churn('cut', 0, 90);
        await eventually('some more cuts', () => Promise.resolve(network.opened > 5));
        clearInterval(cutting);
        await watched.untilEqual(store, CLAIMS);
        assert.deepEqual(toldOf('cut', store), toldOfChurn('cut', 90));
        assertNothingRepeated(store);
      },
      { shortestWatch: 50 },
    );
  } finally {
    await network.stop();
  }
});

test('three watches of a cluster travel on one connection', async () => {
  const network = await FakeNetwork.start(watched.plane.port);
  const connection = await watched.connectTo(network.port);
  try {
    await reflecting(connection, CLAIMS, (claims) =>
      reflecting(connection, VOLUMES, () =>
        reflecting(connection, SECRET_METADATA, async (secrets) => {
          await watched.plane.api.create('/api/v1/namespaces/default/secrets', {
            metadata: { name: 'watched' },
            stringData: { password: 'open sesame' },
          });
          await watched.churn('one', 0, 3);
          await watched.untilEqual(secrets, SECRET_METADATA);
          await watched.untilEqual(claims, CLAIMS);
          // One for the watches, and one or two for the lists, which take turns; HTTP/1.1 would need four at least.
          assert.ok(network.opened <= 3, `${network.opened} connections`);
        }),
      ),
    );
  } finally {
    await connection.close();
    await network.stop();
  }
});

test('storage classes, which have no version in our model, are followed too', async () => {
  const connection = await watched.connectTo(watched.plane.port);
  const names = new Set<string>();
  const controller = new AbortController();
  const sink = {
    replace: (all: readonly { name: string }[]): void => {
      names.clear();
      for (const { name } of all) names.add(name);
    },
    put: ({ name }: { name: string }): void => void names.add(name),
    remove: ({ name }: { name: string }): void => void names.delete(name),
  };
  const ended = new Reflector(connection, STORAGE_CLASSES, sink, {
    namespace: null,
    signal: controller.signal,
    onState: () => {},
  }).run();
  try {
    const path = '/apis/storage.k8s.io/v1/storageclasses';
    const { api } = watched.plane;
    await api.create(path, { metadata: { name: 'fast' }, provisioner: 'disks.example.com' });
    await eventually('the class to be seen', async () => names.has('fast'));
    await api.delete(`${path}/fast`);
    await eventually('the class to be gone', async () => !names.has('fast'));
  } finally {
    controller.abort();
    await ended;
    await connection.close();
  }
});

test('an API server that is killed and restarted is followed from where it was, or listed again', async () => {
  await reflectingClaims(await watched.connectTo(watched.plane.port), async (store) => {
    await watched.churn('killed', 0, 3);
    await watched.untilEqual(store, CLAIMS);
    await watched.plane.stopApiserver();
    await store.until(() => store.states.at(-1)?.kind === 'failing');
    await watched.plane.startApiserver();
    await watched.churn('killed', 3, 6);
    await watched.untilEqual(store, CLAIMS);
    assert.equal(store.states.at(-1)?.kind, 'watching');
    assertNothingRepeated(store);
  });
});

test('what changed before etcd was compacted is learnt from a list', async () => {
  const network = await FakeNetwork.start(watched.plane.port);
  try {
    await reflectingClaims(await watched.connectTo(network.port), async (store) => {
      network.fault = 'refuse';
      network.cut();
      await watched.churn('compacted', 0, 6);
      await watched.plane.stopApiserver();
      await watched.storage.compact();
      // A restarted API server has no older versions in memory either.
      await watched.plane.startApiserver();
      network.fault = 'pass';
      await watched.untilEqual(store, CLAIMS);
      assert.equal(store.told.filter((line) => line.startsWith('replace')).length, 2);
      await watched.churn('compacted', 6, 9);
      await watched.untilEqual(store, CLAIMS);
    });
  } finally {
    await network.stop();
  }
});
