/** What sync does in one tenant: sort what was judged, see to the policy, write, watch. */
import { UserError } from '../errors.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import { agendaOf } from '../reconcile/agenda.ts';
import type { Agenda } from '../reconcile/agenda.ts';
import type { TenantResult } from '../reconcile/build-report.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { DryRun, SyncItem, TenantSync } from '../reconcile/sync-report.ts';
import { ClaimWatch } from './claim-watch.ts';
import { dryRunItem } from './dry-run.ts';
import { TAKEN_AWAY, UNKNOWN, dropIdleHold, plannedHold, seeToHold, stillKept } from './keep.ts';
import type { Kept } from './keep.ts';
import { failedItem, itemOf, syncClaim } from './sync-claim.ts';
import type { ClaimContext } from './sync-claim.ts';
import { HOLD_ROLE, TenantApi } from './tenant-api.ts';
import { Troubles } from './troubles.ts';
import { NOT_TRIED, untilTrouble } from './until-trouble.ts';

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

/** Carries out the plan in one tenant. Throws nothing that a tenant can cause: every claim that is due gets a row. */
export async function syncTenant(
  result: TenantResult,
  tenant: OpenTenant,
  superCluster: ClusterReader,
  options: SyncOptions,
): Promise<TenantSync> {
  const settling = tenant.api === null ? null : { now: options.now(), grace: options.grace };
  const agenda = agendaOf(result.judgements, settling);
  const { namespace, name } = result.virtualCluster;
  const troubles = new Troubles();
  const work: Work = {
    virtualCluster: { namespace, name },
    agenda,
    tenant,
    superCluster,
    options,
    troubles,
  };
  const { items, kept } = await carryOut(work);
  return {
    items: [...standing(work, kept), ...items],
    hold: kept.hold === null ? null : { virtualCluster: work.virtualCluster, ...kept.hold },
    errors: troubles.lines(),
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
  readonly troubles: Troubles;
}

interface CarriedOut {
  readonly items: readonly SyncItem[];
  readonly kept: Kept;
}

async function carryOut(work: Work): Promise<CarriedOut> {
  const { agenda, tenant, virtualCluster, options, troubles } = work;
  const { due } = agenda;
  if (tenant.api === null || options.dryRun === 'client') {
    const items = await Promise.all(due.map((one) => dryRunItem(virtualCluster, one, null, options.now())));
    return { items, kept: { ...UNKNOWN, hold: plannedHold(agenda, options.hold) } };
  }
  const api = new TenantApi(tenant.api, options.dryRun === 'server');
  try {
    const kept = await seeToHold(api, agenda, options.hold, options.signal);
    if (api.dryRun) {
      const ask = (one: Judgement): Promise<SyncItem> => dryRunItem(virtualCluster, one, api, options.now());
      return { items: await untilTrouble(due, ask, failedIn(work)), kept };
    }
    const items = await writeAll(work, api, kept);
    return await settleHold(work, api, { items, kept });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    troubles.add('other', error);
    const why = 'not tried: see the error';
    return { items: due.map((one) => failedItem(virtualCluster, one, why)), kept: UNKNOWN };
  }
}

/** The row of a claim that failed; the first failure is an error of the tenant's too. */
function failedIn({
  virtualCluster,
  troubles,
}: Work): (judgement: Judgement, error: UserError | null) => SyncItem {
  return (judgement, error) => {
    if (error !== null) troubles.add('other', error);
    return failedItem(virtualCluster, judgement, error?.message ?? NOT_TRIED);
  };
}

async function writeAll(work: Work, api: TenantApi, { keeping }: Kept): Promise<SyncItem[]> {
  const { virtualCluster, agenda, tenant, superCluster, options, troubles } = work;
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
    troubles,
  };
  try {
    await watch.start(tenantNamespaces.length === 0 ? null : tenantNamespaces, signal);
    const failed = failedIn(work);
    const written = await untilTrouble(
      agenda.due,
      (one) => syncClaim(one, context),
      (one, error) => ({ row: Promise.resolve(failed(one, error)) }),
    );
    return await Promise.all(written.map(({ row }) => row));
  } finally {
    await watch.stop();
  }
}

/** Looks whether the policy still keeps what was written, and takes one away that keeps nothing any more. */
async function settleHold(
  { agenda, tenant, options, troubles }: Work,
  api: TenantApi,
  done: CarriedOut,
): Promise<CarriedOut> {
  const { items, kept } = done;
  if (kept.keeping.kind !== 'policy' || options.signal.aborted) return done;
  try {
    if (items.some(({ action }) => action === 'SetPhase')) {
      if (await stillKept(api)) return done;
      const lost = { keeping: { kind: 'none', advice: TAKEN_AWAY }, hold: null } as const;
      return { items: items.map(notKept), kept: lost };
    }
    if (agenda.held.length > 0 || !options.wholeTenant) return done;
    const removed = await dropIdleHold(api, tenant.reader, options.signal);
    return removed
      ? { items, kept: { ...kept, hold: { state: 'Removed', message: '', objects: [] } } }
      : done;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // What was written must be told all the same.
    troubles.add('other', error, HOLD_ROLE);
    return done;
  }
}

/** A row that rests on a policy which is there no more. */
function notKept(item: SyncItem): SyncItem {
  return item.outcome === 'Held' || item.outcome === 'Reverted'
    ? { ...item, outcome: 'Reverted', message: TAKEN_AWAY }
    : item;
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
