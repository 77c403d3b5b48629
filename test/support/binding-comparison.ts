/** What the core says of states before the PV controller has seen them, against what became of them. */
import type { CauseCode, Claim, StorageClass, Volume } from '../../src/reconcile/model.ts';
import { predicted, whatTheCoreSays } from './binding-predictions.ts';
import type { ClusterObjects, Outcome, Reading, Side } from './binding-predictions.ts';
import { claimName, volumeNameOf } from './binding-state-objects.ts';
import type { BindingState } from './binding-state.ts';

/** Everything there is of all states, by name. */
export interface BindingObjects {
  readonly claims: ReadonlyMap<string, Claim>;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
}

/** One thing that the core said, and whether it came true. */
export interface Comparison {
  readonly reading: Reading;
  readonly code: CauseCode;
  /** "unseen": the claim names no volume, and got one that had not been read. */
  readonly result: 'agrees' | 'disagrees' | 'predicts nothing' | 'unseen';
  /** In a few lines: what was said, what happened, and the state. */
  readonly text: string;
}

const SIDES: readonly Side[] = ['super', 'tenant'];
const READINGS: readonly Reading[] = ['everything', 'what is needed', 'nothing'];

/** @param before and `after` the objects as they were made, and as the controller left them */
export function compareAll(
  states: readonly BindingState[],
  before: BindingObjects,
  after: BindingObjects,
): Comparison[] {
  return states.flatMap((state, number) => compareState(number, state, before, after));
}

/** A state is judged on both sides, and by as much as either of them may know. */
function compareState(
  number: number,
  state: BindingState,
  before: BindingObjects,
  after: BindingObjects,
): Comparison[] {
  const claim = before.claims.get(claimName(number));
  const outcome = after.claims.get(claimName(number));
  if (claim === undefined || outcome === undefined) throw new Error(`${claimName(number)} is gone`);
  const cluster = clusterOf(number, before);
  const otherVolumeName = volumeNameOf(number, state.otherSide);
  return SIDES.flatMap((side) => {
    const fitting = fittingVolume(claim, side, cluster, outcome.volumeName);
    return READINGS.map((reading): Comparison => {
      const said = whatTheCoreSays(claim, side, reading, otherVolumeName, cluster);
      const expected = predicted(said.code, claim, state.claim.boundByController, cluster.classes, fitting);
      const unseen =
        claim.volumeName === '' && outcome.volumeName !== '' && !said.read.has(outcome.volumeName);
      return {
        reading,
        code: said.code,
        result: unseen ? 'unseen' : resultOf(expected, outcome),
        text: [
          `${side} claim ${number}, ${reading} read: ${said.code} (${said.message})`,
          `predicts ${outcomeText(expected)}; the controller made it ${outcomeText(outcome)}`,
          JSON.stringify(state),
        ].join('\n  '),
      };
    });
  });
}

function resultOf(expected: Outcome | null, outcome: Outcome): Comparison['result'] {
  if (expected === null) return 'predicts nothing';
  return outcomeText(expected) === outcomeText(outcome) ? 'agrees' : 'disagrees';
}

function outcomeText(outcome: Outcome | null): string {
  return outcome === null ? 'nothing' : `${outcome.phase} with volumeName "${outcome.volumeName}"`;
}

/**
 * The volume that a claim which names none is bound to, as far as the core can tell: one that it says fits were there
 * no other. Of several such the controller may take any, and is right.
 */
function fittingVolume(claim: Claim, side: Side, cluster: ClusterObjects, taken: string): string {
  const fitting = cluster.volumes.filter((volume) => {
    const alone = { ...cluster, volumes: [volume] };
    return whatTheCoreSays(claim, side, 'everything', volume.name, alone).code === 'Rebinding';
  });
  return (fitting.find(({ name }) => name === taken) ?? fitting[0])?.name ?? 'none that fits';
}

function clusterOf(number: number, { volumes, classes }: BindingObjects): ClusterObjects {
  const own = (['first', 'second'] as const).map((which) => volumes.get(volumeNameOf(number, which)));
  return { volumes: own.filter((volume) => volume !== undefined), classes };
}
