/** Random states, as fast-check draws them. Few values each, so that they coincide. */
import fc from 'fast-check';
import { mustBeKeptApart } from './binding-state.ts';
import type {
  BindingState,
  ClaimRefKind,
  ClaimState,
  ClassKind,
  Selector,
  VolumeState,
} from './binding-state.ts';

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
const anyModes = weighted<readonly string[]>(
  [6, ['ReadWriteOnce']],
  [2, ['ReadWriteOnce', 'ReadOnlyMany']],
  [1, ['ReadWriteMany']],
  [1, ['ReadWriteOncePod']],
);
/** The third is half a byte short of the first: equal once it is rounded up. */
const size = weighted([4, '1Gi'], [1, '2Gi'], [4, '1073741823500m'], [1, '1G']);
const anyClass = weighted<ClassKind>(
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

const anyVolume: fc.Arbitrary<VolumeState> = fc.record({
  claimRef: weighted<ClaimRefKind>(
    [8, 'nobody'],
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
  storageClass: anyClass,
  attributesClass: seldom,
  block: seldom,
  accessModes: anyModes,
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
  [6, { volumeName: 'first', bindCompleted: false }],
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

const anyClaim: fc.Arbitrary<ClaimState> = fc
  .record({
    naming,
    phase: weighted([6, 'Pending'], [4, 'Lost'], [1, 'Bound'], [1, 'Odd']),
    annotationValue: fc.constantFrom('yes', ''),
    boundByController: fc.boolean(),
    nodeSelected: weighted([3, false], [1, true]),
    storageClass: anyClass,
    attributesClass: seldom,
    block: seldom,
    accessModes: anyModes,
    requested: size,
    selector,
  })
  .map(({ naming: names, ...rest }) => ({ ...names, ...rest }));

const anyState: fc.Arbitrary<BindingState> = fc.record({
  claim: anyClaim,
  first: fc.option(anyVolume, { freq: 7 }),
  second: weighted([3, false], [1, true]).chain((present) => (present ? anyVolume : fc.constant(null))),
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

/** Half of the first volumes differ from what the claim asks for in one respect at most, or few would nearly fit. */
const state: fc.Arbitrary<BindingState> = fc
  .record({
    drawn: anyState,
    resembles: fc.boolean(),
    respect: weighted<keyof VolumeState>(
      [1, 'tier'],
      [1, 'storageClass'],
      [1, 'attributesClass'],
      [1, 'block'],
      [1, 'accessModes'],
      [2, 'capacity'],
      [1, 'terminating'],
    ),
  })
  .map(({ drawn, resembles, respect }) => {
    const attributesClass = drawn.apart === 'attributes class' && mustBeKeptApart(drawn.claim);
    const claim = attributesClass ? { ...drawn.claim, attributesClass } : drawn.claim;
    const { first } = drawn;
    if (!resembles || first === null) return { ...drawn, claim };
    return { ...drawn, claim, first: { ...first, ...whatItAsks(claim), [respect]: first[respect] } };
  });

function whatItAsks({
  storageClass,
  attributesClass,
  block,
  accessModes,
  requested,
}: ClaimState): Partial<VolumeState> {
  return { storageClass, attributesClass, block, accessModes, capacity: requested, terminating: false };
}
