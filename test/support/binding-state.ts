/**
 * A state of a claim, its volumes and its class, in words that do not depend on names, so that many states can stand
 * side by side in one cluster.
 */

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

/** Only a claim that names neither a volume nor a class could be bound to a volume of another state. */
export function mustBeKeptApart({ storageClass, volumeName }: ClaimState): boolean {
  return volumeName === 'none' && ['none by annotation', 'empty', 'absent'].includes(storageClass);
}
