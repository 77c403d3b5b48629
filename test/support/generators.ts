/** fast-check generators of the core's objects: few values each, so that they often coincide. */
import fc from 'fast-check';
import type { Claim, ClaimRef, Evidence, Pair, StorageClass, Volume } from '../../src/reconcile/model.ts';
import { namespaceLookup, volumeLookup } from '../../src/reconcile/evidence.ts';
import type { EvidenceOfBoth } from '../../src/reconcile/cause.ts';

export const OWNER = { clusterKey: 'team-a1b2c3-vc', namespace: 'shop' };
export const SUPER_NAMESPACE = 'team-a1b2c3-vc-shop';
const uid = fc.constantFrom('uid-1', 'uid-2', 'uid-3', '');
const phase = fc.constantFrom('Bound', 'Pending', 'Lost', 'Resizing');
const volumeName = fc.constantFrom('', 'volume-1', 'volume-2');
const className = fc.constantFrom('', 'local', 'waiting', 'cloud', 'absent');
const size = fc.constantFrom('', '1Gi', '2Gi', '1G', '1e3', 'nonsense');
const accessModes = fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany']);
const volumeMode = fc.constantFrom('Filesystem', 'Block');

export const claimIn = (namespace: string): fc.Arbitrary<Claim> =>
  fc.record({
    namespace: fc.constant(namespace),
    name: fc.constant('data'),
    uid,
    resourceVersion: fc.constant('7'),
    creationTimestamp: fc.constantFrom(0, 1_000_000),
    terminating: fc.boolean(),
    phase,
    volumeName,
    bindCompleted: fc.boolean(),
    nodeSelected: fc.boolean(),
    storageClass: className,
    volumeAttributesClass: fc.constantFrom('', 'gold'),
    volumeMode,
    accessModes,
    requestedStorage: size,
    selector: fc.constantFrom([], [{ key: 'tier', operator: 'In', values: ['gold'] }]),
    owner: fc.constantFrom(null, OWNER, { clusterKey: 'other', namespace: 'shop' }),
    ownerUid: uid,
    held: fc.boolean(),
  });

const claimRef: fc.Arbitrary<ClaimRef> = fc.record({
  namespace: fc.constantFrom('shop', SUPER_NAMESPACE, 'other', ''),
  name: fc.constantFrom('data', 'other', ''),
  uid,
});

const volume = (name: string): fc.Arbitrary<Volume> =>
  fc.record({
    name: fc.constant(name),
    uid: fc.constant(`uid-of-${name}`),
    resourceVersion: fc.constant('9'),
    terminating: fc.boolean(),
    labels: fc.constantFrom(new Map(), new Map([['tier', 'gold']])),
    phase: fc.constantFrom('Available', 'Bound', 'Released', 'Failed', 'Pending'),
    claimRef: fc.option(claimRef),
    storageClass: className,
    volumeAttributesClass: fc.constantFrom('', 'gold'),
    volumeMode,
    accessModes,
    capacity: size,
    reclaimPolicy: fc.constantFrom('Retain', 'Delete'),
  });

const CLASSES: readonly StorageClass[] = [
  { name: 'local', provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'Immediate' },
  { name: 'waiting', provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
  { name: 'cloud', provisioner: 'disks.example.com', volumeBindingMode: 'Immediate' },
];

const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    first: fc.option(volume('volume-1')),
    second: fc.option(volume('volume-2')),
    all: fc.boolean(),
    read: fc.boolean(),
    classesRead: fc.boolean(),
    namespace: fc.constantFrom(null, 'none', 'marked', 'named'),
  })
  .map(({ first, second, all, read, classesRead, namespace }) => ({
    volumes: read
      ? volumeLookup(
          [first, second].filter((one) => one !== null),
          all,
        )
      : null,
    storageClasses: classesRead ? new Map(CLASSES.map((one) => [one.name, one])) : null,
    namespaces:
      namespace === null
        ? null
        : namespaceLookup(
            namespace === 'none'
              ? []
              : [
                  {
                    name: namespace === 'named' ? SUPER_NAMESPACE : 'x',
                    owner: namespace === 'marked' ? OWNER : null,
                  },
                ],
          ),
  }));

export const evidenceOfBoth: fc.Arbitrary<EvidenceOfBoth> = fc.record({ tenant: evidence, super: evidence });

export const pair: fc.Arbitrary<Pair> = fc
  .record({
    tenant: fc.option(claimIn('shop'), { freq: 12 }),
    super: fc.option(claimIn(SUPER_NAMESPACE), { freq: 6 }),
  })
  .filter((sides) => sides.tenant !== null || sides.super !== null)
  .map((sides) => ({ owner: OWNER, superNamespace: SUPER_NAMESPACE, ...sides }));
