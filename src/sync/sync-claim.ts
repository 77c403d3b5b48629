/** One claim, from its judgement to its row: written, its Event recorded, watched, written again where that helps. */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { Action } from '../reconcile/model.ts';
import type { Outcome, SentPatch, SyncItem } from '../reconcile/sync-report.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { ClaimWatch } from './claim-watch.ts';
import { conclude } from './conclude.ts';
import type { Conclusion, Keeping } from './conclude.ts';
import { recordEvent, removeEvent } from './events.ts';
import { writeClaim } from './write-claim.ts';
import type { Troubles } from './troubles.ts';
import type { WriteContext, WriteEnd } from './write-claim.ts';

/** The policy makes a second try useful: the API server that undid the first knows it a moment later. */
const MOST_TRIES = 3;
/** Milliseconds, times the tries so far. */
const BEFORE_NEXT_TRY = 500;

export interface ClaimContext extends WriteContext {
  readonly virtualCluster: VirtualClusterName;
  readonly keeping: Keeping;
  readonly watch: ClaimWatch;
  readonly troubles: Troubles;
}

/**
 * Writes one claim.
 * @returns once it is written; the row comes when the tenant's PV controller has answered
 * @throws UserError as writeClaim.
 */
export async function syncClaim(
  judgement: Judgement,
  context: ClaimContext,
): Promise<{ readonly row: Promise<SyncItem> }> {
  const end = await writeClaim(judgement, context);
  if (end.kind === 'written') await tellTenant(end, context);
  const row = rowAfter(judgement, end, context);
  // It is awaited when all are written: until then a failure must not count as unhandled.
  row.catch(() => {});
  return { row };
}

async function rowAfter(judgement: Judgement, first: WriteEnd, context: ClaimContext): Promise<SyncItem> {
  let end = first;
  const row = (outcome: Outcome, message: string, is: string): SyncItem =>
    itemOf(context.virtualCluster, judgement, end.judgement ?? judgement, {
      outcome,
      message,
      is,
      sent: end.kind === 'unneeded' ? null : sentOf(end),
    });
  for (let tries = 1; end.kind === 'written'; tries += 1) {
    const { phase } = end.claim;
    try {
      const { outcome, message, is, contested } = await concluded(end, context);
      if (!contested || tries >= MOST_TRIES || context.signal.aborted) return row(outcome, message, is);
      await pause(tries * BEFORE_NEXT_TRY, context.signal);
      end = await writeClaim(asItIs(end), context);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.troubles.add('unseen', error);
      return row('Written', 'written, but what became of it could not be seen', phase);
    }
  }
  const is = end.judgement?.pair.tenant?.phase ?? '';
  return row(end.kind === 'refused' ? 'Refused' : 'Unchanged', end.message, is);
}

/** Ends early, without an error, when the command does. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

type Written = Extract<WriteEnd, { kind: 'written' }>;

function concluded({ plan, claim }: Written, context: ClaimContext): Promise<Conclusion> {
  const { keeping, watch, clusters, signal } = context;
  return conclude(plan, claim, keeping, watch, clusters.tenant, signal);
}

/** The judgement of a claim as the write left it: its plan meets a conflict if it has changed since. */
function asItIs({ judgement, claim }: Written): Judgement {
  return { ...judgement, pair: { ...judgement.pair, tenant: claim } };
}

function sentOf({ plan, patch }: Exclude<WriteEnd, { kind: 'unneeded' }>): RowEnd['sent'] {
  return { action: plan.action, patch };
}

/** The Event is for people: that it cannot be written is told, and keeps nothing from being done. */
async function tellTenant({ plan }: Written, { api, now, troubles }: ClaimContext): Promise<void> {
  try {
    if (plan.action === 'Release') await removeEvent(api, plan);
    else await recordEvent(api, plan, now(), false);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    troubles.add('events', error);
  }
}

/** The row of a claim of which it is not known that it was written. */
export function failedItem(virtualCluster: VirtualClusterName, judgement: Judgement, why: string): SyncItem {
  const is = judgement.pair.tenant?.phase ?? '';
  return itemOf(virtualCluster, judgement, judgement, { outcome: 'Failed', message: why, is, sent: null });
}

/** What a row says besides what was judged. */
interface RowEnd {
  readonly outcome: SyncItem['outcome'];
  readonly message: string;
  readonly is: string;
  /** null where nothing was to be sent. */
  readonly sent: { readonly action: Action; readonly patch: SentPatch } | null;
}

/**
 * A claim's row.
 * @param first as it was when the run began
 * @param last as it was when its turn came
 */
export function itemOf(
  { namespace, name }: VirtualClusterName,
  first: Judgement,
  last: Judgement,
  { outcome, message, is, sent }: RowEnd,
): SyncItem {
  const { tenant } = first.pair;
  const superClaim = last.pair.super;
  return {
    virtualCluster: { namespace, name },
    tenant: { namespace: tenant?.namespace ?? '', name: tenant?.name ?? '', uid: tenant?.uid ?? '' },
    super:
      superClaim === null
        ? null
        : { namespace: superClaim.namespace, name: superClaim.name, phase: superClaim.phase },
    verdict: last.verdict,
    cause: last.cause,
    action: sent?.action ?? null,
    was: tenant?.phase ?? '',
    is,
    outcome,
    message,
    patch: sent?.patch ?? null,
  };
}
