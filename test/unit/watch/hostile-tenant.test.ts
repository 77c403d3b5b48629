/** A tenant whose API server answers what no real one would: it may harm itself, but must not end the watch of the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeEventsOf } from '../../../src/sync/events.ts';
import { isServed } from '../../../src/sync/hold.ts';
import { TenantApi } from '../../../src/sync/tenant-api.ts';
import { eventually } from '../../control-plane/eventually.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import { CLAIMS, FakeWatchedFleet, VOLUMES, claimObject } from '../../support/fake-watched-fleet.ts';

/** Half of a character: what is no text that could be encoded. */
const HALF = '\ud800';

test('claims and volumes of any name, and in any namespace, are no end of the watch', async () => {
  const fleet = await FakeWatchedFleet.start(() => 0, true);
  try {
    const { first, second } = fleet.tenants;
    const names = [
      HALF,
      `a${HALF}b`,
      '..',
      '.',
      'a/b',
      '%2e',
      '\n',
      '__proto__',
      'constructor',
      'x'.repeat(10_000),
    ];
    for (const name of names) {
      for (const namespace of ['shop', ...names]) {
        const claim = claimObject(namespace, name, `uid-${name}`, 'Bound');
        first.put(CLAIMS, { ...claim, spec: { volumeName: name } });
      }
      first.put(VOLUMES, { metadata: { name, uid: 'v' }, spec: { claimRef: { namespace: name, name } } });
    }
    const of = (index: 0 | 1) => [...fleet.watch.tenants()][index]?.state;
    const all = names.length * (names.length + 1);
    await eventually('all of them to be known', () => Promise.resolve(of(0)?.claims.size === all));
    second.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
    await eventually("the other tenant's claim to be told", () =>
      Promise.resolve(of(1)?.book.rows.get('shop/data')?.item.verdict === 'SuperMissing'),
    );
    const reads = first.server.requests.filter((one) => one.includes('%EF%BF%BD'));
    assert.ok(reads.length > 0, 'a claim with such a name was read again');
  } finally {
    await fleet.stop();
  }
});

test('lists with entries that are no objects are lists without these', async () => {
  const odd = [null, 0, 'x', [], {}, { name: null, metadata: null }, { metadata: { name: 1 } }];
  const server = await fakeApiServer((request, response) => {
    const isThere = /v1$|\/events\?/.test(request.url ?? '');
    sendJson(response, isThere ? 200 : 404, { resources: odd, items: odd });
  });
  try {
    const { signal } = new AbortController();
    const api = new TenantApi(server.connection, false);
    assert.equal(await isServed(api), false);
    await removeEventsOf(api, signal);
  } finally {
    await server.close();
  }
});
