/** What a watch tells and writes where an API server answers as no real one can be made to. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { superNamespaceName } from '../../../src/reconcile/mapping.ts';
import { eventually } from '../../control-plane/eventually.ts';
import {
  CLAIMS,
  FakeWatchedFleet,
  VOLUMES,
  claimObject,
  described,
  keyOf,
  marksOf,
} from '../../support/fake-watched-fleet.ts';

const SUPER_NAMESPACE = superNamespaceName(keyOf('first'), 'shop');
let fleet: FakeWatchedFleet | null = null;

async function started(sync: boolean, pace: () => number = () => 0, grace = 0): Promise<FakeWatchedFleet> {
  fleet = await FakeWatchedFleet.start(pace, sync, grace);
  return fleet;
}

afterEach(async () => {
  await fleet?.stop();
  fleet = null;
});

/** A claim of the first tenant with its super claim. */
function putPair(
  { tenants, super: superCluster }: FakeWatchedFleet,
  name: string,
  tenant: string,
  superPhase: string,
) {
  tenants.first.put(CLAIMS, claimObject('shop', name, `uid-${name}`, tenant));
  putSuper(superCluster, name, superPhase);
}

function putSuper(superCluster: FakeWatchedFleet['super'], name: string, phase: string): void {
  const marks = marksOf('first', 'shop', `uid-${name}`);
  superCluster.put(CLAIMS, claimObject(SUPER_NAMESPACE, name, `super-${name}`, phase, marks));
}

function held({ tenants }: FakeWatchedFleet, name: string, phase: string): Promise<unknown> {
  return eventually(`${name} to be held as ${phase}`, () => {
    const claim = tenants.first.find(CLAIMS, 'shop', name);
    return Promise.resolve(claim.status.phase === phase && claim.status.conditions?.length > 0);
  });
}

test('a row is told with its cause: none comes first without and then with it', async () => {
  const { tenants, super: superCluster, watch, events } = await started(false);
  for (const name of ['a', 'b', 'c', 'd']) {
    tenants.first.put(VOLUMES, {
      metadata: { name: `pv-${name}`, uid: 'v' },
      spec: { claimRef: { namespace: 'elsewhere', name: 'other', uid: 'u' } },
    });
  }
  await eventually('the watch to be settled', () => Promise.resolve(watch.isSettled));
  for (const name of ['a', 'b', 'c', 'd']) {
    tenants.first.put(CLAIMS, claimObject('shop', name, `uid-${name}`, 'Pending'));
    putSuper(superCluster, name, 'Bound');
  }
  await eventually('four rows', () =>
    Promise.resolve([...watch.tenants()].some(({ state }) => state.book.rows.size === 4) && watch.isSettled),
  );
  const told = events.map(({ type, row }) => `${type} ${row.item.tenant?.name} ${row.item.cause?.code}`);
  assert.deepEqual(
    told.filter((one) => !one.endsWith('undefined')).sort(),
    ['a', 'b', 'c', 'd'].map((name) => `ADDED ${name} VolumeClaimedByOther`),
  );
});

test('the cause of a claim that names no volume follows the volumes that are free for it', async () => {
  const { tenants, super: superCluster, watch } = await started(false);
  const cause = (): string | undefined => {
    const rows = [...watch.tenants()].flatMap(({ state }) => [...state.book.rows.values()]);
    return rows[0]?.item.cause?.code;
  };
  const untilCause = (code: string): Promise<unknown> =>
    eventually(`the cause to be ${code}`, () => Promise.resolve(cause() === code && watch.isSettled));
  const free = (name: string, storage: string, claimRef: object | null = null): void => {
    superCluster.put(VOLUMES, {
      metadata: { name, uid: `uid-of-${name}` },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        ...(claimRef === null ? {} : { claimRef }),
      },
    });
  };
  tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
  const { metadata, status, spec } = claimObject(SUPER_NAMESPACE, 'data', 'super-data', 'Pending', {
    ...marksOf('first', 'shop', 'uid-data'),
    'pv.kubernetes.io/bind-completed': undefined,
  });
  const { accessModes } = spec;
  superCluster.put(CLAIMS, {
    metadata,
    status,
    spec: { accessModes, volumeMode: 'Filesystem', resources: { requests: { storage: '5Gi' } } },
  });
  await untilCause('NoMatchingVolume');
  free('small', '1Gi');
  free('large', '9Gi');
  await untilCause('Rebinding');
  free('large', '9Gi', { namespace: 'elsewhere', name: 'other', uid: 'u' });
  await untilCause('NoMatchingVolume');
});

test('a super claim that goes from Lost to Pending and back is followed, not contested', async () => {
  const watched = await started(true);
  putPair(watched, 'data', 'Bound', 'Lost');
  await held(watched, 'data', 'Lost');
  for (let turn = 0; turn < 6; turn += 1) {
    const phase = turn % 2 === 0 ? 'Pending' : 'Lost';
    putSuper(watched.super, 'data', phase);
    await held(watched, 'data', phase);
  }
  assert.equal(watched.reverts, 0);
  assert.deepEqual(
    watched.events.filter(({ row }) => row.outcome === 'Contested'),
    [],
  );
});

test('a claim that its tenant changes without pause is told all the same', async () => {
  const watched = await started(false);
  putPair(watched, 'data', 'Bound', 'Lost');
  // Before each answer to a read the claim is another one already.
  watched.tenants.first.onRead = (): void => {
    const claim = watched.tenants.first.find(CLAIMS, 'shop', 'data');
    watched.tenants.first.put(CLAIMS, claim);
  };
  await eventually(
    'its row',
    () => Promise.resolve(watched.events.some(({ row }) => row.item.verdict === 'SuperNotBound')),
    10_000,
  );
});

test('a row goes when its super claim is made anew, and says that it is too young to tell', async () => {
  const watched = await started(false, () => 0, 60_000);
  putPair(watched, 'data', 'Bound', 'Lost');
  await eventually('its row', () => Promise.resolve(watched.events.length === 1));
  const young = claimObject(
    SUPER_NAMESPACE,
    'data',
    'super-new',
    'Pending',
    marksOf('first', 'shop', 'uid-data'),
  );
  young.metadata.creationTimestamp = new Date().toISOString();
  watched.super.put(CLAIMS, young);
  await eventually('it to go', () => Promise.resolve(watched.events.length === 2));
  const [, { type, gone, row } = assert.fail('two events')] = watched.events;
  assert.deepEqual(
    [type, gone, row.item.settling, row.item.verdict],
    ['DELETED', false, true, 'SuperNotBound'],
  );
});

test('a super cluster that cannot be read for a while is no failure of the tenant, and costs it no pause', async () => {
  const watched = await started(true);
  putPair(watched, 'data', 'Bound', 'Bound');
  await eventually('the watch to be settled', () => Promise.resolve(watched.watch.isSettled));
  watched.super.refusesReads = true;
  putSuper(watched.super, 'data', 'Lost');
  await eventually('a read to be refused', () =>
    Promise.resolve(watched.super.server.requests.some((one) => one.endsWith('/data'))),
  );
  watched.super.refusesReads = false;
  // Another claim of the tenant is answered at once.
  putPair(watched, 'other', 'Bound', 'Lost');
  await held(watched, 'other', 'Lost');
  await held(watched, 'data', 'Lost');
  assert.deepEqual(
    watched.events.filter(({ row }) => row.outcome === 'Failed'),
    [],
  );
});

test('mismatches that a tenant does not let be read again are told as one trouble, counted, and have rows once they can', async () => {
  const watched = await started(false);
  watched.tenants.first.refusesReads = true;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  for (const name of names) putPair(watched, name, 'Bound', 'Lost');
  const tenant = await eventually('all to be found unreadable', () => {
    const [first] = watched.watch.tenants();
    const counted = [...(first?.state.unshown.values() ?? [])].filter((one) => one === 'SuperNotBound');
    return Promise.resolve(counted.length === names.length && first);
  });
  assert.equal(tenant.state.unread.size, names.length);
  assert.equal(watched.watch.isConsistent, false);
  assert.equal(watched.troubles.length, 1);
  assert.match(
    watched.troubles[0] ?? '',
    /^cannot get .*\/persistentvolumeclaims\/[a-j] of http:.*: HTTP 503$/,
  );
  assert.deepEqual(watched.events, []);
  watched.tenants.first.refusesReads = false;
  await watched.untilShown(
    () => new Map([...watched.judgements()].map(([key, judgement]) => [key, described(judgement)])),
  );
  assert.deepEqual([tenant.state.unread.size, tenant.state.unshown.size], [0, 0]);
});

for (const [sync, phases] of [
  [false, ['Pending', 'Bound']],
  [true, ['Lost', 'Bound']],
] as const) {
  test(`a tenant that changes its claim all the time has the super cluster read now and then, ${sync ? 'with' : 'without'} --sync`, async () => {
    const watched = await started(sync);
    const { tenants, super: superCluster } = watched;
    putPair(watched, 'data', 'Bound', 'Bound');
    await eventually('the watch to be settled', () => Promise.resolve(watched.watch.isSettled));
    if (sync) {
      putSuper(superCluster, 'data', 'Lost');
      // Each write meets a claim that has changed, and that needs none by then.
      superCluster.onRead = () =>
        void tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Lost'));
    }
    const began = performance.now();
    for (let turn = 0; turn < 400; turn += 1) {
      const phase = phases[turn % 2] ?? 'Bound';
      tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', phase));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const reads = superCluster.server.requests.filter(
      (one) => one.startsWith('GET') && one.endsWith('/data'),
    );
    // Once a second, by as many as one look and one write take: a busy machine needs longer for the same changes.
    const most = 4 * (1 + (performance.now() - began) / 1000);
    assert.ok(reads.length <= most, `${reads.length} reads for 400 changes, at most ${most}`);
  });
}

test('what is not so any more when it is read again has no row', async () => {
  const watched = await started(false, () => 300);
  putPair(watched, 'data', 'Bound', 'Bound');
  await eventually('the watch to be settled', () => Promise.resolve(watched.watch.isSettled));
  // The super claim's watch tells late: for 300 ms the tenant seems to be alone with what it says.
  watched.tenants.first.remove(CLAIMS, 'shop', 'data');
  watched.tenants.first.put(CLAIMS, claimObject('shop', 'other', 'uid-other', 'Bound'));
  putSuper(watched.super, 'other', 'Bound');
  await eventually('both claims to be known', () =>
    Promise.resolve(
      watched.watch.isSettled && [...watched.watch.tenants()].some(({ state }) => state.has('shop/other')),
    ),
  );
  await watched.untilShown(() => new Map());
  assert.deepEqual(watched.events, []);
});

test('a tenant that goes while it is written to leaves no row and no trouble', async () => {
  const watched = await started(true);
  const { tenants, super: superCluster, watch, events, troubles } = watched;
  const left = Promise.withResolvers<void>();
  tenants.first.onPatch = async () => {
    superCluster.remove('virtualclusters', 'team', 'first');
    await eventually('the tenant to be left', () =>
      Promise.resolve([...watch.tenants()].every(({ state }) => state.id !== 'team/first')),
    );
    left.resolve();
  };
  putPair(watched, 'data', 'Bound', 'Lost');
  await left.promise;
  // What is in flight is waited for.
  await watched.stop();
  const shown = new Set<string>();
  for (const { type, row } of events) {
    if (type === 'DELETED') shown.delete(row.item.tenant?.name ?? '');
    else shown.add(row.item.tenant?.name ?? '');
  }
  assert.deepEqual([...shown], []);
  assert.deepEqual(troubles, []);
});

test('a tenant that is reached anew has its claims looked at again: what waited for the end of a pause need not', async () => {
  const watched = await started(false);
  for (const name of ['a', 'b', 'c']) putPair(watched, name, 'Bound', 'Bound');
  const secret = { metadata: { namespace: keyOf('first'), name: 'admin-kubeconfig', uid: 'secret' } };
  watched.super.put('secrets', secret);
  await eventually('all claims to be there', () => {
    const [first] = watched.watch.tenants();
    return Promise.resolve(watched.watch.isSettled && first?.state.claims.size === 3);
  });
  const { looks } = watched;
  watched.super.put('secrets', secret);
  await eventually('all claims to be looked at again', () => Promise.resolve(watched.looks >= looks + 3));
});

/** Waits for a cause to be the last that was told. */
function told({ events }: FakeWatchedFleet, code: string): Promise<unknown> {
  return eventually(code, () => Promise.resolve(events.at(-1)?.row.item.cause?.code === code), 5_000);
}

test('the cause of an absent super claim follows its namespace and the volumes that name its place', async () => {
  const watched = await started(false);
  const { tenants, super: superCluster } = watched;
  tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
  await told(watched, 'SuperNamespaceMissing');
  // More than once: the first time everything is looked at, since volumes and classes have just become known.
  for (let time = 0; time < 3; time += 1) {
    superCluster.put('namespaces', { metadata: { name: SUPER_NAMESPACE, uid: 'n' } });
    await told(watched, 'NeverSynced');
    superCluster.put(VOLUMES, {
      metadata: { name: 'disk', uid: 'v' },
      spec: { claimRef: { namespace: SUPER_NAMESPACE, name: 'data', uid: 'u' } },
    });
    await told(watched, 'SuperClaimDeleted');
    superCluster.remove(VOLUMES, '', 'disk');
    await told(watched, 'NeverSynced');
    superCluster.remove('namespaces', '', SUPER_NAMESPACE);
    await told(watched, 'SuperNamespaceMissing');
  }
});

test('a volume that comes to name a super claim in another place than usual is told', async () => {
  const watched = await started(false);
  const { tenants, super: superCluster } = watched;
  tenants.first.put(CLAIMS, claimObject('shop', 'data', 'uid-data', 'Bound'));
  const marks = marksOf('first', 'shop', 'uid-data');
  const neverBound = { ...marks, 'pv.kubernetes.io/bind-completed': undefined };
  superCluster.put(CLAIMS, {
    ...claimObject('elsewhere', 'data', 'super-data', 'Pending', neverBound),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  for (let time = 0; time < 3; time += 1) {
    await told(watched, 'NoMatchingVolume');
    superCluster.put(VOLUMES, {
      metadata: { name: 'disk', uid: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        claimRef: { namespace: 'elsewhere', name: 'data', uid: 'super-data' },
      },
      status: { phase: 'Available' },
    });
    await told(watched, 'Rebinding');
    superCluster.remove(VOLUMES, '', 'disk');
  }
});

test('a super claim without marks is followed for each of two namespaces whose claims belong at its place', async () => {
  const watched = await started(false);
  const { tenants, super: superCluster } = watched;
  const long = 'a-namespace-whose-name-is-so-long-that-the-syncer-cuts-it';
  const place = superNamespaceName(keyOf('first'), long);
  const same = place.slice(`${keyOf('first')}-`.length);
  assert.equal(superNamespaceName(keyOf('first'), same), place);
  const namespaces = [long, same];
  for (const namespace of namespaces) {
    tenants.first.put(CLAIMS, claimObject(namespace, 'data', `uid-${namespace}`, 'Bound'));
    tenants.first.put(CLAIMS, claimObject(namespace, 'other', `other-${namespace}`, 'Bound'));
  }
  const verdicts = (wanted: Readonly<Record<string, string>>): Promise<unknown> =>
    eventually(JSON.stringify(wanted), () => {
      const shown = [...watched.shown()].filter(([key]) => key.endsWith('/data'));
      const found = shown.map(([key, text]) => [key.split(/[ /]/)[2], text.split(' ')[0]]);
      return Promise.resolve(isDeepStrictEqual(Object.fromEntries(found), wanted));
    });
  await verdicts({ [long]: 'SuperMissing', [same]: 'SuperMissing' });
  superCluster.put(CLAIMS, claimObject(place, 'data', 'super-data', 'Lost'));
  await verdicts({ [long]: 'OwnerMismatch', [same]: 'OwnerMismatch' });
  // That one of them has no more claims there is no matter to the other.
  for (const name of ['data', 'other']) tenants.first.remove(CLAIMS, same, name);
  await verdicts({ [long]: 'OwnerMismatch' });
  superCluster.remove(CLAIMS, place, 'data');
  await verdicts({ [long]: 'SuperMissing' });
});
