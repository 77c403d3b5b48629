/** One tenant against the super cluster: list, pair, confirm, read the evidence, judge. */
import { UserError } from '../errors.ts';
import type { TenantResult } from '../reconcile/build-report.ts';
import { NO_EVIDENCE } from '../reconcile/cause.ts';
import { onlyVolumes } from '../reconcile/evidence.ts';
import { judge } from '../reconcile/judge.ts';
import { clusterKey } from '../reconcile/mapping.ts';
import type { Claim, Evidence, Pair, VirtualCluster } from '../reconcile/model.ts';
import { addNeeds, noNeeds } from '../reconcile/needs.ts';
import type { Needs } from '../reconcile/needs.ts';
import { orphansOf, pairClaims } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { verdictOf } from '../reconcile/verdict.ts';
import type { ClaimReader, ClusterReader } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';
import { confirmMismatches } from './confirm.ts';
import type { Clusters } from './confirm.ts';

export interface CompareOptions {
  /** Tenant namespaces to look at; empty for all. */
  readonly tenantNamespaces: readonly string[];
  /** Judge consistent pairs with their evidence too. */
  readonly all: boolean;
  readonly orphans: boolean;
  /** Read a mismatch again before it counts: only a live cluster can have changed in between. */
  readonly confirm: boolean;
}

/** What could be found out of a tenant, and what could not. */
export interface Comparison {
  readonly result: TenantResult;
  /** Evidence that could not be read: the verdicts stand, some causes are undetermined. */
  readonly errors: readonly string[];
  /** Tenant namespaces of claims, orphans' too. */
  readonly namespaces: ReadonlySet<string>;
}

/**
 * @param superClaims asked for once the tenant's own claims are read
 * @throws UserError where claims cannot be read.
 */
export async function compareTenant(
  virtualCluster: VirtualCluster,
  clusters: Clusters,
  superClaims: () => Promise<SuperClaims>,
  options: CompareOptions,
  signal: AbortSignal,
): Promise<Comparison> {
  const key = clusterKey(virtualCluster);
  const claims = await tenantClaims(clusters.tenant, options.tenantNamespaces, signal);
  const index = await superClaims();
  const listed = pairClaims(key, claims, index);
  const orphans = options.orphans
    ? orphansOf(key, listed, index).filter((pair) => inScope(pair, options))
    : [];
  const pairs = options.confirm ? await confirmMismatches(listed, clusters, signal) : listed;
  const shown = [...pairs.filter((pair) => options.all || verdictOf(pair) !== 'Consistent'), ...orphans];
  const errors: string[] = [];
  const needs = needsOf(shown);
  const [tenant, superEvidence] = await Promise.all([
    evidenceOr(clusters.tenant, needs.tenant, signal, errors),
    evidenceOr(clusters.super, needs.super, signal, errors),
  ]);
  const evidence = { tenant, super: superEvidence };
  const judgements = shown.map((pair) => judge(pair, evidence));
  const shownEvidence = {
    tenant: onlyVolumes(tenant, needs.tenant.volumes),
    super: onlyVolumes(superEvidence, needs.super.volumes),
  };
  return {
    result: { virtualCluster, claims: pairs.length, judgements, evidence: shownEvidence },
    errors,
    namespaces: new Set([...listed, ...orphans].map(({ owner }) => owner.namespace)),
  };
}

/** @param namespaces those asked for; empty for all */
export async function tenantClaims(
  tenant: ClaimReader,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<Claim[]> {
  if (namespaces.length === 0) return tenant.claims(null, signal);
  return (await mapConcurrently(namespaces, 4, (namespace) => tenant.claims(namespace, signal))).flat();
}

function inScope(pair: Pair, options: CompareOptions): boolean {
  return options.tenantNamespaces.length === 0 || options.tenantNamespaces.includes(pair.owner.namespace);
}

function needsOf(pairs: readonly Pair[]): { tenant: Needs; super: Needs } {
  const needs = { tenant: noNeeds(), super: noNeeds() };
  for (const pair of pairs) addNeeds(needs, pair, verdictOf(pair));
  return needs;
}

/** A verdict rests on claims alone: it is worth reporting even where a cause's evidence is out of reach. */
async function evidenceOr(
  reader: ClusterReader,
  needs: Needs,
  signal: AbortSignal,
  errors: string[],
): Promise<Evidence> {
  try {
    return await reader.evidence(needs, signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    errors.push(error.message);
    return NO_EVIDENCE;
  }
}
