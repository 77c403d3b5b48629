/**
 * What explain looks at: one pair with all objects around it. Plain data, as the rest of the reconciliation module;
 * it holds some fields more than a verdict needs, since single objects are read for it.
 */
import { namesClaim } from '../fit.ts';
import type { Judgement } from '../judge.ts';
import type { Claim, ClaimRef, StorageClass, Volume } from '../model.ts';
import type { VirtualClusterName } from '../report.ts';

export type ClusterSide = 'tenant' | 'super';

/** A claim with what only an explanation needs. */
export interface ClaimDetails extends Claim {
  readonly finalizers: readonly string[];
  /** RFC 3339 as it stands, "" where none. */
  readonly deletionTimestamp: string;
}

/** A volume with what only an explanation needs. */
export interface VolumeDetails extends Volume {
  readonly finalizers: readonly string[];
  /** RFC 3339 as it stands, "" where none. */
  readonly deletionTimestamp: string;
  /** spec.claimRef.resourceVersion, "" where none. */
  readonly claimRefResourceVersion: string;
  /** The annotation pv.kubernetes.io/provisioned-by, "" where none. */
  readonly provisionedBy: string;
  /** The annotation tenancy.x-k8s.io/uid: of a tenant's volume, the super volume it is a copy of. "" where none. */
  readonly copyOf: string;
  /** Where the disk is, in a few words ("csi disks.example.com vol-1"); "" where the object does not say. */
  readonly disk: string;
}

/** One cluster's part of a pair. */
export interface Side {
  readonly side: ClusterSide;
  readonly claim: ClaimDetails | null;
  /** The volume in question, "" where none is named by anything. */
  readonly volumeName: string;
  /** null: there is no such object in this cluster. */
  readonly volume: VolumeDetails | null;
  /** The class that the claim names; null where it names none, or there is none of this name. */
  readonly storageClass: StorageClass | null;
}

export interface Scene {
  readonly virtualCluster: VirtualClusterName;
  readonly judgement: Judgement;
  /** Whether the mismatch is too young to count. */
  readonly settling: boolean;
  readonly tenant: Side;
  readonly super: Side;
  /** The claim that the super volume's claimRef names, where that is another than the super claim. */
  readonly claimant: ClaimDetails | null;
  /** All super volumes whose claimRef has the super claim's uid; several contradict each other. */
  readonly volumesOfSuperClaim: readonly Volume[];
  /** Names of the classes of the super cluster. */
  readonly storageClasses: readonly string[];
}

/** The side on which the cause is to be found. */
export function sideOfCause(scene: Scene): Side {
  return scene.judgement.verdict === 'TenantNotBound' ? scene.tenant : scene.super;
}

/** "super cluster" or "tenant". */
export function clusterName(side: ClusterSide): string {
  return side === 'super' ? 'super cluster' : 'tenant';
}

/** Namespace and name of the claim in one of the clusters, be it there or not. */
export function placeOf(
  { judgement: { pair } }: Scene,
  side: ClusterSide,
): { readonly namespace: string; readonly name: string } {
  const namespace = side === 'super' ? pair.superNamespace : pair.owner.namespace;
  return { namespace, name: pair.tenant?.name ?? pair.super?.name ?? '' };
}

/** NAMESPACE/NAME; null where the claimRef lacks either, and so names no claim. */
export function claimRefName({ namespace, name }: ClaimRef): string | null {
  return namespace === '' || name === '' ? null : `${namespace}/${name}`;
}

/** Goes after "Volume pv-x ", where its claimRef is not this claim's. */
export function whoseVolume(ref: ClaimRef): string {
  const other = claimRefName(ref);
  return other === null ? 'has a claimRef that names no claim' : `belongs to another claim, ${other}`;
}

/** Whether the volume's claimRef proves that it is this claim's, or was an earlier one's of its name and namespace. */
export function isOwnVolume(scene: Scene, { side, claim, volume }: Side): boolean {
  const ref = volume?.claimRef;
  if (!ref) return false;
  return (
    (claim !== null && claim.uid !== '' && ref.uid === claim.uid) || namesClaim(ref, placeOf(scene, side))
  );
}
