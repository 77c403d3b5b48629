/** One pair, judged by what both clusters hold now. */
import { judge } from '../reconcile/judge.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Pair } from '../reconcile/model.ts';
import { addNeeds, noNeeds } from '../reconcile/needs.ts';
import { verdictOf } from '../reconcile/verdict.ts';
import { readAgain } from './confirm.ts';
import type { ClusterReader } from './cluster.ts';

/** The part of two clusters that judging one pair reads. */
export type JudgedClusters = Readonly<Record<'tenant' | 'super', Pick<ClusterReader, 'claim' | 'evidence'>>>;

/** Reads both claims again and judges them. @returns null where the tenant claim is gone. @throws UserError */
export async function judgeAgain(
  pair: Pair,
  clusters: JudgedClusters,
  signal: AbortSignal,
): Promise<Judgement | null> {
  const now = await readAgain(pair, clusters, signal);
  return now === null ? null : judgeFresh(now, clusters, signal);
}

/** Judges claims that have just been read, with what else the cause depends on. @throws UserError */
export async function judgeFresh(
  pair: Pair,
  clusters: JudgedClusters,
  signal: AbortSignal,
): Promise<Judgement> {
  const needs = { tenant: noNeeds(), super: noNeeds() };
  addNeeds(needs, pair, verdictOf(pair));
  const [tenant, superEvidence] = await Promise.all([
    clusters.tenant.evidence(needs.tenant, signal),
    clusters.super.evidence(needs.super, signal),
  ]);
  return judge(pair, { tenant, super: superEvidence });
}
