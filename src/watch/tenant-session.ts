/** One session with a tenant's API server: from the moment it is reached until it is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { CLAIMS } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import { TenantApi } from '../sync/tenant-api.ts';
import { CachedCluster } from './cached-cluster.ts';
import { HoldKeeper } from './hold-keeper.ts';
import { reflected } from './reflected.ts';
import type { Reflected } from './reflected.ts';
import type { TenantState } from './tenant-state.ts';

export interface SessionOptions {
  /** Tenant namespaces that are looked at; empty for all. */
  readonly tenantNamespaces: readonly string[];
  /** Labels that claims must have; null for all claims. */
  readonly selector: string | null;
  /** --hold. */
  readonly hold: boolean;
  /** Asked at the last moment before each write. @param id of the tenant */
  readonly mayWrite: (id: string) => boolean;
}

/** A server that fails so often in a row may have moved: the way to it is looked for anew. */
const MOST_FAILURES = 3;
/**
 * What is under way is finished before the connection is closed, within the time that a replica takes to say that a newcomer
 * may have the tenant (docs/replicas.md, writes under way). Milliseconds.
 */
const FINISHING = 1_000;

export class TenantSession {
  readonly reader: CachedCluster;
  readonly api: TenantApi;
  readonly keeper: HoldKeeper;
  readonly signal: AbortSignal;
  readonly #connection: ApiConnection;
  readonly #state: TenantState;
  readonly #claims: readonly Reflected[];
  readonly #ended = new AbortController();
  #evidence: Promise<void> | null = null;
  #hasEvidence = false;

  /** @param told of each change of `isUp` and `error` */
  constructor(
    state: TenantState,
    connection: ApiConnection,
    options: SessionOptions,
    signal: AbortSignal,
    told: () => void,
  ) {
    this.#state = state;
    this.#connection = connection;
    this.signal = AbortSignal.any([signal, this.#ended.signal]);
    this.reader = new CachedCluster(connection, state.evidence, this.signal);
    this.api = new TenantApi(connection, false, () => options.mayWrite(state.id));
    this.keeper = new HoldKeeper(this.api, this.reader, options.hold, this.signal);
    const { tenantNamespaces, selector } = options;
    this.#claims = (tenantNamespaces.length === 0 ? [null] : tenantNamespaces).map((namespace) =>
      reflected(
        connection,
        CLAIMS,
        state.claims.sink(namespace),
        {
          namespace,
          signal: this.signal,
          giveUpOn,
          ...(selector === null ? {} : { labelSelector: selector }),
        },
        told,
      ),
    );
  }

  /** All its claims are known. */
  get isReady(): boolean {
    return this.#claims.every(({ ready }) => ready);
  }

  /** All its claims are known, and changes are told. */
  get isUp(): boolean {
    return this.isReady && this.error === null;
  }

  get error(): UserError | null {
    return this.#claims.find(({ error }) => error !== null)?.error ?? null;
  }

  /** Milliseconds since the epoch of the last word of the server, 0 before the first. */
  get lastHeard(): number {
    return Math.max(...this.#claims.map(({ lastHeard }) => lastHeard));
  }

  /** Has what causes rest on watched too, from the first mismatch on. @returns once it is known, or is not to be had */
  needEvidence(): Promise<void> {
    this.#evidence ??= this.#state.evidence.start(this.#connection, this.signal).then(() => {
      this.#hasEvidence = true;
    });
    return this.#evidence;
  }

  /** Whether evidence is known in this session, or is not to be had. */
  get hasEvidence(): boolean {
    return this.#hasEvidence;
  }

  /** Watches until the signal or a lost server ends it. @throws UserError why it was lost */
  async run(): Promise<void> {
    // A mismatch that stands from before is still to be explained.
    if (this.#state.evidence.isStarted) void this.needEvidence();
    const running = this.#claims.map((one) => one.run());
    try {
      await Promise.all(running);
    } finally {
      this.#ended.abort(new UserError('the session with the tenant has ended'));
      await Promise.allSettled(running);
      await Promise.race([this.api.idle(), delay(FINISHING, undefined, { ref: false })]);
    }
  }
}

/** Opens a session's connection. @throws UserError */
export function connectionOf(opened: OpenTenant): ApiConnection {
  if (opened.api === null) throw new UserError('a recording cannot be watched');
  return opened.api;
}

/** A credential that is not taken, or a server that does not answer: the kubeconfig may have been renewed. */
function giveUpOn(error: UserError, failures: number): boolean {
  if (error instanceof StatusError) return error.code === 401;
  return failures >= MOST_FAILURES;
}
