/** fast-check generators of whole fleets, as API servers hold them: few names, so that they often coincide. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { superNamespaceName } from '../../src/reconcile/mapping.ts';
import type { Json } from '../control-plane/api.ts';
import type { FleetObjects } from './fake-fleet.ts';

const SHORT = ['shop', 'default', 'kube-system'];
const LONG = ['analytics-warehouse-staging-of-the-whole-company', 'analytics-warehouse-staging-of-nobody'];
const tenantNamespace = fc.constantFrom(...SHORT, ...LONG);
const claimName = fc.constantFrom('cart-db', 'orders-0');
const UIDS = Array.from({ length: 6 }, (_, index) => `7374a172-c35d-45b1-9c8e-bf5c5b6149${index}7`);
const uid = fc.constantFrom(...UIDS, 'uid-of-before', '');
const volumeName = fc.constantFrom(
  undefined,
  '',
  'disk-of-cart',
  ...UIDS.slice(0, 2).map((one) => `pvc-${one}`),
);
const className = fc.constantFrom(undefined, '', 'fast-ssd', 'no-such-class');
const time = fc.constantFrom('2026-11-01T08:00:00Z', '2026-11-02T09:00:00Z');
const phase = fc.constantFrom(undefined, 'Bound', 'Pending', 'Lost');
const sometimes = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

const TENANTS = [
  { namespace: 'default', name: 'first-tenant' },
  { namespace: 'payments-team', name: 'production-eu-west-1-with-a-long-name' },
  { namespace: 'b', name: 'x' },
] as const;

interface Tenant {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly phase: string | undefined;
  readonly clusterNamespace: string | undefined;
  readonly key: string;
}

const tenant = (index: number): fc.Arbitrary<Tenant> =>
  fc
    .record({
      kind: fc.constantFrom('none', 'computed', 'own'),
      phase: fc.constantFrom('Running', 'Running', 'Pending'),
    })
    .map(({ kind, phase: state }) => {
      const { namespace, name } = TENANTS[index] ?? TENANTS[0];
      const own = `0ffb6d29-4cd8-5d09-9400-71fd5b7bd2b${index}`;
      const digest = createHash('sha256').update(own).digest('hex').slice(0, 6);
      const computed = `${namespace}-${digest}-${name}`;
      const key = kind === 'own' ? `root-of-${name}` : computed;
      return {
        namespace,
        name,
        uid: own,
        phase: state,
        key,
        clusterNamespace: kind === 'none' ? undefined : key,
      };
    });

/** Annotations that may hold anything go with those that are needed. */
const annotations = (marks: Json): fc.Arbitrary<Json> =>
  fc
    .record({
      bound: fc.boolean(),
      node: fc.boolean(),
      betaClass: sometimes(fc.constantFrom('', 'fast-ssd')),
      provisioner: sometimes(fc.constantFrom('kubernetes.io/no-provisioner', 'disks.acme.example')),
      marked: fc.boolean(),
    })
    .map(({ bound, node, betaClass, provisioner, marked }) => ({
      ...(bound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}),
      ...(node ? { 'volume.kubernetes.io/selected-node': 'node-of-acme' } : {}),
      ...(betaClass === undefined ? {} : { 'volume.beta.kubernetes.io/storage-class': betaClass }),
      ...(provisioner === undefined ? {} : { 'pv.kubernetes.io/provisioned-by': provisioner }),
      ...(marked ? marks : {}),
      'acme.example/owner': 'somebody@acme.example',
    }));

const condition = fc.record({
  type: fc.constantFrom('tenancy.x-k8s.io/SuperClaimBound', 'Resizing', 'acme.example/Checked'),
  status: fc.constantFrom('False', 'True'),
  reason: fc.constantFrom('ClaimRefStale', 'Resizing'),
  message: fc.constant('super claim of acme is Lost'),
  lastTransitionTime: time,
});

const labels = fc.constantFrom(
  undefined,
  { tier: 'gold-of-acme' },
  { tier: 'silver-of-acme', 'acme.example/disk': '' },
);
const selector = fc.record({
  matchLabels: labels,
  matchExpressions: sometimes(
    fc.array(
      fc.record({
        key: fc.constantFrom('tier', 'acme.example/disk'),
        operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: fc.constantFrom([], ['gold-of-acme'], ['silver-of-acme', '']),
      }),
      { maxLength: 1 },
    ),
  ),
});

const claim = (namespace: string, marks: (claimName: string) => Json): fc.Arbitrary<Json> =>
  fc
    .record({
      name: claimName,
      uid,
      creationTimestamp: time,
      deletionTimestamp: sometimes(time),
      finalizers: sometimes(fc.constant(['kubernetes.io/pvc-protection', 'acme.example/backup'])),
      volumeName,
      storageClassName: className,
      storage: fc.constantFrom('1Gi', '2Gi'),
      selector: fc.option(selector, { nil: undefined, freq: 1 }),
      phase,
      conditions: fc.option(fc.array(condition, { maxLength: 2 }), { nil: undefined }),
    })
    .chain((one) =>
      annotations(marks(one.name)).map((all) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          namespace,
          name: one.name,
          uid: one.uid,
          resourceVersion: '7',
          creationTimestamp: one.creationTimestamp,
          deletionTimestamp: one.deletionTimestamp,
          finalizers: one.finalizers,
          annotations: all,
        },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: one.storage } },
          selector: one.selector,
          storageClassName: one.storageClassName,
          volumeName: one.volumeName,
        },
        status: { phase: one.phase, conditions: one.conditions },
      })),
    );

const volumes = (namespaces: readonly string[]): fc.Arbitrary<readonly Json[]> =>
  fc.uniqueArray(
    fc
      .record({
        name: volumeName.filter((name) => name !== undefined && name !== ''),
        uid,
        claimRef: fc.option(
          fc.record({ namespace: fc.constantFrom('elsewhere', ...namespaces), name: claimName, uid }),
        ),
        phase: fc.constantFrom('Bound', 'Released', 'Available'),
        storageClassName: className,
        deletionTimestamp: sometimes(time),
        labels,
      })
      .map((one) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: {
          name: one.name,
          uid: one.uid,
          resourceVersion: '9',
          deletionTimestamp: one.deletionTimestamp,
          labels: one.labels,
        },
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          claimRef: one.claimRef ?? undefined,
          csi: { driver: 'disks.acme.example', volumeHandle: 'handle-of-acme' },
          storageClassName: one.storageClassName,
        },
        status: { phase: one.phase },
      })),
    { selector: ({ metadata }) => metadata.name, maxLength: 3 },
  );

const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast-ssd', uid: 'uid-of-fast-ssd' },
  provisioner: 'disks.acme.example',
  parameters: { 'csi.storage.k8s.io/provisioner-secret-name': 'secret-of-acme' },
};

/** Claims of the given namespaces, each place at most once. */
const claims = (
  places: readonly { readonly namespace: string; readonly marks: (name: string) => Json }[],
): fc.Arbitrary<readonly Json[]> =>
  places.length === 0
    ? fc.constant([])
    : fc.uniqueArray(
        fc.constantFrom(...places).chain(({ namespace, marks }) => claim(namespace, marks)),
        {
          selector: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
          maxLength: 8,
        },
      );

/** A fleet of one to three VirtualClusters. */
export const fleet: fc.Arbitrary<FleetObjects> = fc
  .integer({ min: 1, max: 3 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => tenant(index))))
  .chain((tenants) =>
    fc
      .record({
        namespaces: fc.array(tenantNamespace, { minLength: 1, maxLength: 3 }),
        there: fc.array(fc.constantFrom('absent', 'marked', 'unmarked'), { minLength: 9, maxLength: 9 }),
      })
      .chain(({ namespaces, there }) => fleetOf(tenants, [...new Set(namespaces)], there)),
  );

function fleetOf(
  tenants: readonly Tenant[],
  namespaces: readonly string[],
  there: readonly string[],
): fc.Arbitrary<FleetObjects> {
  const places = tenants.flatMap((one) =>
    namespaces.map((namespace) => ({
      namespace: superNamespaceName(one.key, namespace),
      annotations: {
        'tenancy.x-k8s.io/cluster': one.key,
        'tenancy.x-k8s.io/namespace': namespace,
        'tenancy.x-k8s.io/vcname': one.name,
        'tenancy.x-k8s.io/vcnamespace': one.namespace,
      },
    })),
  );
  const superNamespaces = places.flatMap(({ namespace: name, annotations: marks }, index) => {
    const metadata = { name, uid: `uid-of-${name}` };
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata };
    if (there[index] === 'absent') return [];
    return [
      there[index] === 'unmarked' ? object : { ...object, metadata: { ...metadata, annotations: marks } },
    ];
  });
  // A claim without its namespace no API server has.
  const existing = places.filter((_, index) => there[index] !== 'absent');
  return fc
    .record({
      superClaims: claims(
        existing.map(({ namespace, annotations: marks }) => ({
          namespace,
          // The uid that a claim of this name has in most tenants.
          marks: () => ({ ...marks, 'tenancy.x-k8s.io/uid': UIDS[0] }),
        })),
      ),
      superVolumes: volumes(places.map(({ namespace }) => namespace)),
      tenants: fc.tuple(
        ...tenants.map(() =>
          fc.tuple(
            claims(namespaces.map((namespace) => ({ namespace, marks: () => ({}) }))),
            volumes(namespaces),
          ),
        ),
      ),
    })
    .map((parts) => ({
      super: [
        ...tenants.map(({ namespace, name, uid: own, phase: state, clusterNamespace }) => ({
          apiVersion: 'tenancy.x-k8s.io/v1alpha1',
          kind: 'VirtualCluster',
          metadata: {
            namespace,
            name,
            uid: own,
            annotations: { 'tenancy.x-k8s.io/admin-kubeconfig': 'a2V5LW9mLWFjbWU=' },
          },
          status: { phase: state, clusterNamespace },
        })),
        ...superNamespaces,
        CLASS,
        ...parts.superClaims,
        ...parts.superVolumes,
      ],
      tenants: Object.fromEntries(
        tenants.map(({ namespace, name }, index) => [
          `${namespace}/${name}`,
          [CLASS, ...(parts.tenants[index]?.flat() ?? [])],
        ]),
      ),
    }));
}
