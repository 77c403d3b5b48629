/** What sync writes in a tenant: the thin edge that performs what the core decided. */
import { UserError } from '../errors.ts';
import { STRATEGIC_MERGE_PATCH } from '../kube/api.ts';
import type { Write } from '../kube/api.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { CLAIMS, objectPath } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import { FIELD_MANAGER, statusPatch } from '../reconcile/patch.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { SentPatch } from '../reconcile/sync-report.ts';

/** A write is finished or given up within this time even where the user has set no limit, or ends the command. Milliseconds. */
const WRITE_TIMEOUT = 30_000;

/** The roles of plugin/deploy/rbac-tenant.yaml. */
export const SYNC_ROLE = 'vc-pvc-tenant-sync';
export const HOLD_ROLE = 'vc-pvc-tenant-hold';

/** The request that performs a plan. @param now milliseconds since the epoch */
export function patchOf(plan: Plan, now: number): SentPatch {
  return {
    method: 'PATCH',
    path: statusPath(plan),
    contentType: STRATEGIC_MERGE_PATCH,
    body: statusPatch(plan, now),
  };
}

/** The path of a claim's status. */
export function statusPath({ namespace, name }: Pick<Claim, 'namespace' | 'name'>): string {
  return `${objectPath(CLAIMS, namespace, name)}/status`;
}

/** Writes to one tenant, as field manager vc-pvc; where `dryRun`, the API server only says what it would do. */
export class TenantApi {
  readonly connection: ApiConnection;
  readonly dryRun: boolean;

  constructor(connection: ApiConnection, dryRun: boolean) {
    this.connection = connection;
    this.dryRun = dryRun;
  }

  /** Sends a patch. @returns the claim as it then is. @throws StatusError, UserError */
  async patch(patch: SentPatch): Promise<Claim> {
    return CLAIMS.fromJson(await this.send({ ...patch, type: patch.contentType }));
  }

  /**
   * Any other write. A lacking permission is told with the role that grants it.
   * @throws StatusError, UserError
   */
  async send({ method, path, body, type, query }: Write, dryRun = this.dryRun): Promise<unknown> {
    return this.connection.write({
      method,
      path,
      query: {
        ...(method === 'DELETE' ? {} : { fieldManager: FIELD_MANAGER }),
        ...(dryRun ? { dryRun: 'All' } : {}),
        ...query,
      },
      ...(body === undefined ? {} : { body }),
      ...(type === undefined ? {} : { type }),
      signal: AbortSignal.timeout(WRITE_TIMEOUT),
    });
  }

  /** An object, null where there is none. @throws StatusError, UserError */
  async find(path: string): Promise<unknown> {
    return orNull(this.connection.getJson(path, { signal: AbortSignal.timeout(WRITE_TIMEOUT) }));
  }

  /** Deletes what has exactly this uid and resourceVersion; one that is gone is as good. @throws StatusError, UserError */
  async remove(path: string, seen: unknown): Promise<void> {
    const { metadata } = seen as { metadata?: { uid?: unknown; resourceVersion?: unknown } };
    const preconditions = { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion };
    await orNull(this.send({ method: 'DELETE', path, body: { preconditions } }));
  }
}

/** null in place of an answer of 404. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return null;
    throw error;
  }
}

/**
 * Whether an API server refuses for want of a permission, rather than by an admission policy or webhook, which also
 * answer 403 (k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go, Forbidden).
 */
export function isLackOfPermission(error: unknown): boolean {
  return (
    error instanceof StatusError && error.code === 403 && /\bcannot \w+ resource\b/.test(error.statusMessage)
  );
}

/** The same error, with the role of plugin/deploy/rbac-tenant.yaml that grants what is missing. */
export function withRole(error: UserError, role: typeof SYNC_ROLE | typeof HOLD_ROLE): UserError {
  if (!isLackOfPermission(error)) return error;
  return new UserError(`${error.message}; ClusterRole ${role} of plugin/deploy/rbac-tenant.yaml grants it`);
}
