/** Reads one pair and everything around it, whole, and judges exactly what was read. */
import { UserError } from '../errors.ts';
import { claimDetailsFromJson, volumeDetailsFromJson } from '../kube/objects/details-from-json.ts';
import { NO_EVIDENCE } from '../reconcile/cause.ts';
import { volumeLookup } from '../reconcile/evidence.ts';
import type { ClaimDetails, Scene, Side, VolumeDetails } from '../reconcile/explain/scene.ts';
import { namesClaim } from '../reconcile/fit.ts';
import { isSettling, judge } from '../reconcile/judge.ts';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { Evidence, Pair, Volume } from '../reconcile/model.ts';
import { addNeeds, noNeeds } from '../reconcile/needs.ts';
import type { Needs } from '../reconcile/needs.ts';
import { pairClaims } from '../reconcile/pair.ts';
import { verdictOf } from '../reconcile/verdict.ts';
import type { Fleet } from './each-tenant.ts';
import type { ClusterReader } from './cluster.ts';
import type { FoundClaim } from './find-claim.ts';
import { orphanOf } from './orphan.ts';

/** Milliseconds since the epoch and milliseconds; null for a recording, which knows no settling. */
type Settling = { readonly now: number; readonly grace: number } | null;

export interface SceneOptions {
  readonly settling: Settling;
  readonly signal: AbortSignal;
  /** Told of evidence that could not be read: the verdict stands, the cause may be undetermined. */
  readonly onUnread: (why: string) => void;
}

/** @throws UserError where a claim or its volume cannot be read, or the claim is gone by now */
export async function readScene(
  found: FoundClaim,
  fleet: Fleet,
  { settling, signal, onUnread }: SceneOptions,
): Promise<Scene> {
  const readers = { tenant: found.tenant.reader, super: fleet.super };
  const pair = await readPair(found, fleet, signal);
  const verdict = verdictOf(pair);
  const needs = { tenant: noNeeds(), super: noNeeds() };
  addNeeds(needs, pair, verdict);
  needs.super.storageClasses = true;
  // A claim that names no volume may be named by one.
  if (pair.super === null || pair.super.volumeName === '') needs.super.allVolumes = true;
  const [tenantEvidence, superEvidence] = await Promise.all([
    readEvidence(readers.tenant, needs.tenant, signal, onUnread),
    readEvidence(readers.super, needs.super, signal, onUnread),
  ]);
  const ofSuperClaim = volumesWithUid(superEvidence, pair.super);
  const names = {
    tenant: pair.tenant?.volumeName || pair.super?.volumeName || '',
    super: pair.super?.volumeName || ofSuperClaim[0]?.name || namingVolume(superEvidence, pair) || '',
  };
  const [tenantVolume, superVolume] = await Promise.all([
    readVolume(readers.tenant, names.tenant, signal),
    readVolume(readers.super, names.super, signal),
  ]);
  // What is judged is what the preconditions of a remedy are made from.
  const evidence = {
    tenant: withVolume(tenantEvidence, tenantVolume),
    super: withVolume(superEvidence, superVolume),
  };
  return {
    virtualCluster: found.virtualCluster,
    judgement: judge(pair, evidence),
    settling: settling !== null && isSettling(pair, settling.now, settling.grace),
    tenant: side('tenant', pair.tenant, names.tenant, tenantVolume, evidence.tenant),
    super: side('super', pair.super, names.super, superVolume, evidence.super),
    claimant: await readClaimant(readers.super, pair.super, superVolume, signal),
    volumesOfSuperClaim: ofSuperClaim,
    storageClasses: [...(superEvidence.storageClasses?.keys() ?? [])].sort(),
  };
}

interface DetailedPair extends Pair {
  readonly tenant: ClaimDetails | null;
  readonly super: ClaimDetails | null;
}

async function readPair(
  { virtualCluster, tenant, namespace, name }: FoundClaim,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<DetailedPair> {
  const key = clusterKey(virtualCluster);
  const tenantClaim = await readClaim(tenant.reader, namespace, name, signal);
  const index = await fleet.superClaims([virtualCluster], signal);
  const [paired] = tenantClaim === null ? [] : pairClaims(key, [tenantClaim], index);
  const place = paired?.superNamespace ?? orphanOf(key, namespace, name, index)?.namespace ?? null;
  const superClaim = place === null ? null : await readClaim(fleet.super, place, name, signal);
  if (tenantClaim === null && superClaim === null) {
    throw new UserError(
      `claim ${namespace}/${name} of ${virtualCluster.namespace}/${virtualCluster.name} is gone by now`,
    );
  }
  return {
    owner: { clusterKey: key, namespace },
    tenant: tenantClaim,
    super: superClaim,
    superNamespace: place ?? superNamespaceName(key, namespace),
  };
}

async function readClaim(
  reader: ClusterReader,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ClaimDetails | null> {
  const found = await reader.object('PersistentVolumeClaim', namespace, name, signal);
  return found === null ? null : claimDetailsFromJson(found);
}

async function readVolume(
  reader: ClusterReader,
  name: string,
  signal: AbortSignal,
): Promise<VolumeDetails | null> {
  if (name === '') return null;
  const found = await reader.object('PersistentVolume', null, name, signal);
  return found === null ? null : volumeDetailsFromJson(found);
}

async function readEvidence(
  reader: ClusterReader,
  needs: Needs,
  signal: AbortSignal,
  onUnread: (why: string) => void,
): Promise<Evidence> {
  try {
    return await reader.evidence(needs, signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onUnread(error.message);
    return NO_EVIDENCE;
  }
}

function volumesWithUid({ volumes }: Evidence, claim: ClaimDetails | null): Volume[] {
  if (volumes === null || claim === null || claim.uid === '') return [];
  return [...volumes.byName.values()]
    .filter(({ claimRef }) => claimRef?.uid === claim.uid)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * A super volume that names the claim, if not by uid: the one that the tenant means goes first. Where neither side
 * means any, it is that of an earlier claim, whose data may be about to go.
 */
function namingVolume({ volumes }: Evidence, { tenant, superNamespace, super: superClaim }: Pair): string {
  const wanted = tenant?.volumeName ?? '';
  const place = { namespace: superNamespace, name: tenant?.name ?? superClaim?.name ?? '' };
  const naming = (volume: Volume | undefined): boolean =>
    volume?.claimRef !== undefined && volume.claimRef !== null && namesClaim(volume.claimRef, place);
  if (naming(volumes?.byName.get(wanted))) return wanted;
  if (superClaim !== null && wanted !== '') return wanted;
  const earlier = volumes?.byClaim?.get(`${place.namespace}/${place.name}`) ?? [];
  const losable =
    superClaim === null ? undefined : earlier.find((volume) => volume.reclaimPolicy !== 'Retain');
  return (losable ?? earlier[0])?.name ?? wanted;
}

function withVolume(evidence: Evidence, volume: VolumeDetails | null): Evidence {
  if (evidence.volumes === null || volume === null) return evidence;
  const volumes = [...evidence.volumes.byName.values(), volume];
  return { ...evidence, volumes: volumeLookup(volumes, evidence.volumes.byClaim !== null) };
}

function side(
  which: Side['side'],
  claim: ClaimDetails | null,
  volumeName: string,
  volume: VolumeDetails | null,
  { storageClasses }: Evidence,
): Side {
  const storageClass = storageClasses?.get(claim?.storageClass ?? '') ?? null;
  return { side: which, claim, volumeName, volume, storageClass };
}

async function readClaimant(
  reader: ClusterReader,
  claim: ClaimDetails | null,
  volume: VolumeDetails | null,
  signal: AbortSignal,
): Promise<ClaimDetails | null> {
  const ref = volume?.claimRef;
  if (!ref || ref.namespace === '' || ref.name === '' || (claim !== null && namesClaim(ref, claim)))
    return null;
  return readClaim(reader, ref.namespace, ref.name, signal);
}
