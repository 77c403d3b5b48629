/** When a remedy is offered, when only the disk is kept, and when nothing is safe. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, Remedy } from '../../../src/reconcile/explain/explanation.ts';
import { explainedCase, printedCase } from '../../support/explained-case.ts';
import type { CaseObjects } from '../../support/explained-case.ts';

/** What the steps write, without what they test: `claim /spec/volumeName=pv-data`. */
function writes({ steps }: Remedy): string[] {
  return steps.flatMap(({ kind, patch }) =>
    patch.flatMap((operation) => {
      if (operation.op === 'test') return [];
      const value = operation.op === 'remove' ? ' removed' : `=${operation.value}`;
      return [`${kind === 'PersistentVolume' ? 'volume' : 'claim'} ${operation.path}${value}`];
    }),
  );
}

function assertGuarded({ remedy }: Explanation): void {
  for (const { patch, name } of remedy.steps) {
    const tested = patch.filter(({ op }) => op === 'test').map(({ path }) => path);
    assert.deepEqual(tested.slice(0, 2), ['/metadata/uid', '/metadata/resourceVersion'], name);
    assert.ok(patch.findIndex(({ op }) => op !== 'test') !== 0, 'tests come first');
  }
}

const released = ({ superVolume }: CaseObjects, policy: string): void => {
  superVolume.status.phase = 'Released';
  superVolume.spec.persistentVolumeReclaimPolicy = policy;
};
const beingDeleted = ({ superVolume }: CaseObjects): void => {
  superVolume.metadata.deletionTimestamp = '2026-11-02T08:00:00Z';
};

interface Row {
  readonly what: string;
  readonly from: string;
  readonly change?: (objects: CaseObjects) => void;
  readonly kind: Remedy['kind'];
  readonly risk?: string;
  readonly data?: string;
  readonly writes?: readonly string[];
  readonly text?: RegExp;
}

const pendingTenant = ({ tenantClaim }: CaseObjects): void => {
  delete tenantClaim.spec.volumeName;
  tenantClaim.metadata.annotations = {};
  tenantClaim.status = { phase: 'Pending' };
};

const KEPT = ['volume /spec/persistentVolumeReclaimPolicy=Retain'];
const UID = '690949ad-7e22-5cda-b5ef-f39c230a8c49';

const ROWS: readonly Row[] = [
  {
    what: 'a volume that has the uid of the claim without volumeName is named',
    from: 'volume-name-cleared',
    kind: 'mend',
    risk: 'low',
    data: 'safe',
    writes: ['claim /spec/volumeName=pv-data'],
  },
  {
    what: 'the volume is found by its claimRef where the tenant names none',
    from: 'volume-name-cleared',
    change: ({ tenantClaim }) => {
      delete tenantClaim.spec.volumeName;
    },
    kind: 'mend',
    writes: ['claim /spec/volumeName=pv-data'],
  },
  {
    what: 'a volume is not named while the tenant is bound to another',
    from: 'volume-name-cleared',
    change: ({ tenantClaim }) => {
      tenantClaim.spec.volumeName = 'pv-other';
    },
    kind: 'none',
    text: /tenant claim names volume pv-other, and this would bind the super claim to pv-data/,
  },
  {
    what: 'a volume is not taken over while the tenant is bound to another, but kept',
    from: 'claim-recreated-lost',
    change: (objects) => {
      objects.tenantClaim.spec.volumeName = 'pv-other';
      released(objects, 'Delete');
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
    text: /to different disks/,
  },
  {
    what: 'a tenant volume is not bound while the super claim is bound to another',
    from: 'tenant-lost',
    change: ({ superClaim, superVolume, tenantClaim, tenantVolume }) => {
      tenantClaim.spec.volumeName = 'pv-data';
      tenantVolume.spec.claimRef.uid = 'earlier';
      superClaim.spec.volumeName = 'pv-other';
      superVolume.metadata.name = 'pv-other';
    },
    kind: 'none',
    text: /super claim names volume pv-other/,
  },
  {
    what: 'a volume about to be deleted is kept as well',
    from: 'volume-name-cleared',
    change: (objects) => released(objects, 'Delete'),
    kind: 'mend',
    risk: 'high',
    data: 'danger',
    writes: ['volume /spec/persistentVolumeReclaimPolicy=Retain', 'claim /spec/volumeName=pv-data'],
  },
  {
    what: 'a volume without claimRef, which only the tenant names, is not bound',
    from: 'volume-name-cleared',
    change: ({ superVolume }) => {
      delete superVolume.spec.claimRef;
    },
    kind: 'none',
    data: 'unknown',
    text: /only the tenant says/,
  },
  {
    what: 'a volume of another claim, which only the tenant names, is not bound',
    from: 'volume-name-cleared',
    change: ({ superVolume }) => {
      superVolume.spec.claimRef = { namespace: 'other-tenant', name: 'data', uid: 'else' };
    },
    kind: 'none',
    data: 'unknown',
    text: /belongs to another claim, other-tenant\/data/,
  },
  {
    what: 'two volumes with the uid of the claim contradict each other',
    from: 'volume-name-cleared',
    change: ({ super: objects, superVolume }) => {
      const metadata = { ...superVolume.metadata, name: 'pv-second', uid: 'second' };
      objects.push({ ...superVolume, metadata });
    },
    kind: 'none',
    text: /pv-data, pv-second/,
  },
  {
    what: 'no volume at all',
    from: 'volume-name-cleared',
    change: ({ super: objects, superVolume }) => void objects.splice(objects.indexOf(superVolume), 1),
    kind: 'none',
    data: 'unknown',
    text: /there is no volume pv-data/,
  },
  {
    what: 'the volume of an earlier claim is taken over, once the claim names it',
    from: 'volume-name-cleared',
    change: ({ superVolume }) => {
      superVolume.spec.claimRef.uid = 'earlier';
    },
    kind: 'mend',
    writes: [
      'claim /spec/volumeName=pv-data',
      `volume /spec/claimRef/uid=${UID}`,
      'volume /spec/claimRef/resourceVersion removed',
    ],
  },
  {
    what: 'the volume of an earlier claim that does not fit is not taken over',
    from: 'volume-name-cleared',
    change: ({ superVolume }) => {
      superVolume.spec.claimRef.uid = 'earlier';
      superVolume.spec.capacity.storage = '1Mi';
    },
    kind: 'none',
    text: /asks for 1Gi and the volume has 1Mi/,
  },
  {
    what: 'a volume that is being deleted, with Retain, can only be described anew',
    from: 'volume-name-cleared',
    change: beingDeleted,
    kind: 'none',
    data: 'safe',
    text: /cannot be taken back/,
  },
  {
    what: 'a volume that is being deleted, with Delete, has its disk kept',
    from: 'claim-recreated-lost',
    change: (objects) => {
      beingDeleted(objects);
      released(objects, 'Delete');
    },
    kind: 'protect',
    risk: 'high',
    data: 'danger',
    writes: ['volume /spec/persistentVolumeReclaimPolicy=Retain'],
  },
  {
    what: 'of a stale claimRef the uid is set and nothing of the earlier claim stays',
    from: 'claim-recreated-lost',
    kind: 'mend',
    risk: 'low',
    writes: [
      'volume /spec/claimRef/uid=324844ec-9d53-5b3e-af32-70f19f7b8fc2',
      'volume /spec/claimRef/resourceVersion removed',
    ],
  },
  {
    what: 'a Released volume with reclaim policy Recycle is kept, and its content doubted',
    from: 'claim-recreated-lost',
    change: (objects) => released(objects, 'Recycle'),
    kind: 'mend',
    risk: 'high',
    data: 'danger',
    writes: [
      'volume /spec/claimRef/uid=324844ec-9d53-5b3e-af32-70f19f7b8fc2',
      'volume /spec/claimRef/resourceVersion removed',
      'volume /spec/persistentVolumeReclaimPolicy=Retain',
    ],
  },
  {
    what: 'a super claim that is gone has its volume wait for it',
    from: 'super-missing',
    kind: 'mend',
    writes: ['volume /spec/claimRef/uid removed', 'volume /spec/claimRef/resourceVersion removed'],
  },
  {
    what: 'a super claim that is gone and that the tenant wants on another volume has its old disk kept',
    from: 'super-missing',
    change: (objects) => {
      objects.tenantClaim.spec.volumeName = 'elsewhere';
      released(objects, 'Delete');
    },
    kind: 'protect',
    writes: ['volume /spec/persistentVolumeReclaimPolicy=Retain'],
  },
  {
    what: 'a super claim that the syncer will delete keeps its disk with Retain anyway',
    from: 'owner-mismatch-bound',
    kind: 'none',
    data: 'safe',
  },
  {
    what: 'a super claim that the syncer will delete, with Delete, has its disk kept',
    from: 'owner-mismatch-bound',
    change: ({ superVolume }) => {
      superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
    },
    kind: 'protect',
    risk: 'low',
    data: 'danger',
    writes: ['volume /spec/persistentVolumeReclaimPolicy=Retain'],
  },
  {
    what: 'a bound volume with Delete is safe as long as its claim is',
    from: 'consistent-bound',
    change: ({ superVolume }) => {
      superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
    },
    kind: 'wait',
    data: 'safe',
  },
  { what: 'a binding under way needs nothing', from: 'binding-half-done', kind: 'wait', data: 'safe' },
  {
    what: 'a missing class needs its administrator',
    from: 'class-missing',
    kind: 'none',
    text: /What class fast/,
  },
  {
    what: "another claim's volume is left alone",
    from: 'volume-claimed-by-other',
    kind: 'none',
    data: 'unknown',
  },
  {
    what: 'a claim that is being deleted, with Delete, has its disk kept',
    from: 'consistent-bound',
    change: (objects) => {
      objects.tenantClaim.metadata.deletionTimestamp = '2026-11-02T08:00:00Z';
      objects.superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
    },
    kind: 'protect',
    risk: 'low',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'a Bound pair whose volume is being deleted, with Delete, has its disk kept',
    from: 'consistent-bound',
    change: (objects) => {
      beingDeleted(objects);
      objects.superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
    },
    kind: 'protect',
    risk: 'high',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'a Bound pair whose volume failed to be deleted has its disk kept',
    from: 'consistent-bound',
    change: (objects) => {
      released(objects, 'Delete');
      objects.superVolume.status.phase = 'Failed';
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'a Released volume that does not fit its claim has its disk kept',
    from: 'claim-recreated-no-volume-name',
    change: (objects) => {
      released(objects, 'Delete');
      objects.superVolume.spec.capacity.storage = '1Mi';
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
    text: /does not fit the claim/,
  },
  {
    what: 'a binding under way to a volume whose deletion failed has its disk kept',
    from: 'binding-half-done',
    change: (objects) => {
      released(objects, 'Delete');
      objects.superVolume.status.phase = 'Failed';
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'a binding under way to a volume that is being deleted has its disk kept',
    from: 'binding-half-done',
    change: (objects) => {
      beingDeleted(objects);
      objects.superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'two volumes with the uid of the claim, with Delete, are both kept',
    from: 'volume-name-cleared',
    change: (objects) => {
      released(objects, 'Delete');
      const { superVolume } = objects;
      const metadata = { ...superVolume.metadata, name: 'pv-second', uid: 'second' };
      objects.super.push({ ...superVolume, metadata });
    },
    kind: 'protect',
    data: 'danger',
    writes: [...KEPT, ...KEPT],
    text: /Retain for volume pv-data and pv-second/,
  },
  {
    what: 'a super claim that is gone with its namespace has its volume wait for it, and kept',
    from: 'super-missing',
    change: (objects) => {
      released(objects, 'Delete');
      const place = objects.superVolume.spec.claimRef.namespace;
      const isPlace = ({ kind, metadata }: CaseObjects['superClaim']): boolean =>
        kind === 'Namespace' && metadata.name === place;
      objects.super.splice(objects.super.findIndex(isPlace), 1);
    },
    kind: 'mend',
    risk: 'high',
    data: 'danger',
    writes: ['volume /spec/claimRef/uid removed', 'volume /spec/claimRef/resourceVersion removed', ...KEPT],
    text: /The syncer makes that, and the namespace, within 60 s/,
  },
  {
    what: 'the old disk of a claim that names none, with Delete, is kept and not bound',
    from: 'claim-recreated-no-volume-name',
    change: (objects) => {
      pendingTenant(objects);
      released(objects, 'Delete');
    },
    kind: 'protect',
    data: 'danger',
    writes: KEPT,
  },
  {
    what: 'the old disk of a claim that names none, with Retain, is told of and not bound',
    from: 'claim-recreated-no-volume-name',
    change: (objects) => {
      pendingTenant(objects);
      released(objects, 'Retain');
    },
    kind: 'none',
    data: 'safe',
  },
  { what: 'a stale hold is for sync', from: 'hold-stale', kind: 'sync', data: 'safe' },
  {
    what: 'a tenant claim that lost its volumeName is mended in the tenant',
    from: 'tenant-lost',
    kind: 'mend',
    data: 'safe',
    writes: ['claim /spec/volumeName=pv-data'],
  },
];

for (const row of ROWS) {
  test(`${row.what}: ${row.kind}`, async () => {
    const explanation = await explainedCase(row.from, row.change);
    const { remedy, data } = explanation;
    assert.equal(remedy.kind, row.kind, remedy.text);
    assertGuarded(explanation);
    assert.deepEqual(writes(remedy), row.writes ?? []);
    if (row.risk !== undefined) assert.equal(remedy.risk?.level, row.risk);
    if (row.data !== undefined) assert.equal(data.state, row.data, data.text);
    if (row.text !== undefined) assert.match(remedy.text, row.text);
  });
}

test('what was set to Retain can be set back, once the volume is Bound to the claim', async () => {
  const { remedy } = await explainedCase('claim-recreated-lost', (objects) => released(objects, 'Delete'));
  assert.deepEqual(remedy.afterwards[0]?.patch, [
    { op: 'test', path: '/metadata/uid', value: '45e1455f-d6d2-5762-b7b8-25112c24f21d' },
    { op: 'test', path: '/status/phase', value: 'Bound' },
    { op: 'test', path: '/spec/claimRef/namespace', value: 'default-d3e4a5-vc-sample-1-default' },
    { op: 'test', path: '/spec/claimRef/name', value: 'data' },
    { op: 'test', path: '/spec/claimRef/uid', value: '324844ec-9d53-5b3e-af32-70f19f7b8fc2' },
    { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
  ]);
});

test('a tenant that names the volume of another tenant gets no command for it, in any state of its claim', async () => {
  for (const from of [
    'volume-name-cleared',
    'claim-recreated-pending',
    'claim-recreated-no-volume-name',
    'super-missing',
  ]) {
    const { remedy } = await explainedCase(from, ({ tenantClaim, superVolume, super: objects }) => {
      tenantClaim.spec.volumeName = 'pv-of-another';
      const metadata = { ...superVolume.metadata, name: 'pv-of-another', uid: 'u2' };
      const claimRef = { namespace: 'another-tenant', name: 'data', uid: 'u3' };
      objects.push({ ...superVolume, metadata, spec: { ...superVolume.spec, claimRef } });
    });
    assert.ok(
      remedy.steps.every(
        ({ name, patch }) => name !== 'pv-of-another' && !JSON.stringify(patch).includes('pv-of-another'),
      ),
      from,
    );
  }
});

test('a claim that names no volume is told of the data of an earlier one, and not called fine', async () => {
  const change = (objects: CaseObjects): void => {
    pendingTenant(objects);
    released(objects, 'Retain');
  };
  const { data, super: superClaim, chain } = await explainedCase('claim-recreated-no-volume-name', change);
  assert.equal(superClaim?.phase, 'Pending');
  assert.match(data.text, /pv-data .* is Released, reclaim policy Retain.*data of an earlier claim/);
  assert.equal(chain.nodes.find(({ id }) => id === 'superVolume')?.name, 'pv-data');
  assert.match(
    (await printedCase('claim-recreated-no-volume-name', change)).stdout,
    /^! Both sides read Pending/,
  );
});

test('a Bound pair whose volume is about to go is not called fine', async () => {
  const { stdout } = await printedCase('consistent-bound', (objects) => {
    beingDeleted(objects);
    objects.superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
  });
  assert.match(
    stdout,
    /^! Both sides are Bound to volume pv-data, but that is being deleted\. THE DATA IS\s+IN DANGER\. One command keeps/,
  );
  assert.doesNotMatch(stdout, /Nothing is wrong/);
});

test('a Bound pair with a broken link is not called fine', async () => {
  const { stdout } = await printedCase('consistent-bound', ({ superVolume }) => {
    superVolume.spec.claimRef.uid = 'earlier';
  });
  assert.match(stdout, /^! Both sides are Bound to volume pv-data, but the super volume's claimRef has/);
});

test('an empty claimRef names no claim, and none is said to be gone', async () => {
  const { stdout } = await printedCase('claim-recreated-lost', ({ superVolume }) => {
    superVolume.spec.claimRef = {};
  });
  assert.match(stdout, /the super volume's claimRef names no claim/);
  assert.match(stdout, /The claimRef of volume pv-data names no claim\./);
  assert.doesNotMatch(stdout, / \/ |another claim, |<none>\/<none>|\/ is gone/);
});

test('a resourceVersion that is missing is called missing', async () => {
  const { remedy } = await explainedCase('claim-recreated-lost', ({ superVolume }) => {
    delete superVolume.metadata.resourceVersion;
  });
  assert.equal(remedy.kind, 'none');
  assert.match(remedy.text, /resourceVersion of volume pv-data is missing/);
});

test('a volume that is still Bound to a claim which is gone is in danger under Delete: it is given up next', async () => {
  const { data, remedy } = await explainedCase('super-missing', ({ superVolume }) => {
    superVolume.status.phase = 'Bound';
    superVolume.spec.persistentVolumeReclaimPolicy = 'Delete';
  });
  assert.equal(data.state, 'danger');
  assert.match(
    data.text,
    /its super claim is gone, and the disk is destroyed as soon as the PV controller sees it/,
  );
  assert.match(JSON.stringify(remedy.steps), /persistentVolumeReclaimPolicy/);
});
