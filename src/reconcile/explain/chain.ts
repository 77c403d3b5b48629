/** The chain tenant claim - tenant volume - super volume - super claim - tenant claim, and where it is broken. */
import { namesClaim } from '../fit.ts';
import { isBound } from '../verdict.ts';
import type { CauseCode, ClaimRef } from '../model.ts';
import { CAUSES } from './causes.ts';
import type { ChainLink, ChainNode, NodeId } from './explanation.ts';
import { claimRefName, clusterName, placeOf, sideOfCause } from './scene.ts';
import type { ClusterSide, Scene, Side } from './scene.ts';

type Place = ReturnType<typeof placeOf>;

/** The four objects, in the order of the chain. */
export function chainNodes(scene: Scene): ChainNode[] {
  const { tenant, super: superSide } = scene;
  return [
    claimNode('tenantClaim', tenant, placeOf(scene, 'tenant')),
    volumeNode('tenantVolume', tenant),
    volumeNode('superVolume', superSide),
    claimNode('superClaim', superSide, placeOf(scene, 'super')),
  ];
}

function claimNode(id: NodeId, { side, claim }: Side, { namespace, name }: Place): ChainNode {
  return {
    id,
    cluster: side,
    kind: 'PersistentVolumeClaim',
    namespace,
    name,
    present: claim !== null,
    phase: claim?.phase ?? null,
    reclaimPolicy: null,
    terminating: claim?.terminating ?? false,
  };
}

function volumeNode(id: NodeId, { side, volume, volumeName }: Side): ChainNode {
  return {
    id,
    cluster: side,
    kind: 'PersistentVolume',
    namespace: null,
    name: volumeName,
    present: volume !== null,
    phase: volume?.phase ?? null,
    reclaimPolicy: volume?.reclaimPolicy ?? null,
    terminating: volume?.terminating ?? false,
  };
}

/** The four links. The one that the cause is about is broken whatever its fields say, unless nothing is wrong. */
export function chainLinks(scene: Scene): ChainLink[] {
  const links: ChainLink[] = [
    { from: 'tenantClaim', to: 'tenantVolume', ...claimToVolume(scene.tenant, placeOf(scene, 'tenant')) },
    { from: 'tenantVolume', to: 'superVolume', ...copyOfVolume(scene) },
    { from: 'superVolume', to: 'superClaim', ...claimToVolume(scene.super, placeOf(scene, 'super')) },
    { from: 'superClaim', to: 'tenantClaim', ...ownerMark(scene) },
  ];
  const { cause, mismatch } = scene.judgement;
  if (cause === null || !mismatch) return links;
  const { side } = sideOfCause(scene);
  const about = linkOf(cause.code, side);
  return links.map((link) =>
    link.from === about && link.state !== 'broken'
      ? { ...link, state: 'broken', problem: `the ${side} claim: ${CAUSES[cause.code].plain}` }
      : link,
  );
}

/** The link that a cause is about, by the node it starts from. */
function linkOf(code: CauseCode, side: ClusterSide): NodeId {
  switch (code) {
    case 'TenantClaimRecreated':
    case 'SuperNamespaceMissing':
    case 'SuperClaimDeleted':
    case 'NeverSynced':
      return 'superClaim';
    case 'TenantVolumeMissing':
      return 'tenantVolume';
    default:
      return side === 'super' ? 'superVolume' : 'tenantClaim';
  }
}

type LinkState = Pick<ChainLink, 'state' | 'problem'>;

const OK: LinkState = { state: 'ok', problem: '' };
const ABSENT: LinkState = { state: 'absent', problem: '' };

function broken(problem: string): LinkState {
  return { state: 'broken', problem };
}

/** Both must name each other: spec.volumeName, and spec.claimRef with the claim's uid. */
function claimToVolume({ side, claim, volume, volumeName }: Side, place: Place): LinkState {
  if (claim === null) {
    return volume?.claimRef && namesClaim(volume.claimRef, place)
      ? broken(`the ${side} volume's claimRef names a claim that does not exist`)
      : ABSENT;
  }
  if (claim.volumeName === '' && claim.bindCompleted) {
    const wanted = volumeName === '' ? '' : `, expected ${volumeName}`;
    return broken(`the ${side} claim's spec.volumeName is empty${wanted}`);
  }
  if (volume === null) {
    return claim.volumeName === ''
      ? ABSENT
      : broken(
          `volume ${claim.volumeName}, which the ${side} claim names, is absent from the ${clusterName(side)}`,
        );
  }
  const ref = volume.claimRef;
  if (ref === null) {
    return claim.volumeName === '' ? ABSENT : broken(`the ${side} volume has no claimRef`);
  }
  if (claim.bindCompleted && ref.uid === claim.uid) return OK;
  if (!namesClaim(ref, claim)) {
    return claim.volumeName === ''
      ? ABSENT
      : broken(`the ${side} volume's claimRef names ${otherClaim(ref)}`);
  }
  if (ref.uid === '') return broken(`the ${side} volume's claimRef has no uid`);
  if (ref.uid !== claim.uid) return broken(`the ${side} volume's claimRef has the uid of an earlier claim`);
  return claim.volumeName === '' ? broken(`the ${side} claim's spec.volumeName is not set yet`) : OK;
}

function otherClaim(ref: ClaimRef): string {
  const name = claimRefName(ref);
  return name === null ? 'no claim' : `another claim, ${name}`;
}

/** A tenant's volume is a copy of the super volume of the same name; newer syncers mark it with that one's uid. */
function copyOfVolume({ tenant, super: superSide }: Scene): LinkState {
  const [copy, original] = [tenant.volume, superSide.volume];
  if (tenant.volumeName !== superSide.volumeName && tenant.volumeName !== '' && superSide.volumeName !== '') {
    return broken(`the tenant names volume ${tenant.volumeName}, the super cluster ${superSide.volumeName}`);
  }
  if (original === null) {
    // Where the super claim names it, the next link says so.
    const told = superSide.claim !== null && superSide.claim.volumeName !== '';
    return copy === null || told ? ABSENT : broken(`the super cluster has no volume ${copy.name}`);
  }
  if (copy === null) {
    const due = superSide.claim !== null && isBound(superSide.claim);
    return due || tenant.claim?.volumeName === original.name
      ? broken(`the tenant has no copy of volume ${original.name}`)
      : ABSENT;
  }
  if (copy.copyOf !== '' && copy.copyOf !== original.uid) {
    return broken(`the tenant volume is the copy of an earlier volume of this name`);
  }
  return OK;
}

/** VirtualCluster pkg/syncer/resources/persistentvolumeclaim/checker.go compares exactly this. */
function ownerMark({ tenant, super: superSide }: Scene): LinkState {
  if (superSide.claim === null) return broken('there is no super claim');
  if (tenant.claim === null) return broken('there is no tenant claim');
  return superSide.claim.ownerUid === tenant.claim.uid
    ? OK
    : broken('the super claim was made for another tenant claim of this name');
}
