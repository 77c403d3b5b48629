/** The replicas' Leases on the super cluster's API server. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { StatusError } from '../kube/status-error.ts';
import { FIELD_MANAGER } from '../reconcile/patch.ts';
import { withTimeLimit } from '../sync/time-limit.ts';
import { LEASE_SELECTOR, leaseObject, leasesFromJson } from './lease.ts';
import type { LeaseContent, ReplicaLease } from './lease.ts';

export interface LeaseApiOptions {
  readonly connection: ApiConnection;
  readonly namespace: string;
  /** Milliseconds for one request: one that hangs must not keep the next from being sent. */
  readonly limit: number;
}

export class LeaseApi {
  readonly #connection: ApiConnection;
  readonly #namespace: string;
  readonly #path: string;
  readonly #limit: number;

  constructor({ connection, namespace, limit }: LeaseApiOptions) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
    this.#limit = limit;
  }

  /**
   * All leases of the group as they are when the server answers: without a resourceVersion a list is never from a stale
   * cache (k8s.io/apiserver pkg/storage/cacher/cacher.go), and all that follows rests on that.
   * @throws UserError
   */
  async list(signal?: AbortSignal): Promise<ReplicaLease[]> {
    const query = { labelSelector: LEASE_SELECTOR };
    try {
      const found = await withTimeLimit(
        (within) => this.#connection.getJson(this.#path, { query, signal: within }),
        signal,
        this.#limit,
      );
      return leasesFromJson(found);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /**
   * Creates the lease, or replaces the one of this resourceVersion.
   * @param resourceVersion null where there is none
   * @throws UserError; of a StatusError of code 409 somebody else was first
   */
  async write(
    lease: LeaseContent,
    resourceVersion: string | null,
    times: { readonly acquired: number; readonly renewed: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const place =
      resourceVersion === null
        ? ({ method: 'POST', path: this.#path } as const)
        : ({ method: 'PUT', path: `${this.#path}/${encodeURIComponent(lease.name)}` } as const);
    try {
      const body = leaseObject(lease, resourceVersion, times);
      const query = { fieldManager: FIELD_MANAGER };
      await withTimeLimit(
        (within) => this.#connection.write({ ...place, query, body, signal: within }),
        signal,
        this.#limit,
      );
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /**
   * Deletes a lease as it was seen.
   * @returns false where it has changed since; one that is gone is as good as deleted
   * @throws UserError
   */
  async remove({ name, uid, resourceVersion }: ReplicaLease, signal?: AbortSignal): Promise<boolean> {
    const path = `${this.#path}/${encodeURIComponent(name)}`;
    const body = { preconditions: { uid, resourceVersion } };
    try {
      await withTimeLimit(
        (within) => this.#connection.write({ method: 'DELETE', path, body, signal: within }),
        signal,
        this.#limit,
      );
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      if (!(error instanceof StatusError) || error.code !== 404) throw this.#explained(error);
    }
    return true;
  }

  /** The same error, with what to do about the two things that whoever deploys it may have missed. */
  #explained(error: unknown): unknown {
    if (!(error instanceof StatusError)) return error;
    const advice = adviceFor(error, this.#namespace);
    return advice === null ? error : new UserError(`${error.message}; ${advice}`);
  }
}

function adviceFor({ code }: StatusError, namespace: string): string | null {
  if (code === 401 || code === 403) {
    return `grant Role vc-pvc-replicas of plugin/deploy/rbac-replicas.yaml in namespace ${namespace}`;
  }
  if (code === 404) {
    return `create namespace ${namespace}, or name another with --replicas-lease-namespace`;
  }
  return null;
}
