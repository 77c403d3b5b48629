/** The objects of one random state: names of its own, so that no other state's claim can have its volumes. */
import { mustBeKeptApart } from './binding-state.ts';
import type { BindingState, ClaimRefKind, ClassKind, VolumeState } from './binding-state.ts';

/** Owner of all claims here, and the namespaces on both sides. */
export const KEY = 'default-6177e3-vc-sample-1';
export const TENANT_NAMESPACE = 'shop';
export const NAMESPACE = `${KEY}-${TENANT_NAMESPACE}`;

/** What the other side calls the claim that is under test, by its number. */
export const otherSideUid = (number: number): string => `other-side-${number}`;
export const claimName = (number: number): string => `data-${number}`;
export const rivalName = (number: number): string => `rival-${number}`;

/** The name that stands for a volume of a state, "" for none. */
export function volumeNameOf(number: number, which: BindingState['otherSide']): string {
  return which === 'none' ? '' : `volume-${number}-${which}`;
}

/** null where the class of the state does not exist. */
export function classObject(number: number, state: BindingState): object | null {
  return state.class === null ? null : { metadata: { name: className(number, 'own') }, ...state.class };
}

/** The claim of a state, with the marks of a super claim. */
export function claimObject(number: number, state: BindingState): object {
  const { claim } = state;
  const kept = mustBeKeptApart(claim) ? state.apart : null;
  const selector =
    kept === 'selector'
      ? { ...claim.selector, matchLabels: { ...claim.selector?.matchLabels, state: String(number) } }
      : claim.selector;
  return {
    metadata: {
      name: claimName(number),
      annotations: {
        'tenancy.x-k8s.io/cluster': KEY,
        'tenancy.x-k8s.io/namespace': TENANT_NAMESPACE,
        'tenancy.x-k8s.io/uid': otherSideUid(number),
        ...(claim.bindCompleted ? { 'pv.kubernetes.io/bind-completed': claim.annotationValue } : {}),
        ...(claim.boundByController ? { 'pv.kubernetes.io/bound-by-controller': 'yes' } : {}),
        ...(claim.nodeSelected ? { 'volume.kubernetes.io/selected-node': claim.annotationValue } : {}),
        ...classAnnotation(number, claim.storageClass),
      },
    },
    spec: {
      accessModes: claim.accessModes,
      // No volume here is as large.
      resources: { requests: { storage: kept === 'size' ? '1Pi' : claim.requested } },
      volumeMode: claim.block ? 'Block' : 'Filesystem',
      ...classField(number, claim.storageClass),
      ...attributesClass(number, claim.attributesClass),
      ...(selector === null ? {} : { selector }),
      ...(claim.volumeName === 'none' ? {} : { volumeName: volumeNameOf(number, claim.volumeName) }),
    },
  };
}

/** A claim that has the first volume, as far as it says: what "a rival that is bound" names. */
export function rivalObject(number: number, volumeName: string): object {
  return {
    metadata: { name: rivalName(number), annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: className(number, 'own'),
      volumeName,
    },
  };
}

/** @param uids of the state's claim and of its rival */
export function volumeObject(
  number: number,
  name: string,
  volume: VolumeState,
  uids: { readonly claim: string; readonly rival: string },
): object {
  return {
    metadata: {
      name,
      labels: { state: String(number), ...(volume.tier === '' ? {} : { tier: volume.tier }) },
      annotations: {
        ...(volume.boundByController ? { 'pv.kubernetes.io/bound-by-controller': 'yes' } : {}),
        ...classAnnotation(number, volume.storageClass),
      },
      // What is being deleted must stay until the end.
      ...(volume.terminating ? { finalizers: ['example.com/keep'] } : {}),
    },
    spec: {
      accessModes: volume.accessModes,
      capacity: { storage: volume.capacity },
      volumeMode: volume.block ? 'Block' : 'Filesystem',
      persistentVolumeReclaimPolicy: volume.reclaimPolicy,
      // The controller manager deletes and recycles nothing of this kind.
      ...(volume.nodeAffinity ? { nodeAffinity: NOWHERE } : {}),
      csi: { driver: 'disks.example.com', volumeHandle: name },
      ...classField(number, volume.storageClass),
      ...attributesClass(number, volume.attributesClass),
      ...claimRef(number, volume.claimRef, uids),
    },
  };
}

const NOWHERE = {
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['nowhere'] }] },
    ],
  },
};

function className(number: number, kind: 'own' | 'another'): string {
  return `${kind}-${number}`;
}

function classField(number: number, kind: ClassKind): object {
  if (kind === 'absent') return {};
  if (kind === 'empty') return { storageClassName: '' };
  if (kind === 'own by annotation') return { storageClassName: className(number, 'another') };
  return { storageClassName: className(number, kind === 'another' ? 'another' : 'own') };
}

function classAnnotation(number: number, kind: ClassKind): object {
  const key = 'volume.beta.kubernetes.io/storage-class';
  if (kind === 'own by annotation') return { [key]: className(number, 'own') };
  return kind === 'none by annotation' ? { [key]: '' } : {};
}

function attributesClass(number: number, named: boolean): object {
  return named ? { volumeAttributesClassName: `attributes-${number}` } : {};
}

function claimRef(
  number: number,
  kind: ClaimRefKind,
  uids: { readonly claim: string; readonly rival: string },
): object {
  if (kind === 'nobody') return {};
  const namespace = NAMESPACE;
  const name = claimName(number);
  const absent = `absent-${number}`;
  const named: Readonly<Record<Exclude<ClaimRefKind, 'nobody'>, object>> = {
    'the claim': { namespace, name, uid: uids.claim },
    'the claim without uid': { namespace, name },
    'the claim before': { namespace, name, uid: 'uid-before' },
    'the claim without namespace': { name, uid: uids.claim },
    'the name of the claim alone': { name },
    'nothing at all': {},
    'an absent claim': { namespace, name: absent, uid: 'uid-of-absent' },
    'an absent claim without uid': { namespace, name: absent },
    'an absent claim with the uid of the claim': { namespace, name: absent, uid: uids.claim },
    'a rival that is bound': { namespace, name: rivalName(number), uid: uids.rival },
  };
  return { claimRef: named[kind] };
}
