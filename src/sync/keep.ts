/** Sees to it that a tenant has the admission policy that its claims need, and none that nothing needs. */
import { UserError } from '../errors.ts';
import type { ClusterReader } from '../fleet/cluster.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Agenda } from '../reconcile/agenda.ts';
import { needsHold } from '../reconcile/agenda.ts';
import { HOLD_BINDING, HOLD_NAME, HOLD_POLICY } from '../reconcile/hold-policy.ts';
import type { Standing } from '../reconcile/hold-policy.ts';
import type { Claim } from '../reconcile/model.ts';
import type { HoldReport } from '../reconcile/sync-report.ts';
import type { Keeping } from './conclude.ts';
import { holdInEffect, installHold, isServed, readHold, removeHold } from './hold.ts';
import type { Hold } from './hold.ts';
import { HOLD_ROLE, isLackOfPermission, withRole } from './tenant-api.ts';
import type { TenantApi } from './tenant-api.ts';
import { withTimeLimit } from './time-limit.ts';

/** How a tenant keeps what is written, and what is to be reported of it; null where there is nothing to report. */
export interface Kept {
  readonly keeping: Keeping;
  readonly hold: Omit<HoldReport, 'virtualCluster'> | null;
}

const BY_POLICY: Kept = {
  keeping: { kind: 'policy' },
  hold: { state: 'Effective', message: '', objects: [] },
};
/** Not asked for, and not to be known: whatever is written will show whether it is kept. */
export const UNKNOWN: Kept = {
  keeping: { kind: 'unknown', advice: '--hold makes it stay' },
  hold: null,
};
const UNASKED: Kept = { ...UNKNOWN, keeping: { kind: 'none', advice: '--hold makes it stay' } };
const OUTDATED = `policy ${HOLD_NAME} is not whole, or of another version: --hold puts it right`;
/** What a policy that is not asked for is worth. */
const STANDING: Readonly<Record<Standing, Kept>> = {
  absent: UNASKED,
  foreign: UNASKED,
  ours: BY_POLICY,
  outdated: {
    keeping: { kind: 'none', advice: OUTDATED },
    hold: { state: 'Outdated', message: OUTDATED, objects: [] },
  },
};
const UNSUPPORTED =
  "this tenant's API server has no ValidatingAdmissionPolicy (it came with Kubernetes 1.30): condition and Event tell the truth, the phase cannot be made to stay";
const FOREIGN = `an object named ${HOLD_NAME} that is not ours is in the way (ValidatingAdmissionPolicy or its binding, without label app.kubernetes.io/managed-by=vc-pvc): it was left as it is, the phase cannot be made to stay`;

/** What a dry run by the client says: nothing is asked of the tenant. */
export function plannedHold(agenda: Agenda, requested: boolean): Kept['hold'] {
  if (!requested || !needsHold(agenda)) return null;
  return { state: 'Planned', message: '', objects: [HOLD_POLICY, HOLD_BINDING] };
}

/**
 * Reads the policy, and with --hold installs it where it is needed and waits until it is in effect.
 * @param requested --hold
 * @throws UserError where --hold asks for what may not be done or does not come into effect: nothing is written then.
 */
export async function seeToHold(
  api: TenantApi,
  agenda: Agenda,
  requested: boolean,
  signal: AbortSignal,
): Promise<Kept> {
  const wanted = requested && needsHold(agenda);
  try {
    const hold = await readHold(api);
    if (hold.standing === 'foreign' && wanted) return nothingKeeps(FOREIGN, 'Foreign');
    if (!wanted) return STANDING[hold.standing];
    if (hold.standing === 'absent' && !(await isServed(api))) return nothingKeeps(UNSUPPORTED, 'Unsupported');
    await installHold(api, hold);
    if (api.dryRun) return { ...BY_POLICY, hold: plannedHold(agenda, requested) };
    await holdInEffect(api, claimsOf(agenda), signal);
    return BY_POLICY;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (wanted) throw withRole(error, HOLD_ROLE);
    if (!isLackOfPermission(error)) throw error;
    return UNKNOWN;
  }
}

function nothingKeeps(why: string, state: 'Unsupported' | 'Foreign'): Kept {
  return { keeping: { kind: 'none', advice: why }, hold: { state, message: why, objects: [] } };
}

function claimsOf({ due, held }: Agenda): Claim[] {
  return [...due, ...held].flatMap(({ pair }) => (pair.tenant === null ? [] : [pair.tenant]));
}

/**
 * Whether the policy that kept what was written still stands as it should: another run, or somebody's hand, may have
 * taken it away in between. @throws UserError
 */
export async function stillKept(api: TenantApi): Promise<boolean> {
  return (await readHold(api)).standing === 'ours';
}

/** Why what was written is not kept after all. */
export const TAKEN_AWAY = `policy ${HOLD_NAME} was taken away or changed while this ran: run sync --hold again`;

/**
 * Removes a policy of ours when no claim of the tenant carries the condition any more. The policy is read before the
 * claims are, and deleted as it was read. A run that writes holds at the same moment looks at the end whether it still stands.
 * @returns whether it is gone. @throws UserError
 */
export async function dropIdleHold(
  api: TenantApi,
  reader: ClusterReader,
  signal: AbortSignal,
): Promise<boolean> {
  const hold: Hold = await readHold(api);
  if (hold.standing !== 'ours' && hold.standing !== 'outdated') return false;
  const claims = await withTimeLimit((within) => reader.claims(null, within), signal);
  if (claims.some(({ held }) => held)) return false;
  try {
    await removeHold(api, hold);
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === 409) return false;
    throw error;
  }
}
