/** One pair, judged by what both clusters hold now. */
import { judge } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Pair } from '../reconcile/model.ts';
import { addNeeds, noNeeds } from '../reconcile/needs.ts';
import { verdictOf } from '../reconcile/verdict.ts';
import { readAgain } from './confirm.ts';
import type { Clusters } from './confirm.ts';

/** Reads both claims again and judges them. @returns null where the tenant claim is gone. @throws UserError */
export async function judgeAgain(
  pair: Pair,
  clusters: Clusters,
  signal: AbortSignal,
): Promise<Judgement | null> {
  const now = await readAgain(pair, clusters, signal);
  return now === null ? null : judgeFresh(now, clusters, signal);
}

/** Judges claims that have just been read, with what else the cause depends on. @throws UserError */
export async function judgeFresh(pair: Pair, clusters: Clusters, signal: AbortSignal): Promise<Judgement> {
  const needs = { tenant: noNeeds(), super: noNeeds() };
  addNeeds(needs, pair, verdictOf(pair));
  const [tenant, superEvidence] = await Promise.all([
    clusters.tenant.evidence(needs.tenant, signal),
    clusters.super.evidence(needs.super, signal),
  ]);
  return judge(pair, { tenant, super: superEvidence });
}
