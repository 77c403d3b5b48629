/** What is left of an object whose names were replaced: nothing that might hold one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordClaim, recordStorageClass, recordVolume } from '../../../src/snapshot/record.ts';
import { redact } from '../../../src/snapshot/redact.ts';
import { RedactedNames } from '../../../src/snapshot/redacted-names.ts';

const names = new RedactedNames([]);
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('of the annotations those are left whose values are known for what they are', () => {
  const claim = recordClaim({
    metadata: {
      name: 'data',
      annotations: {
        'pv.kubernetes.io/bind-completed': 'acme',
        'tenancy.x-k8s.io/ownerReferences': '[{"name":"acme"}]',
        'tenancy.x-k8s.io/vcname': 'acme',
        'volume.kubernetes.io/selected-node': 'acme',
        'volume.kubernetes.io/storage-provisioner': 'disks.acme.example',
        'volume.beta.kubernetes.io/storage-class': '',
        'anything-else.kubernetes.io/x': 'acme',
        'anything-else.x-k8s.io/constructor': 'acme',
      },
    },
  });
  assert.deepEqual(json(redact(claim, 'tenant', names).metadata.annotations), {
    'pv.kubernetes.io/bind-completed': 'yes',
    'tenancy.x-k8s.io/vcname': names.virtualClusterName('acme'),
    'volume.kubernetes.io/selected-node': names.node('acme'),
    'volume.kubernetes.io/storage-provisioner': names.provisioner('disks.acme.example'),
    'volume.beta.kubernetes.io/storage-class': '',
  });
});

test("of the conditions Kubernetes' and our own are left, without their messages", () => {
  const condition = (type: string, reason: string): object => ({
    type,
    reason,
    status: 'False',
    message: 'acme is full',
    lastTransitionTime: '2026-11-01T09:00:00Z',
  });
  const claim = recordClaim({
    metadata: { name: 'data' },
    status: {
      conditions: [
        condition('tenancy.x-k8s.io/SuperClaimBound', 'ClaimRefStale'),
        condition('Resizing', 'acme: full'),
        condition('acme.example/Checked', 'No'),
      ],
    },
  });
  const left = { status: 'False', lastTransitionTime: '2026-11-01T09:00:00Z' };
  assert.deepEqual(json(redact(claim, 'tenant', names).status.conditions), [
    { ...left, type: 'tenancy.x-k8s.io/SuperClaimBound', reason: 'ClaimRefStale' },
    { ...left, type: 'Resizing' },
  ]);
});

test('a foreign finalizer is left as one, without its name', () => {
  const volume = recordVolume({
    metadata: {
      name: 'disk',
      finalizers: ['kubernetes.io/pv-protection', 'external-attacher/disks-acme-example'],
    },
    spec: { csi: { driver: 'disks.acme.example' }, hostPath: { path: '/acme' } },
  });
  const { metadata, spec } = redact(volume, 'super', names);
  assert.deepEqual(metadata.finalizers, ['kubernetes.io/pv-protection', 'redacted']);
  assert.deepEqual(json(spec), { csi: { driver: names.provisioner('disks.acme.example') }, hostPath: {} });
});

test("a class's provisioner has the name that a volume's driver has", () => {
  const storageClass = recordStorageClass({ metadata: { name: 'fast' }, provisioner: 'disks.acme.example' });
  assert.equal(redact(storageClass, 'super', names).provisioner, names.provisioner('disks.acme.example'));
});

test('a claim that selected a volume by labels still does', () => {
  const claim = recordClaim({
    metadata: { name: 'data' },
    spec: {
      selector: {
        matchLabels: { tier: 'gold' },
        matchExpressions: [
          { key: 'zone', operator: 'NotIn', values: ['a', ''] },
          { key: 'zone', operator: 'acme', values: [] },
        ],
      },
    },
  });
  const volume = recordVolume({ metadata: { name: 'disk', labels: { tier: 'gold', zone: '' } } });
  const label = (text: string): string => names.label(text);
  assert.deepEqual(redact(volume, 'super', names).metadata.labels, {
    [label('tier')]: label('gold'),
    [label('zone')]: '',
  });
  assert.deepEqual(json(redact(claim, 'super', names).spec.selector), {
    matchLabels: { [label('tier')]: label('gold') },
    matchExpressions: [
      { key: label('zone'), operator: 'NotIn', values: [label('a'), ''] },
      { key: label('zone'), operator: '' },
    ],
  });
});

test("a tenant's server gets no text of its own into any field that knows but a few words", () => {
  const ACME = 'acme wrote this';
  const metadata = {
    name: 'data',
    creationTimestamp: ACME,
    deletionTimestamp: ACME,
    resourceVersion: ACME,
    finalizers: ['kubernetes.io/acme', 'kubernetes.io/pvc-protection'],
  };
  const condition = { type: 'Unused', reason: 'Acme', status: ACME, lastTransitionTime: ACME };
  const claim = recordClaim({
    metadata,
    spec: { accessModes: [ACME], volumeMode: ACME, resources: { requests: { storage: ACME } } },
    status: {
      phase: 'Acme',
      accessModes: [ACME],
      capacity: { storage: ACME },
      conditions: [condition, { ...condition, type: 'AcmeWroteThis' }],
    },
  });
  const volume = recordVolume({
    metadata,
    spec: {
      accessModes: [ACME],
      volumeMode: ACME,
      capacity: { storage: ACME },
      persistentVolumeReclaimPolicy: ACME,
      claimRef: { kind: ACME, apiVersion: ACME, resourceVersion: ACME, name: 'data' },
      csi: { driver: 'kubernetes.io/acme' },
    },
    status: { phase: 'Acme' },
  });
  const storageClass = recordStorageClass({
    metadata,
    provisioner: 'kubernetes.io/acme',
    reclaimPolicy: ACME,
    volumeBindingMode: ACME,
  });
  for (const object of [claim, volume, storageClass]) {
    assert.doesNotMatch(JSON.stringify(redact(object, 'tenant', names)), /acme/i);
  }
  const redacted = redact(claim, 'tenant', names);
  const { spec, status } = redact(volume, 'tenant', names);
  assert.deepEqual(redacted.metadata.finalizers, ['redacted', 'kubernetes.io/pvc-protection']);
  assert.equal(redacted.metadata.deletionTimestamp, '1970-01-01T00:00:00Z');
  assert.deepEqual(json(redacted.status.conditions), [
    { type: 'Unused', lastTransitionTime: '1970-01-01T00:00:00Z' },
  ]);
  assert.deepEqual(
    [redacted.spec.accessModes, redacted.spec.volumeMode, redacted.status.phase],
    [spec.accessModes, spec.volumeMode, status.phase],
  );
  assert.deepEqual(json(spec.claimRef), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: names.claim('data'),
    resourceVersion: redacted.metadata.resourceVersion,
  });
});

test('what Kubernetes writes by itself stays as it is', () => {
  const metadata = { creationTimestamp: '2026-11-01T09:00:00Z', resourceVersion: '7' };
  const claim = redact(
    recordClaim({
      metadata,
      spec: {
        accessModes: ['ReadWriteOncePod'],
        volumeMode: 'Block',
        resources: { requests: { storage: '1.5Gi' } },
      },
      status: {
        phase: 'Lost',
        conditions: [{ type: 'Unused', status: 'True', reason: 'NoPodsUsingPVC' }],
      },
    }),
    'tenant',
    names,
  );
  assert.deepEqual(json(claim), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, name: '' },
    spec: {
      accessModes: ['ReadWriteOncePod'],
      volumeMode: 'Block',
      resources: { requests: { storage: '1.5Gi' } },
    },
    status: { phase: 'Lost', conditions: [{ type: 'Unused', status: 'True', reason: 'NoPodsUsingPVC' }] },
  });
});
