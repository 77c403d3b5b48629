/** What the core says of a claim, as a statement about what the PV controller will make of it. */
import { KEY, TENANT_NAMESPACE } from './binding-state-objects.ts';
import { NO_EVIDENCE } from '../../src/reconcile/cause.ts';
import { volumeLookup } from '../../src/reconcile/evidence.ts';
import { judge } from '../../src/reconcile/judge.ts';
import { superNamespaceName } from '../../src/reconcile/mapping.ts';
import type { CauseCode, Claim, Evidence, Pair, StorageClass, Volume } from '../../src/reconcile/model.ts';
import { addNeeds, noNeeds } from '../../src/reconcile/needs.ts';
import { indexSuperClaims, pairClaims } from '../../src/reconcile/pair.ts';
import { verdictOf } from '../../src/reconcile/verdict.ts';

/** The two sides a claim may be on: the other side's claim is Bound to `otherVolumeName`. */
export type Side = 'super' | 'tenant';

/** How much of the claim's cluster is read: a recording has all, a live check what is needed, a refused read nothing. */
export type Reading = 'everything' | 'what is needed' | 'nothing';

/** The objects of a claim's cluster. */
export interface ClusterObjects {
  readonly volumes: readonly Volume[];
  readonly classes: ReadonlyMap<string, StorageClass>;
}

export interface Said {
  readonly code: CauseCode;
  readonly message: string;
  /** Names of the volumes that were read. */
  readonly read: ReadonlySet<string>;
}

/** What the core says of a claim; it throws where the core sees no mismatch. */
export function whatTheCoreSays(
  claim: Claim,
  side: Side,
  reading: Reading,
  otherVolumeName: string,
  cluster: ClusterObjects,
): Said {
  const pair = pairOf(claim, side, otherVolumeName);
  const verdict = verdictOf(pair);
  const expected = side === 'super' ? 'SuperNotBound' : 'TenantNotBound';
  if (verdict !== expected) throw new Error(`${claim.name} is ${verdict} and not ${expected}`);
  const evidence = evidenceOf(pair, side, reading, cluster);
  const { cause } = judge(pair, { tenant: NO_EVIDENCE, super: NO_EVIDENCE, [side]: evidence });
  if (cause === null) throw new Error(`${claim.name} is ${verdict} and has no cause`);
  return { ...cause, read: new Set(evidence.volumes?.byName.keys()) };
}

/** Where the PV controller leaves a claim. */
export interface Outcome {
  readonly phase: string;
  readonly volumeName: string;
}

/**
 * What a cause predicts; null where it predicts nothing. Kubernetes
 * pkg/controller/volume/persistentvolume/pv_controller.go, syncUnboundClaim and syncBoundClaim.
 * @param boundByController whether the claim has the annotation pv.kubernetes.io/bound-by-controller
 * @param fitting the volume that a claim which names none may be bound to
 */
export function predicted(
  code: CauseCode,
  claim: Claim,
  boundByController: boolean,
  classes: ReadonlyMap<string, StorageClass>,
  fitting: string,
): Outcome | null {
  const { volumeName } = claim;
  if (code === 'Undetermined') return null;
  if (code === 'Rebinding') return { phase: 'Bound', volumeName: volumeName === '' ? fitting : volumeName };
  if (claim.bindCompleted) return { phase: 'Lost', volumeName };
  // Two ways out of syncUnboundClaim write no phase: into provisioning, and out of a binding that contradicts itself.
  const contradicts = CLAIMED_BY_ANOTHER.has(code) && volumeName !== '' && boundByController;
  const provisions = volumeName === '' && claim.storageClass !== '' && !waitsForConsumer(claim, classes);
  return { phase: contradicts || provisions ? claim.phase : 'Pending', volumeName };
}

const CLAIMED_BY_ANOTHER: ReadonlySet<CauseCode> = new Set(['ClaimRefStale', 'VolumeClaimedByOther']);

function waitsForConsumer(claim: Claim, classes: ReadonlyMap<string, StorageClass>): boolean {
  const mode = classes.get(claim.storageClass)?.volumeBindingMode;
  return mode === 'WaitForFirstConsumer' && !claim.nodeSelected;
}

/** A claim that is still Bound is judged as it is once its phase has been read again: nothing else depends on that. */
function pairOf(claim: Claim, side: Side, otherVolumeName: string): Pair {
  const own = claim.phase === 'Bound' ? { ...claim, phase: 'Lost' } : claim;
  const other = { ...claim, phase: 'Bound', volumeName: otherVolumeName, bindCompleted: true };
  const [tenant, superClaim] =
    side === 'super'
      ? [{ ...other, namespace: TENANT_NAMESPACE, uid: claim.ownerUid }, own]
      : [
          own,
          {
            ...other,
            namespace: superNamespaceName(KEY, claim.namespace),
            owner: { clusterKey: KEY, namespace: claim.namespace },
            ownerUid: claim.uid,
          },
        ];
  const [pair] = pairClaims(KEY, [tenant], indexSuperClaims([superClaim]));
  if (pair === undefined) throw new Error(`${claim.name} makes no pair`);
  return pair;
}

function evidenceOf(pair: Pair, side: Side, reading: Reading, cluster: ClusterObjects): Evidence {
  if (reading === 'nothing') return NO_EVIDENCE;
  const all = {
    volumes: volumeLookup(cluster.volumes, true),
    storageClasses: cluster.classes,
    namespaces: null,
  };
  if (reading === 'everything') return all;
  const needs = { tenant: noNeeds(), super: noNeeds() };
  addNeeds(needs, pair, verdictOf(pair));
  const { volumes, allVolumes, storageClasses } = needs[side];
  return {
    volumes: allVolumes
      ? all.volumes
      : volumeLookup(
          cluster.volumes.filter(({ name }) => volumes.has(name)),
          false,
        ),
    storageClasses: storageClasses ? cluster.classes : null,
    namespaces: null,
  };
}
