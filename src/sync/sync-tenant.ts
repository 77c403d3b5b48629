/** What sync does in one tenant: sort what was judged, see to the policy, write, watch. */
import { UserError } from '../errors.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import { mapConcurrently } from '../fleet/concurrency.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import { agendaOf } from '../reconcile/agenda.ts';
import type { Agenda } from '../reconcile/agenda.ts';
import type { TenantResult } from '../reconcile/build-report.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { DryRun, SyncItem, TenantSync } from '../reconcile/sync-report.ts';
import { ClaimWatch } from './claim-watch.ts';
import { dryRunItem } from './dry-run.ts';
import { UNKNOWN, dropIdleHold, plannedHold, seeToHold } from './keep.ts';
import type { Kept } from './keep.ts';
import { itemOf, syncClaim } from './sync-claim.ts';
import type { ClaimContext } from './sync-claim.ts';
import { SYNC_ROLE, TenantApi, withRole } from './tenant-api.ts';
import { untilTrouble } from './until-trouble.ts';

export interface SyncOptions {
  /** --hold. */
  readonly hold: boolean;
  readonly dryRun: DryRun;
  /** Tenant namespaces that are looked at; empty for all. */
  readonly tenantNamespaces: readonly string[];
  /** Every claim of the tenant is looked at: only then can a policy be seen to be without purpose. */
  readonly wholeTenant: boolean;
  /** Milliseconds. */
  readonly grace: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nothing new is begun once it is aborted. */
  readonly signal: AbortSignal;
}

/** Writes in flight in one tenant: its API server has other work to do. */
const WRITES_AT_ONCE = 8;

/** @throws UserError where the tenant cannot be written to. */
export async function syncTenant(
  result: TenantResult,
  tenant: OpenTenant,
  superCluster: ClusterReader,
  options: SyncOptions,
): Promise<TenantSync> {
  const settling = tenant.api === null ? null : { now: options.now(), grace: options.grace };
  const agenda = agendaOf(result.judgements, settling);
  const { namespace, name } = result.virtualCluster;
  const work: Work = { virtualCluster: { namespace, name }, agenda, tenant, superCluster, options };
  const { items, kept, errors } = await carryOut(work);
  return {
    items: [...standing(work, kept), ...items],
    hold: kept.hold === null ? null : { virtualCluster: work.virtualCluster, ...kept.hold },
    errors: [...new Set(errors.map((error) => withRole(error, SYNC_ROLE).message))],
    claims: result.claims,
    otherMismatches: agenda.otherMismatches,
    settling: agenda.settling,
  };
}

interface Work {
  readonly virtualCluster: { readonly namespace: string; readonly name: string };
  readonly agenda: Agenda;
  readonly tenant: OpenTenant;
  readonly superCluster: ClusterReader;
  readonly options: SyncOptions;
}

interface CarriedOut {
  readonly items: readonly SyncItem[];
  readonly kept: Kept;
  readonly errors: readonly UserError[];
}

async function carryOut(work: Work): Promise<CarriedOut> {
  const { agenda, tenant, virtualCluster, options } = work;
  const { due } = agenda;
  if (tenant.api === null || options.dryRun === 'client') {
    const items = await Promise.all(due.map((one) => dryRunItem(virtualCluster, one, null, options.now())));
    return { items, kept: { ...UNKNOWN, hold: plannedHold(agenda, options.hold) }, errors: [] };
  }
  const api = new TenantApi(tenant.api, options.dryRun === 'server');
  const kept = await seeToHold(api, agenda, options.hold, options.signal);
  if (api.dryRun) {
    const items = await mapConcurrently(due, WRITES_AT_ONCE, (one) =>
      dryRunItem(virtualCluster, one, api, options.now()),
    );
    return { items, kept, errors: [] };
  }
  const errors: UserError[] = [];
  const onTrouble = (error: UserError): void => void errors.push(error);
  const items = await writeAll(work, api, kept, onTrouble);
  return { items, kept: await settleHold(work, api, kept, items, onTrouble), errors };
}

async function writeAll(
  { virtualCluster, agenda, tenant, superCluster, options }: Work,
  api: TenantApi,
  { keeping }: Kept,
  onTrouble: (error: UserError) => void,
): Promise<SyncItem[]> {
  if (agenda.due.length === 0) return [];
  const { signal, tenantNamespaces, now, grace } = options;
  const uids = agenda.due.flatMap(({ pair }) => (pair.tenant === null ? [] : [pair.tenant.uid]));
  const watch = new ClaimWatch(api.connection, uids);
  const clusters = { tenant: tenant.reader, super: superCluster };
  const context: ClaimContext = {
    api,
    clusters,
    now,
    grace,
    signal,
    virtualCluster,
    keeping,
    watch,
    onTrouble,
  };
  try {
    await watch.start(tenantNamespaces.length === 0 ? null : tenantNamespaces, signal);
    const write = (one: Judgement): ReturnType<typeof syncClaim> => syncClaim(one, context);
    const written = await untilTrouble(agenda.due, WRITES_AT_ONCE, write, onTrouble);
    return await Promise.all(written.map(({ row }) => row));
  } finally {
    await watch.stop();
  }
}

/** A policy that keeps nothing any more goes. */
async function settleHold(
  { agenda, tenant, options }: Work,
  api: TenantApi,
  kept: Kept,
  items: readonly SyncItem[],
  onTrouble: (error: UserError) => void,
): Promise<Kept> {
  const idle = kept.hold?.state === 'Effective' && agenda.held.length === 0;
  const stillHeld = items.some(({ outcome }) => outcome === 'Held');
  if (!idle || stillHeld || !options.wholeTenant || options.signal.aborted) return kept;
  try {
    const removed = await dropIdleHold(api, tenant.reader, options.signal);
    return removed ? { ...kept, hold: { state: 'Removed', message: '', objects: [] } } : kept;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // What was written must be told all the same.
    onTrouble(error);
    return kept;
  }
}

/** The rows of claims that are not written: held already, or never to be. */
function standing({ virtualCluster, agenda }: Work, { keeping }: Kept): SyncItem[] {
  const row = (judgement: Judgement, outcome: 'Held' | 'Written' | 'Refused', message: string): SyncItem => {
    const is = judgement.pair.tenant?.phase ?? '';
    return itemOf(virtualCluster, judgement, judgement, { outcome, message, is, sent: null });
  };
  const shown = (judgement: Judgement): string =>
    `${judgement.cause?.code ?? 'Undetermined'}: shows the super claim's phase already`;
  return [
    ...agenda.held.map((one) =>
      keeping.kind === 'none'
        ? row(one, 'Written', `${shown(one)}, but nothing keeps it; ${keeping.advice}`)
        : row(one, 'Held', shown(one)),
    ),
    ...agenda.refused.map((one) => row(one, 'Refused', `${one.cause?.code}: ${one.cause?.message}`)),
  ];
}
