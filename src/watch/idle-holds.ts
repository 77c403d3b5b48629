/** Takes a tenant's admission policy away once no claim needs it, as sync does. */
import { UserError } from '../errors.ts';
import { HOLD_NAME } from '../reconcile/hold-policy.ts';
import { NotOwnerError, isLackOfPermission } from '../sync/tenant-api.ts';
import type { WatchObserver } from './observer.ts';
import type { TenantState } from './tenant-state.ts';

/** How long after a release the policy is looked at: others may follow. Milliseconds. */
const BEFORE_DROPPING = 2_000;
/** A tenant that did not answer is asked again after this; nobody is hurt by the policy meanwhile. Milliseconds. */
const AFTER_FAILURE = 60_000;

export interface IdleHoldsOptions {
  /** Whether nothing of a tenant is about to be written. */
  readonly isIdle: (id: string) => boolean;
  readonly mayWrite: (id: string) => boolean;
  readonly observer: Pick<WatchObserver, 'trouble'>;
}

export class IdleHolds {
  readonly #options: IdleHoldsOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(options: IdleHoldsOptions) {
    this.#options = options;
  }

  /** Has a tenant's policy looked at. @param delay milliseconds */
  soon(tenant: TenantState, delay = BEFORE_DROPPING): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(tenant.id));
    const timer = setTimeout(() => {
      this.#timers.delete(tenant.id);
      void this.#drop(tenant);
    }, delay);
    this.#timers.set(tenant.id, timer);
  }

  /** A tenant that is not watched any more. */
  forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  stop(): void {
    this.#stopped = true;
    for (const id of this.#timers.keys()) this.forget(id);
  }

  async #drop(tenant: TenantState): Promise<void> {
    const { session, id, virtualCluster } = tenant;
    const { isIdle, mayWrite, observer } = this.#options;
    // A session that comes has it looked at again.
    if (session === null) return;
    // A replica that takes a tenant over knows its claims before it may write: who held them may be gone by then.
    if (!mayWrite(id)) return this.soon(tenant);
    if (tenant.isHolding) return;
    if (!isIdle(id)) return this.soon(tenant);
    try {
      await session.keeper.dropIdle();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (isLackOfPermission(error) || session.signal.aborted) return;
      this.soon(tenant, AFTER_FAILURE);
      if (error instanceof NotOwnerError) return;
      observer.trouble(virtualCluster, `policy ${HOLD_NAME} could not be looked at: ${error.message}`);
    }
  }
}
