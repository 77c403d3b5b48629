/** The fields that prove a cause, each with what it would be were the claim Bound. */
import type { Cause, CauseCode, Verdict } from '../model.ts';
import { BOUND } from '../model.ts';
import type { Fact } from './explanation.ts';
import { anyVolumeFact, claimFact, classFact, namespaceFact, volumeFact } from './fact.ts';
import { misfitFacts } from './misfit-facts.ts';
import { claimRefName, placeOf, sideOfCause } from './scene.ts';
import type { Scene, Side } from './scene.ts';

const BIND_COMPLETED = 'annotation pv.kubernetes.io/bind-completed';
const OWNER_UID = 'annotation tenancy.x-k8s.io/uid';
const SELECTED_NODE = 'annotation volume.kubernetes.io/selected-node';

/** Phases first, then what the cause rests on. */
export function factsOf(scene: Scene): Fact[] {
  const { cause, verdict } = scene.judgement;
  return [...phaseFacts(scene), ...verdictFacts(scene, verdict), ...causeFacts(scene, cause)];
}

function phaseFacts(scene: Scene): Fact[] {
  return [
    phaseFact(scene.tenant, placeOf(scene, 'tenant'), BOUND),
    phaseFact(scene.super, placeOf(scene, 'super'), BOUND),
  ];
}

function phaseFact(
  side: Side,
  place: { readonly namespace: string; readonly name: string },
  expected: string | null,
  claim = side.claim,
): Fact {
  return claim === null
    ? claimFact(side, place, 'object', null, 'present')
    : claimFact(side, place, 'status.phase', claim.phase, expected);
}

function verdictFacts({ tenant, super: superSide }: Scene, verdict: Verdict): Fact[] {
  switch (verdict) {
    case 'Held':
    case 'HoldStale':
      return factsOnClaim(tenant, [['condition tenancy.x-k8s.io/SuperClaimBound', 'False', null]]);
    case 'VolumeMismatch':
      return [
        ...factsOnClaim(tenant, [
          ['spec.volumeName', tenant.claim?.volumeName ?? null, superSide.claim?.volumeName ?? null],
        ]),
        ...factsOnClaim(superSide, [['spec.volumeName', superSide.claim?.volumeName ?? null, null]]),
      ];
    case 'Terminating':
      return [tenant, superSide].flatMap((side) =>
        side.claim?.terminating === true
          ? factsOnClaim(side, [
              ['metadata.deletionTimestamp', side.claim.deletionTimestamp, null],
              ['metadata.finalizers', side.claim.finalizers.join(', '), null],
            ])
          : [],
      );
    default:
      return [];
  }
}

function causeFacts(scene: Scene, cause: Cause | null): Fact[] {
  if (cause === null) return [];
  return FACTS_OF[cause.code](sideOfCause(scene), scene);
}

const FACTS_OF: Readonly<Record<CauseCode, (side: Side, scene: Scene) => Fact[]>> = {
  TenantClaimRecreated: ownerFacts,
  SuperNamespaceMissing: (_side, { judgement: { pair } }) => [namespaceFact(pair.superNamespace)],
  SuperClaimDeleted: (side, scene) => claimRefFacts(side, scene),
  NeverSynced: (_side, { judgement: { pair } }) => [
    anyVolumeFact('spec.claimRef (namespace/name)', `${pair.superNamespace}/${pair.tenant?.name ?? ''}`),
  ],
  VolumeNameCleared: (side, scene) => [...claimFacts(side), ...claimRefFacts(side, scene)],
  TenantVolumeMissing: (side, scene) => [
    ...factsOnClaim(scene.super, [['spec.volumeName', scene.super.claim?.volumeName ?? null, null]]),
    ...claimFacts(side),
    ...absentVolume(side),
  ],
  VolumeDeleted: (side) => [...claimFacts(side), ...absentVolume(side)],
  VolumeNotFound: (side) => [...claimFacts(side), ...absentVolume(side)],
  ClaimRefStale: (side, scene) => [...claimFacts(side), ...claimRefFacts(side, scene)],
  ClaimRefUIDMissing: (side, scene) => [...claimFacts(side), ...claimRefFacts(side, scene)],
  VolumeClaimedByOther: (side, scene) => [
    ...claimFacts(side),
    ...claimRefFacts(side, scene),
    ...claimantFacts(side, scene),
  ],
  Rebinding: (side, scene) => [...claimFacts(side), ...claimRefFacts(side, scene)],
  VolumeUnsuitable: (side) => [...claimFacts(side), ...misfitFacts(side)],
  StorageClassMissing: (side) => [...classNamed(side), classFact(side, 'object', null, 'present')],
  WaitForFirstConsumer: (side) => [
    ...classNamed(side),
    classFact(side, 'volumeBindingMode', side.storageClass?.volumeBindingMode ?? null, null),
    ...factsOnClaim(side, [[SELECTED_NODE, side.claim?.nodeSelected === true ? 'present' : null, 'present']]),
  ],
  Provisioning: (side) => [
    ...classNamed(side),
    classFact(side, 'provisioner', side.storageClass?.provisioner ?? null, null),
    ...factsOnClaim(side, [['spec.volumeName', side.claim?.volumeName ?? null, 'set by the provisioner']]),
  ],
  NoMatchingVolume: (side) => [
    ...classNamed(side),
    ...(side.storageClass === null
      ? []
      : [classFact(side, 'provisioner', side.storageClass.provisioner, null)]),
    ...requestFacts(side),
  ],
  Undetermined: (side, scene) => [
    ...claimFacts(side),
    ...classNamed(side),
    ...requestFacts(side),
    ...claimRefFacts(side, scene),
  ],
};

function ownerFacts(_side: Side, { tenant, super: superSide }: Scene): Fact[] {
  return [
    ...factsOnClaim(tenant, [['metadata.uid', tenant.claim?.uid ?? null, null]]),
    ...factsOnClaim(superSide, [[OWNER_UID, superSide.claim?.ownerUid ?? null, tenant.claim?.uid ?? null]]),
    ...(superSide.volume === null
      ? []
      : [volumeFact(superSide, 'spec.persistentVolumeReclaimPolicy', superSide.volume.reclaimPolicy, null)]),
  ];
}

/** What makes the controller treat a claim as one that was bound before, and the volume it names. */
function claimFacts(side: Side): Fact[] {
  const { claim, volumeName } = side;
  if (claim === null) return [];
  const wanted = volumeName === '' ? null : volumeName;
  return factsOnClaim(side, [
    ['metadata.uid', claim.uid, null],
    [BIND_COMPLETED, claim.bindCompleted ? 'present' : null, null],
    ['spec.volumeName', claim.volumeName, wanted],
  ]);
}

/** The volume's claimRef against the claim, be that there or not. */
function claimRefFacts(side: Side, scene: Scene): Fact[] {
  const { volume, claim } = side;
  if (volume === null) return side.volumeName === '' ? [] : absentVolume(side);
  const { namespace, name } = placeOf(scene, side.side);
  const place = `${namespace}/${name}`;
  const ref = volume.claimRef;
  const named = ref === null ? null : claimRefName(ref);
  return [
    volumeFact(side, 'status.phase', volume.phase, claim === null ? null : BOUND),
    volumeFact(side, 'spec.claimRef (namespace/name)', named, place),
    volumeFact(side, 'spec.claimRef.uid', ref?.uid ?? null, claim?.uid ?? 'the uid of a claim that exists'),
    volumeFact(side, 'spec.persistentVolumeReclaimPolicy', volume.reclaimPolicy, null),
  ];
}

function absentVolume(side: Side): Fact[] {
  return [volumeFact(side, 'object', null, 'present')];
}

/** The claim that has the volume instead. */
function claimantFacts(side: Side, { claimant }: Scene): Fact[] {
  const ref = side.volume?.claimRef;
  if (!ref || side.side !== 'super' || claimRefName(ref) === null) return [];
  const phase = phaseFact(side, ref, null, claimant);
  if (claimant === null) return [phase];
  return [
    phase,
    claimFact(side, ref, 'metadata.uid', claimant.uid, null),
    claimFact(side, ref, 'spec.volumeName', claimant.volumeName, null),
  ];
}

function classNamed(side: Side): Fact[] {
  return factsOnClaim(side, [['spec.storageClassName', side.claim?.storageClass ?? null, null]]);
}

function requestFacts(side: Side): Fact[] {
  const { claim } = side;
  if (claim === null) return [];
  return factsOnClaim(side, [
    ['spec.resources.requests.storage', claim.requestedStorage, null],
    ['spec.accessModes', claim.accessModes.join(', '), null],
    ['spec.volumeMode', claim.volumeMode, null],
  ]);
}

/** Each: field, value, expected value. */
function factsOnClaim(
  side: Side,
  rows: readonly (readonly [string, string | null, string | null])[],
): Fact[] {
  const { claim } = side;
  if (claim === null) return [];
  return rows.map(([field, value, expected]) => claimFact(side, claim, field, value, expected));
}
