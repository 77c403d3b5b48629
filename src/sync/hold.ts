/** The admission policy of a tenant: read, installed, awaited, removed. What it says is in reconcile/hold-policy.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import { STRATEGIC_MERGE_PATCH } from '../kube/api.ts';
import type { Write } from '../kube/api.ts';
import { fields, list, text } from '../kube/objects/from-json.ts';
import { StatusError } from '../kube/status-error.ts';
import {
  HOLD_BINDING,
  HOLD_NAME,
  HOLD_POLICY,
  PROBE_PATCH,
  isRefusalOfHold,
  standingOf,
} from '../reconcile/hold-policy.ts';
import type { Standing } from '../reconcile/hold-policy.ts';
import { HOLD_CONDITION } from '../reconcile/model.ts';
import type { Claim } from '../reconcile/model.ts';
import { isLackOfPermission, statusPath } from './tenant-api.ts';
import type { TenantApi } from './tenant-api.ts';

const API = '/apis/admissionregistration.k8s.io/v1';

/** Between creating a policy and its taking effect 0.8 s were measured; a loaded API server takes longer. Milliseconds. */
const EFFECTIVE_WITHIN = 30_000;
const BETWEEN_PROBES = 50;

const PARTS = [
  { path: `${API}/validatingadmissionpolicies`, wanted: HOLD_POLICY },
  { path: `${API}/validatingadmissionpolicybindings`, wanted: HOLD_BINDING },
] as const;

/** One of the two objects as it stands in a tenant. */
interface Part {
  readonly path: string;
  readonly wanted: (typeof PARTS)[number]['wanted'];
  readonly found: unknown;
  readonly standing: Standing;
}

/** The policy and its binding as they stand in a tenant. */
export interface Hold {
  /** foreign where one is; outdated where they differ. */
  readonly standing: Standing;
  readonly parts: readonly Part[];
}

/** @throws StatusError, UserError */
export async function readHold(api: TenantApi): Promise<Hold> {
  const parts = await Promise.all(
    PARTS.map(async ({ path, wanted }): Promise<Part> => {
      const found = await api.find(`${path}/${HOLD_NAME}`);
      return { path, wanted, found, standing: standingOf(found, wanted) };
    }),
  );
  const standings = parts.map(({ standing }) => standing);
  return { parts, standing: standings.find((one) => one === 'foreign') ?? sameOr(standings, 'outdated') };
}

/**
 * Whether a tenant has the API at all. A kind that is not served and an object that does not exist both answer 404;
 * what is served, discovery tells.
 * @throws StatusError, UserError
 */
export async function isServed(api: TenantApi): Promise<boolean> {
  const group = fields(await api.find(API));
  const names = list(group['resources']).map((resource) => text(fields(resource)['name']));
  return PARTS.every(({ path }) => names.some((name) => path.endsWith(`/${name}`)));
}

function sameOr(standings: readonly Standing[], otherwise: Standing): Standing {
  const [first = otherwise] = standings;
  return standings.every((one) => one === first) ? first : otherwise;
}

/**
 * Creates or renews what is missing. An object that is not ours is never touched: `hold` must not be foreign.
 * @throws StatusError, UserError
 */
export async function installHold(api: TenantApi, hold: Hold): Promise<void> {
  for (const { path, wanted, found, standing } of hold.parts) {
    if (standing === 'absent') await unlessThere(api, path, wanted, { method: 'POST', path, body: wanted });
    if (standing === 'outdated') {
      const { resourceVersion } = (found as { metadata: { resourceVersion?: unknown } }).metadata;
      const body = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
      await unlessThere(api, path, wanted, { method: 'PUT', path: `${path}/${HOLD_NAME}`, body });
    }
  }
}

/** Another run may be at the same work: what it has written serves as well, if it is the same. */
async function unlessThere(
  api: TenantApi,
  path: string,
  wanted: Part['wanted'],
  write: Write,
): Promise<void> {
  try {
    await api.send(write);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    const found = await api.find(`${path}/${HOLD_NAME}`);
    if (standingOf(found, wanted) !== 'ours') throw error;
  }
}

/**
 * Waits until the policy is in effect: a dry run of what it always refuses is refused.
 * @param claims any claims of the tenant; one that is there is enough
 * @throws StatusError, UserError where it does not come into effect.
 */
export async function holdInEffect(
  api: TenantApi,
  claims: readonly Pick<Claim, 'namespace' | 'name'>[],
  signal: AbortSignal,
): Promise<void> {
  // Not the wall clock: it may be set meanwhile.
  const deadline = performance.now() + EFFECTIVE_WITHIN;
  for (const claim of claims) {
    for (;;) {
      signal.throwIfAborted();
      const answer = await probe(api, statusPath(claim));
      if (answer === 'in effect') return;
      if (answer === 'no such claim') break;
      if (performance.now() > deadline) {
        throw new UserError(
          `ValidatingAdmissionPolicy ${HOLD_NAME} has not come into effect within ${EFFECTIVE_WITHIN / 1000}s on ${api.connection.settings.description}: see its status, and whether a mutating admission policy or webhook changes conditions of claims; then run sync again`,
        );
      }
      await delay(BETWEEN_PROBES);
    }
  }
}

async function probe(api: TenantApi, path: string): Promise<'in effect' | 'not yet' | 'no such claim'> {
  try {
    await api.send({ method: 'PATCH', path, type: STRATEGIC_MERGE_PATCH, body: PROBE_PATCH }, true);
    return 'not yet';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code === 404) return 'no such claim';
    if (isRefusalOfHold(error.statusMessage)) return 'in effect';
    if ((error.code !== 403 && error.code !== 422) || isLackOfPermission(error)) throw error;
    const { description } = api.connection.settings;
    const why = error.statusMessage === '' ? error.message : error.statusMessage;
    throw new UserError(
      `nothing is written to ${description}: it refuses condition ${HOLD_CONDITION} on claims (a dry run, to see whether ${HOLD_NAME} is in effect): ${why}; have what refuses it except requests whose condition is this one`,
    );
  }
}

/**
 * Deletes what is ours, the binding first: a binding without its policy would be one without purpose.
 * @throws StatusError of code 409 where somebody has changed it since it was read.
 */
export async function removeHold(api: TenantApi, hold: Hold): Promise<void> {
  for (const { path, found, standing } of hold.parts.toReversed()) {
    if (standing !== 'ours' && standing !== 'outdated') continue;
    const { metadata } = found as { metadata: { uid?: unknown; resourceVersion?: unknown } };
    const { uid, resourceVersion } = metadata;
    await api.remove(`${path}/${HOLD_NAME}`, { uid, resourceVersion });
  }
}

/** The objects of ours that are there. */
export function ownObjects(hold: Hold): readonly object[] {
  return hold.parts
    .filter(({ standing }) => standing === 'ours' || standing === 'outdated')
    .map(({ wanted }) => wanted);
}
