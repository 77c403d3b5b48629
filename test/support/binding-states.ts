/**
 * Random states of a claim, its volumes and its class, as fast-check draws them: what each is in words that do not
 * depend on names, so that many states can stand side by side in one cluster. Few values each, so that they coincide.
 */
import fc from 'fast-check';

/** Whom a volume's claimRef names; each by namespace, name and uid unless it says otherwise. */
export type ClaimRefKind =
  | 'nobody'
  | 'the claim'
  | 'the claim without uid'
  | 'the claim before'
  | 'the claim without namespace'
  | 'the name of the claim alone'
  | 'nothing at all'
  | 'an absent claim'
  | 'an absent claim without uid'
  | 'an absent claim with the uid of the claim'
  | 'a rival that is bound';

/** Where a class is named: in the spec, in the beta annotation that wins over it, or nowhere. */
export type ClassKind = 'own' | 'own by annotation' | 'none by annotation' | 'another' | 'empty' | 'absent';

export interface VolumeState {
  readonly claimRef: ClaimRefKind;
  readonly storageClass: ClassKind;
  readonly attributesClass: boolean;
  readonly block: boolean;
  readonly accessModes: readonly string[];
  readonly capacity: string;
  readonly reclaimPolicy: string;
  readonly phase: string;
  readonly terminating: boolean;
  readonly boundByController: boolean;
  readonly tier: string;
  /** To a node that does not exist: the scheduler would mind. */
  readonly nodeAffinity: boolean;
}

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

export interface ClaimState {
  readonly phase: string;
  readonly volumeName: 'first' | 'absent' | 'none';
  readonly bindCompleted: boolean;
  /** Of the annotations that count by being there. */
  readonly annotationValue: string;
  readonly boundByController: boolean;
  readonly nodeSelected: boolean;
  readonly storageClass: ClassKind;
  readonly attributesClass: boolean;
  readonly block: boolean;
  readonly accessModes: readonly string[];
  readonly requested: string;
  readonly selector: Selector | null;
}

export interface BindingState {
  readonly claim: ClaimState;
  readonly first: VolumeState | null;
  readonly second: VolumeState | null;
  /** The class that `own` names; null where it does not exist. */
  readonly class: { readonly provisioner: string; readonly volumeBindingMode: string } | null;
  /** What the claim on the other side has as volumeName. */
  readonly otherSide: 'first' | 'second' | 'absent' | 'none';
  /** What keeps a claim that names neither volume nor class from other states' volumes. */
  readonly apart: 'selector' | 'attributes class' | 'size';
}

/**
 * @param count how many states
 * @param seed the same seed gives the same states
 */
export function bindingStates(count: number, seed: number): BindingState[] {
  return fc.sample(state, { numRuns: count, seed });
}

function weighted<T>(...choices: readonly (readonly [number, T])[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

const seldom = weighted([7, false], [1, true]);
const accessModes = weighted<readonly string[]>(
  [6, ['ReadWriteOnce']],
  [2, ['ReadWriteOnce', 'ReadOnlyMany']],
  [1, ['ReadWriteMany']],
  [1, ['ReadWriteOncePod']],
);
/** The third is half a byte short of the first: equal once it is rounded up. */
const size = weighted([5, '1Gi'], [2, '2Gi'], [2, '1073741823500m'], [1, '1G']);
const storageClass = weighted<ClassKind>(
  [10, 'own'],
  [1, 'own by annotation'],
  [1, 'none by annotation'],
  [1, 'another'],
  [1, 'empty'],
  [1, 'absent'],
);
const otherSide = weighted<BindingState['otherSide']>(
  [7, 'first'],
  [1, 'second'],
  [1, 'absent'],
  [1, 'none'],
);

const volume: fc.Arbitrary<VolumeState> = fc.record({
  claimRef: weighted<ClaimRefKind>(
    [6, 'nobody'],
    [4, 'the claim'],
    [3, 'the claim without uid'],
    [3, 'the claim before'],
    [1, 'the claim without namespace'],
    [1, 'the name of the claim alone'],
    [1, 'nothing at all'],
    [1, 'an absent claim'],
    [1, 'an absent claim without uid'],
    [1, 'an absent claim with the uid of the claim'],
    [1, 'a rival that is bound'],
  ),
  storageClass,
  attributesClass: seldom,
  block: seldom,
  accessModes,
  capacity: size,
  reclaimPolicy: weighted([3, 'Retain'], [1, 'Delete'], [1, 'Recycle']),
  phase: weighted([3, 'Available'], [2, 'Bound'], [2, 'Released'], [1, 'Failed'], [1, 'Pending']),
  terminating: seldom,
  boundByController: fc.boolean(),
  tier: fc.constantFrom('gold', 'silver', ''),
  nodeAffinity: seldom,
});

/** What the claim names, and whether it counts as bound before: the two that most depends on. */
const naming = weighted<Pick<ClaimState, 'volumeName' | 'bindCompleted'>>(
  [5, { volumeName: 'first', bindCompleted: false }],
  [5, { volumeName: 'first', bindCompleted: true }],
  [1, { volumeName: 'absent', bindCompleted: false }],
  [1, { volumeName: 'absent', bindCompleted: true }],
  [10, { volumeName: 'none', bindCompleted: false }],
  [1, { volumeName: 'none', bindCompleted: true }],
);

const selector = weighted<Selector | null>(
  [8, null],
  [1, {}],
  [1, { matchLabels: { tier: 'gold' } }],
  [1, { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold', 'silver'] }] }],
  [1, { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] }],
  [1, { matchLabels: { tier: 'silver' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] }],
  [1, { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }],
);

const claim: fc.Arbitrary<ClaimState> = fc
  .record({
    naming,
    phase: weighted([6, 'Pending'], [4, 'Lost'], [1, 'Bound'], [1, 'Odd']),
    annotationValue: fc.constantFrom('yes', ''),
    boundByController: fc.boolean(),
    nodeSelected: weighted([3, false], [1, true]),
    storageClass,
    attributesClass: seldom,
    block: seldom,
    accessModes,
    requested: size,
    selector,
  })
  .map(({ naming: names, ...rest }) => ({ ...names, ...rest }));

const state: fc.Arbitrary<BindingState> = fc.record({
  claim,
  first: fc.option(volume, { freq: 7 }),
  second: weighted([3, false], [1, true]).chain((present) => (present ? volume : fc.constant(null))),
  class: weighted<BindingState['class']>(
    [3, { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'Immediate' }],
    [2, { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' }],
    [2, { provisioner: 'disks.example.com', volumeBindingMode: 'Immediate' }],
    [2, { provisioner: 'disks.example.com', volumeBindingMode: 'WaitForFirstConsumer' }],
    [1, { provisioner: 'kubernetes.io/gce-pd', volumeBindingMode: 'Immediate' }],
    [1, { provisioner: 'kubernetes.io/of-no-plugin', volumeBindingMode: 'Immediate' }],
    [2, null],
  ),
  otherSide,
  apart: fc.constantFrom('selector', 'attributes class', 'size'),
});
