/** One held claim given back to its tenant's PV controller, whatever its super claim is. */
import { UserError } from '../errors.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import type { Claim } from '../reconcile/model.ts';
import { releaseOf } from '../reconcile/plan.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { SyncItem } from '../reconcile/sync-report.ts';
import type { ReleaseOptions } from './release-all.ts';
import { isPerformed, isUnchanged, sendPlan } from './send-plan.ts';
import type { TenantApi } from './tenant-api.ts';
import { withTimeLimit } from './time-limit.ts';

const MOST_ATTEMPTS = 8;

/** What a row says besides the claim. */
type End = Pick<SyncItem, 'outcome' | 'message' | 'is' | 'patch'>;

/** @throws UserError where the tenant does not answer, or the permission is missing. */
export async function releaseClaim(
  first: Claim,
  api: TenantApi,
  reader: ClusterReader,
  { now, signal }: ReleaseOptions,
): Promise<End> {
  let claim = first;
  const unchanged = (message: string, is: string): End => ({
    outcome: 'Unchanged',
    message,
    is,
    patch: null,
  });
  for (let attempts = 1; ; attempts += 1) {
    if (signal.aborted) return unchanged('interrupted before it was released', claim.phase);
    const attempt = await sendPlan(api, releaseOf(claim), now(), false);
    const { kind, plan, patch } = attempt;
    const released: End = {
      outcome: api.dryRun ? 'Accepted' : 'Released',
      message: GIVEN_BACK,
      is: plan.phase,
      patch,
    };
    if (kind === 'done') return released;
    if (kind === 'refused') return { outcome: 'Refused', message: attempt.message, is: claim.phase, patch };
    const again = await readAgain(claim, reader, signal, kind === 'unanswered' ? attempt.error : null);
    if (again === null || again.uid !== claim.uid) return unchanged('deleted in the meantime', '');
    if (isPerformed(plan, again)) return { ...released, is: again.phase };
    if (!again.held) return unchanged('released in the meantime', again.phase);
    if (kind === 'unanswered') throw attempt.error;
    if (isUnchanged(claim, again)) {
      return { outcome: 'Refused', message: attempt.message, is: again.phase, patch };
    }
    if (attempts >= MOST_ATTEMPTS) {
      const message = `changed by somebody else at each of ${MOST_ATTEMPTS} attempts`;
      return { outcome: 'Refused', message, is: again.phase, patch };
    }
    claim = again;
  }
}

const GIVEN_BACK = "given back to the tenant's PV controller";

/** @param failure that of the write, to be told where the tenant does not answer the read either */
async function readAgain(
  { namespace, name }: Claim,
  reader: ClusterReader,
  signal: AbortSignal,
  failure: UserError | null,
): Promise<Claim | null> {
  try {
    return await withTimeLimit((within) => reader.claim(namespace, name, within), signal);
  } catch (error) {
    throw failure !== null && error instanceof UserError ? failure : error;
  }
}

/** The row of a released claim. */
export function releasedRow(
  { namespace, name }: VirtualClusterName,
  claim: Claim,
  { outcome, message, is, patch }: End,
): SyncItem {
  return {
    virtualCluster: { namespace, name },
    tenant: { namespace: claim.namespace, name: claim.name, uid: claim.uid },
    super: null,
    verdict: null,
    cause: null,
    action: 'Release',
    was: claim.phase,
    is,
    outcome,
    message,
    patch,
  };
}
