/** One claim, from its judgement to its row: written, its Event recorded, watched, written again where that helps. */
import { UserError } from '../errors.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { SentPatch, SyncItem } from '../reconcile/sync-report.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { ClaimWatch } from './claim-watch.ts';
import { conclude } from './conclude.ts';
import type { Keeping } from './conclude.ts';
import { recordEvent, removeEvent } from './events.ts';
import { writeClaim } from './write-claim.ts';
import type { WriteContext, WriteEnd } from './write-claim.ts';

/** The policy makes a second try useful: the API server that undid the first knows it a moment later. */
const MOST_TRIES = 3;

export interface ClaimContext extends WriteContext {
  readonly virtualCluster: VirtualClusterName;
  readonly keeping: Keeping;
  readonly watch: ClaimWatch;
  /** Told what could not be done beside the claim itself. */
  readonly onTrouble: (error: UserError) => void;
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
  const { keeping, watch, clusters, signal } = context;
  let end = first;
  for (let tries = 1; end.kind === 'written'; tries += 1) {
    const { plan, patch } = end;
    const concluded = await conclude(plan, end.claim, keeping, watch, clusters.tenant, signal);
    const { outcome, message, is } = concluded;
    if (!concluded.contested || tries >= MOST_TRIES || signal.aborted) {
      return itemOf(context.virtualCluster, judgement, end.judgement, { outcome, message, is, patch });
    }
    end = await writeClaim({ ...end.judgement, pair: { ...end.judgement.pair, tenant: end.claim } }, context);
  }
  const now = end.judgement ?? judgement;
  return itemOf(context.virtualCluster, judgement, now, {
    outcome: end.kind === 'refused' ? 'Refused' : 'Unchanged',
    message: end.message,
    is: now.pair.tenant?.phase ?? '',
    patch: end.kind === 'refused' ? end.patch : null,
  });
}

/** The Event is for people: that it cannot be written is told, and keeps nothing from being done. */
async function tellTenant(
  { plan, judgement }: Extract<WriteEnd, { kind: 'written' }>,
  { api, now, onTrouble }: ClaimContext,
): Promise<void> {
  try {
    if (plan.action === 'Release') await removeEvent(api, plan);
    else await recordEvent(api, { ...plan, condition: judgement.plan?.condition ?? plan.condition }, now());
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onTrouble(error);
  }
}

/** What a row says besides what was judged. */
interface RowEnd {
  readonly outcome: SyncItem['outcome'];
  readonly message: string;
  readonly is: string;
  readonly patch: SentPatch | null;
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
  end: RowEnd,
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
    action: last.plan?.action ?? null,
    was: tenant?.phase ?? '',
    ...end,
  };
}
