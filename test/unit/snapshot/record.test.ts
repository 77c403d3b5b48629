/** What a recording keeps: everything that a verdict or a cause depends on, and nothing that may be secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  claimFromJson,
  namespaceFromJson,
  storageClassFromJson,
  volumeFromJson,
} from '../../../src/kube/objects/from-json.ts';
import { virtualClusterFromJson } from '../../../src/kube/objects/from-json.ts';
import {
  recordClaim,
  recordNamespace,
  recordStorageClass,
  recordVirtualCluster,
  recordVolume,
} from '../../../src/snapshot/record.ts';
import type { RecordedObject } from '../../../src/snapshot/recorded.ts';
import { fleet } from '../../support/fleet-generator.ts';

const KINDS: Readonly<
  Record<string, { record: (value: unknown) => RecordedObject; model: (value: unknown) => unknown }>
> = {
  PersistentVolumeClaim: { record: recordClaim, model: claimFromJson },
  PersistentVolume: { record: recordVolume, model: volumeFromJson },
  StorageClass: { record: recordStorageClass, model: storageClassFromJson },
  Namespace: { record: recordNamespace, model: namespaceFromJson },
};

test('the core sees in a recorded object what it sees in the whole one', () => {
  fc.assert(
    fc.property(fleet, ({ super: superObjects, tenants }) => {
      for (const object of [...superObjects, ...Object.values(tenants).flat()]) {
        const kind = KINDS[object.kind];
        if (kind === undefined) continue;
        const recorded: unknown = JSON.parse(JSON.stringify(kind.record(object)));
        assert.deepEqual(kind.model(recorded), kind.model(object));
      }
    }),
    { numRuns: 500 },
  );
});

test('an object of any shape is recorded without an error, as the core sees it', () => {
  // Times are left out: an API server sends them as texts, or not at all.
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (metadata, spec, status) => {
      for (const { record, model } of Object.values(KINDS)) {
        for (const object of [
          { metadata, spec, status },
          {
            metadata: { name: metadata, annotations: metadata, labels: status, finalizers: spec },
            spec: { claimRef: spec },
            status,
          },
          {
            spec: { accessModes: spec, resources: { requests: { storage: status } } },
            status: { conditions: status },
          },
          metadata,
        ]) {
          assert.deepEqual(model(JSON.parse(JSON.stringify(record(object)))), model(object));
        }
      }
    }),
    { numRuns: 2000 },
  );
});

const SECRET = 'hunter2';
const EVERYWHERE = {
  metadata: {
    name: 'data',
    namespace: 'shop',
    labels: { password: SECRET },
    managedFields: [{ manager: SECRET }],
    ownerReferences: [{ name: SECRET }],
    generateName: SECRET,
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': SECRET,
      'tenancy.x-k8s.io/admin-kubeconfig': SECRET,
      'tenancy.x-k8s.io/secret.admin-kubeconfig': SECRET,
      'volume.kubernetes.io/provisioner-deletion-secret-name': SECRET,
      'acme.example/token': SECRET,
      'evil-kubernetes.io.example/x': SECRET,
      plain: SECRET,
      'pv.kubernetes.io/bind-completed': 'yes',
    },
  },
  spec: {
    claimRef: { name: 'data', fieldPath: SECRET },
    csi: {
      driver: 'disks.example',
      volumeHandle: SECRET,
      volumeAttributes: { key: SECRET },
      nodeStageSecretRef: { name: SECRET },
    },
    hostPath: { path: SECRET },
    rbd: { keyring: SECRET },
    mountOptions: [SECRET],
    nodeAffinity: { required: SECRET },
    dataSource: { name: SECRET },
    clusterVersionName: SECRET,
  },
  status: { phase: 'Bound', message: SECRET, reason: SECRET, resizeStatus: SECRET },
  parameters: { adminSecretName: SECRET },
  mountOptions: [SECRET],
  data: { kubeconfig: SECRET },
};

test('nothing is kept of labels, foreign annotations, credentials, parameters and where a disk is', () => {
  for (const { record } of Object.values(KINDS)) {
    assert.doesNotMatch(JSON.stringify(record(EVERYWHERE)), new RegExp(SECRET));
  }
  const virtualCluster = recordVirtualCluster(virtualClusterFromJson(EVERYWHERE));
  assert.doesNotMatch(JSON.stringify(virtualCluster), new RegExp(SECRET));
});

test('an annotation is kept by its whole name alone, whatever domain it is of', () => {
  const kept = {
    'pv.kubernetes.io/bound-by-controller': 'yes',
    'pv.kubernetes.io/migrated-to': 'disks.example',
    'pv.kubernetes.io/provisioned-by': 'disks.example',
    'tenancy.x-k8s.io/cluster': 'team-b-aa5a72-staging',
    'tenancy.x-k8s.io/vcname': 'staging',
    'volume.beta.kubernetes.io/storage-class': 'fast',
    'volume.kubernetes.io/selected-node': 'node-1',
  };
  const annotations = {
    ...kept,
    'acme-k8s.io/passphrase': SECRET,
    'foo.x-k8s.io/bind-completed': SECRET,
    'kubectl.kubernetes.io/env': SECRET,
    'meta.kubernetes.io/copy': SECRET,
    'tenancy.x-k8s.io/admin-kubeconfig': SECRET,
    'tenancy.x-k8s.io/note': SECRET,
    'volume.kubernetes.io/passphrase': SECRET,
    'volume.kubernetes.io/provisioner-deletion-secret-namespace': SECRET,
  };
  for (const record of [recordClaim, recordVolume, recordStorageClass]) {
    assert.deepEqual(record({ metadata: { name: 'data', annotations } }).metadata.annotations, kept);
  }
  assert.deepEqual(recordNamespace({ metadata: { name: 'shop', annotations } }).metadata.annotations, {
    'tenancy.x-k8s.io/cluster': 'team-b-aa5a72-staging',
    'tenancy.x-k8s.io/vcname': 'staging',
  });
});

test("a condition's message is kept of our own alone", () => {
  const condition = (type: string, message: string): object => ({
    type,
    status: 'True',
    reason: 'R',
    message,
  });
  const ours = condition('tenancy.x-k8s.io/SuperClaimBound', 'the super claim is not Bound');
  const claim = recordClaim({
    metadata: { name: 'data' },
    status: {
      conditions: [ours, condition('ControllerResizeError', SECRET), condition('acme.example/X', SECRET)],
    },
  });
  assert.deepEqual(JSON.parse(JSON.stringify(claim.status.conditions)), [
    ours,
    { type: 'ControllerResizeError', status: 'True', reason: 'R' },
    { type: 'acme.example/X', status: 'True', reason: 'R' },
  ]);
});

test("a claim keeps its lifecycle, its wishes, Kubernetes' annotations and its conditions", () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'tenancy.x-k8s.io/uid': 'u' },
      creationTimestamp: '2026-11-01T08:00:00Z',
      deletionTimestamp: '2026-11-02T08:00:00Z',
      finalizers: ['kubernetes.io/pvc-protection'],
      name: 'data',
      namespace: 'shop',
      resourceVersion: '7',
      uid: 'u-1',
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      selector: {
        matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold'] }],
        matchLabels: { 'example.com/disk': 'fast' },
      },
      storageClassName: '',
      volumeAttributesClassName: 'gold',
      volumeMode: 'Block',
      volumeName: 'pv',
    },
    status: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      conditions: [
        {
          lastTransitionTime: '2026-11-01T09:00:00Z',
          message: 'm',
          reason: 'r',
          status: 'False',
          type: 'tenancy.x-k8s.io/SuperClaimBound',
        },
      ],
      phase: 'Pending',
    },
  };
  assert.deepEqual(JSON.parse(JSON.stringify(recordClaim(claim))), claim);
});

test('of labels only those are kept by which a claim may select a volume', () => {
  const labels = { tier: 'gold' };
  const labelsOf = (claimRef: object | null): unknown => {
    const record = recordVolume({ metadata: { name: 'disk', labels }, spec: { claimRef } });
    return record.metadata.labels;
  };
  assert.deepEqual(labelsOf(null), labels);
  assert.equal(labelsOf({ name: 'data' }), undefined);
});

test("of a volume's source the kind is kept, and a CSI driver's name", () => {
  const { spec } = JSON.parse(JSON.stringify(recordVolume(EVERYWHERE))) as { spec: unknown };
  assert.deepEqual(spec, {
    claimRef: { name: 'data' },
    csi: { driver: 'disks.example' },
    hostPath: {},
    rbd: {},
  });
});
