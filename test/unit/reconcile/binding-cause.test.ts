/**
 * Rules of the PV controller that are easily overlooked, each a state in which the real one was seen to contradict a
 * simpler rule (test/cluster/causes.test.ts draws such states by the thousand).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimFromJson, storageClassFromJson, volumeFromJson } from '../../../src/kube/objects/from-json.ts';
import { bindingCause } from '../../../src/reconcile/binding-cause.ts';
import { causeOf, NO_EVIDENCE } from '../../../src/reconcile/cause.ts';
import { volumeLookup } from '../../../src/reconcile/evidence.ts';
import type { Claim, Evidence, Volume } from '../../../src/reconcile/model.ts';

const claim = (changes: Partial<Claim> = {}): Claim => ({
  ...claimFromJson({
    metadata: { name: 'data', namespace: 'shop', uid: 'own-uid' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'local',
    },
  }),
  ...changes,
});

const volume = (changes: Partial<Volume> = {}): Volume => ({
  ...volumeFromJson({
    metadata: { name: 'disk' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, storageClassName: 'local' },
  }),
  ...changes,
});

const CLASSES = new Map(
  [
    { metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner' },
    {
      metadata: { name: 'waiting' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    { metadata: { name: 'cloud' }, provisioner: 'disks.example.com' },
  ].map((object) => [object.metadata.name, storageClassFromJson(object)]),
);

const evidenceOf = (volumes: readonly Volume[], all = true): Evidence => ({
  volumes: volumeLookup(volumes, all),
  storageClasses: CLASSES,
  namespaces: null,
});

/** The other side's claim names volume "disk". */
function causeWith(own: Claim, evidence: Evidence): string {
  return bindingCause(own, 'disk', evidence, 'super cluster').code;
}

const NAMING = { namespace: 'shop', name: 'data', uid: '' };
const STALE = { ...NAMING, uid: 'uid-before' };

const ROWS: readonly (readonly [string, Claim, Evidence, string])[] = [
  [
    'a claim without volumeName is about to be bound to the unclaimed volume that fits',
    claim(),
    evidenceOf([volume()]),
    'Rebinding',
  ],
  [
    'it is so whatever phase the volume still shows',
    claim(),
    evidenceOf([volume({ phase: 'Released' })]),
    'Rebinding',
  ],
  [
    'it is so for another volume than the one the other side names',
    claim(),
    evidenceOf([volume({ name: 'another' })]),
    'Rebinding',
  ],
  [
    'it is so for another volume that names the claim, of whatever class',
    claim({ storageClass: 'cloud' }),
    evidenceOf([volume({ name: 'another', claimRef: NAMING })]),
    'Rebinding',
  ],
  [
    'it is so although the volume of the other side has the uid of an earlier claim',
    claim(),
    evidenceOf([volume({ claimRef: STALE }), volume({ name: 'another' })]),
    'Rebinding',
  ],
  [
    'it is so even where a volume that does not fit names the claim too',
    claim(),
    evidenceOf([volume({ claimRef: NAMING, volumeMode: 'Block' }), volume({ name: 'z', claimRef: NAMING })]),
    'Rebinding',
  ],
  [
    'it is so for a claim whose class does not exist: the class is only asked when nothing fits',
    claim({ storageClass: 'absent' }),
    evidenceOf([volume({ storageClass: 'absent' })]),
    'Rebinding',
  ],
  [
    'of volumes that were not read nothing is said',
    claim(),
    evidenceOf([volume({ capacity: '1Mi' })], false),
    'NoMatchingVolume',
  ],
  [
    'an unclaimed volume of another class is not for a claim without volumeName',
    claim(),
    evidenceOf([volume({ storageClass: 'cloud' })]),
    'NoMatchingVolume',
  ],
  [
    'a class that binds on first consumer leaves unclaimed volumes to the scheduler',
    claim({ storageClass: 'waiting' }),
    evidenceOf([volume({ storageClass: 'waiting' })]),
    'WaitForFirstConsumer',
  ],
  [
    'a volume that names the claim is bound even where the class binds on first consumer',
    claim({ storageClass: 'waiting' }),
    evidenceOf([volume({ claimRef: NAMING })]),
    'Rebinding',
  ],
  [
    'where classes were not read, an unclaimed volume promises nothing',
    claim(),
    { ...evidenceOf([volume()]), storageClasses: null },
    'Undetermined',
  ],
  [
    'an unclaimed volume whose labels the selector does not select is not bound',
    claim({ selector: [{ key: 'tier', operator: 'In', values: ['gold'] }] }),
    evidenceOf([volume({ labels: new Map([['tier', 'silver']]) })]),
    'NoMatchingVolume',
  ],
  [
    'a volume that names the claim is not asked for its labels',
    claim({ selector: [{ key: 'tier', operator: 'In', values: ['gold'] }] }),
    evidenceOf([volume({ claimRef: NAMING })]),
    'Rebinding',
  ],
  [
    'a volume half a byte too small is large enough for a claim that names it',
    claim({ volumeName: 'disk' }),
    evidenceOf([volume({ capacity: '1073741823500m' })]),
    'Rebinding',
  ],
  [
    'a volume half a byte too small is too small for a claim that names none, even if it names the claim',
    claim(),
    evidenceOf([volume({ capacity: '1073741823500m', claimRef: NAMING })]),
    'NoMatchingVolume',
  ],
  [
    'a claim that is still Lost and no longer counts as bound waits for its class like any other',
    claim({ phase: 'Lost', storageClass: 'cloud' }),
    evidenceOf([]),
    'Provisioning',
  ],
  [
    'a claimRef without namespace is of another claim',
    claim({ volumeName: 'disk' }),
    evidenceOf([volume({ claimRef: { ...NAMING, namespace: '' } })]),
    'VolumeClaimedByOther',
  ],
  [
    'a claimRef with nothing in it is of another claim',
    claim({ volumeName: 'disk', bindCompleted: true }),
    evidenceOf([volume({ claimRef: { namespace: '', name: '', uid: '' } })]),
    'VolumeClaimedByOther',
  ],
  [
    'a claim that was bound before is known by uid alone, whatever name the claimRef has',
    claim({ volumeName: 'disk', bindCompleted: true }),
    evidenceOf([volume({ claimRef: { namespace: '', name: 'other', uid: 'own-uid' } })]),
    'Rebinding',
  ],
  [
    'the same uid under another name does not help a claim that was never bound',
    claim({ volumeName: 'disk' }),
    evidenceOf([volume({ claimRef: { ...NAMING, name: 'other', uid: 'own-uid' } })]),
    'VolumeClaimedByOther',
  ],
  [
    'a claimRef without uid is enough for a claim that was never bound',
    claim({ volumeName: 'disk' }),
    evidenceOf([volume({ claimRef: NAMING, storageClass: 'cloud', capacity: '1Mi' })]),
    'Rebinding',
  ],
  [
    'a claimRef without uid is not enough for a claim that was bound before',
    claim({ volumeName: 'disk', bindCompleted: true }),
    evidenceOf([volume({ claimRef: NAMING })]),
    'ClaimRefUIDMissing',
  ],
  [
    'a claim that was bound before is bound again to its unclaimed volume without asking whether it fits',
    claim({ volumeName: 'disk', bindCompleted: true }),
    evidenceOf([volume({ capacity: '1Mi', terminating: true })]),
    'Rebinding',
  ],
];

for (const [what, own, evidence, expected] of ROWS) {
  test(`${what}: ${expected}`, () => {
    assert.equal(causeWith(own, evidence), expected);
  });
}

test('a tenant claim that another volume fits does not wait for the syncer', () => {
  const codeWith = (volumes: readonly Volume[]): string | undefined => {
    const pair = {
      owner: { clusterKey: 'key', namespace: 'shop' },
      tenant: claim(),
      super: claim({ phase: 'Bound', volumeName: 'disk', bindCompleted: true }),
      superNamespace: 'key-shop',
    };
    return causeOf(pair, 'TenantNotBound', { super: NO_EVIDENCE, tenant: evidenceOf(volumes) })?.code;
  };
  assert.equal(codeWith([volume({ name: 'another', capacity: '1Mi' })]), 'TenantVolumeMissing');
  assert.equal(codeWith([volume({ name: 'another' })]), 'Rebinding');
});
