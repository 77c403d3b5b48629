/** What would be written, by our own word or by the tenant's API server's. */
import { oneLine } from '../errors.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Judgement } from '../reconcile/judge.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { SentPatch, SyncItem } from '../reconcile/sync-report.ts';
import { itemOf } from './sync-claim.ts';
import { isLackOfPermission, patchOf } from './tenant-api.ts';
import type { TenantApi } from './tenant-api.ts';

/**
 * The row of a claim that is due.
 * @param api null: the client alone says what it would do
 * @param now milliseconds since the epoch
 * @throws UserError where the tenant does not answer, or the permission is missing.
 */
export async function dryRunItem(
  virtualCluster: VirtualClusterName,
  judgement: Judgement,
  api: TenantApi | null,
  now: number,
): Promise<SyncItem> {
  const { plan } = judgement;
  if (plan === null) throw new Error('a claim that is due has a plan');
  const patch = patchOf(plan, now);
  const planned = {
    outcome: 'Planned',
    message:
      plan.condition === null
        ? 'the super claim is Bound again: would be released'
        : `${plan.condition.reason}: would show the super claim's phase`,
    is: plan.phase,
  } as const;
  const sent = { action: plan.action, patch };
  const end = api === null ? planned : await asked(api, patch, planned.message, plan.was);
  return itemOf(virtualCluster, judgement, judgement, { ...end, sent });
}

async function asked(
  api: TenantApi,
  patch: SentPatch,
  planned: string,
  was: string,
): Promise<Pick<SyncItem, 'outcome' | 'message' | 'is'>> {
  try {
    const claim = await api.patch(patch);
    return { outcome: 'Accepted', message: planned, is: claim.phase };
  } catch (error) {
    if (!(error instanceof StatusError) || isLackOfPermission(error)) throw error;
    const message = oneLine(`the tenant's API server would refuse: ${error.statusMessage}`);
    return { outcome: 'Refused', message, is: was };
  }
}
