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
import { withTimeLimit } from './time-limit.ts';

/** The roles of plugin/deploy/rbac-tenant.yaml. */
export const SYNC_ROLE = 'vc-pvc-tenant-sync';
export const HOLD_ROLE = 'vc-pvc-tenant-hold';
export type TenantRole = typeof SYNC_ROLE | typeof HOLD_ROLE;

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
  readonly #mayWrite: () => boolean;
  readonly #underWay = new Set<Promise<unknown>>();

  /** @param mayWrite asked at the last moment before each write; false keeps it from being sent */
  constructor(connection: ApiConnection, dryRun: boolean, mayWrite: () => boolean = () => true) {
    this.connection = connection;
    this.dryRun = dryRun;
    this.#mayWrite = mayWrite;
  }

  /** Sends a patch. @param once as Write's. @returns the claim as it then is. @throws StatusError, UserError */
  async patch(patch: SentPatch, once = false): Promise<Claim> {
    return CLAIMS.fromJson(await this.send({ ...patch, type: patch.contentType, once }));
  }

  /** Any other write but a deletion. @throws StatusError, UserError */
  async send(
    { method, path, body, type, query, once = false }: Write,
    dryRun = this.dryRun,
  ): Promise<unknown> {
    return this.#write({
      method,
      path,
      query: { fieldManager: FIELD_MANAGER, ...(dryRun ? { dryRun: 'All' } : {}), ...query },
      ...(body === undefined ? {} : { body }),
      ...(type === undefined ? {} : { type }),
      once,
    });
  }

  /** An object, null where there is none. @throws StatusError, UserError */
  async find(path: string): Promise<unknown> {
    return orNull(withTimeLimit((signal) => this.connection.getJson(path, { signal })));
  }

  /**
   * Deletes what is as it was seen; one that is gone is as good. A deletion's options are read from its body alone, the
   * dry run too (k8s.io/apiserver pkg/endpoints/handlers/delete.go).
   * @throws StatusError of code 409 where it is another one or, unless only the uid is given, has changed since
   */
  async remove(
    path: string,
    preconditions: { readonly uid?: unknown; readonly resourceVersion?: unknown },
  ): Promise<void> {
    const body = { preconditions, ...(this.dryRun ? { dryRun: ['All'] } : {}) };
    await orNull(this.#write({ method: 'DELETE', path, body }));
  }

  /** Resolves when no write is under way any more, however each has ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #write(write: Write): Promise<unknown> {
    const sent = withTimeLimit((signal) =>
      this.connection.write({ ...write, beforeSending: this.#assertMayWrite, signal }),
    );
    this.#underWay.add(sent);
    try {
      return await sent;
    } finally {
      this.#underWay.delete(sent);
    }
  }

  readonly #assertMayWrite = (): void => {
    if (!this.#mayWrite()) throw new NotOwnerError();
  };
}

/** The tenant is another replica's: nothing was sent. */
export class NotOwnerError extends UserError {
  constructor() {
    super("not written: this tenant is, or may be, another replica's to write to");
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
export function withRole(error: UserError, role: TenantRole): UserError {
  if (!isLackOfPermission(error)) return error;
  return new UserError(`${error.message}; ClusterRole ${role} of plugin/deploy/rbac-tenant.yaml grants it`);
}
