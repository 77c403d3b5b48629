/** What sync has to do with the judgements of one tenant. */
import { isSettling } from './judge.ts';
import type { Judgement } from './judge.ts';

export interface Agenda {
  /** To be written. */
  readonly due: readonly Judgement[];
  /** Shown as they should be. */
  readonly held: readonly Judgement[];
  /** Never written, and the admin should know. */
  readonly refused: readonly Judgement[];
  /** Mismatches that no write to a tenant claim mends. */
  readonly otherMismatches: number;
  readonly settling: number;
}

/**
 * Sorts judgements by what is to be done about them.
 * @param settling milliseconds since the epoch and milliseconds; null for a recording, which knows no settling
 */
export function agendaOf(
  judgements: readonly Judgement[],
  settling: { readonly now: number; readonly grace: number } | null,
): Agenda {
  const due: Judgement[] = [];
  const held: Judgement[] = [];
  const refused: Judgement[] = [];
  const counts = { otherMismatches: 0, settling: 0 };
  for (const judgement of judgements) {
    if (judgement.verdict === 'Held') held.push(judgement);
    else if (!judgement.mismatch) continue;
    else if (settling !== null && isSettling(judgement.pair, settling.now, settling.grace))
      counts.settling += 1;
    else if (judgement.plan !== null) due.push(judgement);
    else if (judgement.verdict === 'OwnerMismatch') refused.push(judgement);
    else counts.otherMismatches += 1;
  }
  return { due, held, refused, ...counts };
}

/** Whether any claim of an agenda is, or is to be, shown other than its tenant's PV controller would show it. */
export function needsHold({ due, held }: Agenda): boolean {
  return held.length > 0 || due.some(({ plan }) => plan?.action === 'SetPhase');
}
