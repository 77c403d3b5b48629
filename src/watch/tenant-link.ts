/** Keeps a session with a tenant's API server, for as long as the tenant is watched. */
import { UserError } from '../errors.ts';
import { Deadline } from '../fleet/deadline.ts';
import type { OpenTenant } from '../fleet/each-tenant.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { TenantHealth } from './observer.ts';
import { TenantSession, connectionOf } from './tenant-session.ts';
import type { SessionOptions } from './tenant-session.ts';
import type { TenantState } from './tenant-state.ts';

export interface LinkOptions extends SessionOptions {
  /** Opens the tenant: reads its kubeconfig, finds an address that answers. @throws UserError */
  readonly open: (virtualCluster: VirtualCluster, signal: AbortSignal) => Promise<OpenTenant>;
  /** Milliseconds for opening, 0 for no limit. */
  readonly tenantTimeout: number;
  /** Told of each change. */
  readonly health: (health: TenantHealth) => void;
  /** Its claims have been listed for the first time, or again after a lost session. */
  readonly ready: (state: TenantState) => void;
  /**
   * Waits for a turn to open: not all tenants at once.
   * @param again it failed before: what may be dead must not keep others waiting
   * @returns to be called when opened
   */
  readonly turn: (again: boolean) => Promise<() => void>;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** A session that lasted this long was none of the failures in a row. Milliseconds. */
const HEALTHY = 10_000;

export class TenantLink {
  readonly state: TenantState;
  readonly #options: LinkOptions;
  readonly #stopped = new AbortController();
  #wake: () => void = () => {};
  #session: AbortController | null = null;
  #running: Promise<void> | null = null;
  #told = '';
  #lastHeard = 0;
  /** The last session that knew all claims. */
  #ready: TenantSession | null = null;

  constructor(state: TenantState, options: LinkOptions) {
    this.state = state;
    this.#options = options;
  }

  /** Milliseconds since the epoch of the tenant's last word, 0 before the first. */
  get lastHeard(): number {
    return Math.max(this.#lastHeard, this.state.session?.lastHeard ?? 0);
  }

  /** @param failed is told of a mistake of ours */
  start(failed: (error: unknown) => void): void {
    this.#running = this.#run().catch(failed);
  }

  /** Ends it. @returns once nothing of it is open any more */
  async stop(): Promise<void> {
    this.#stopped.abort(new UserError('the tenant is not watched any more'));
    this.#wake();
    await this.#running;
  }

  /** Where the tenant is, or what proves who we are, has changed: a new session is opened at once. */
  reopen(): void {
    this.#session?.abort(new UserError("the tenant's kubeconfig was changed"));
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted;) {
      const session = new AbortController();
      this.#session = session;
      const began = performance.now();
      try {
        await this.#once(AbortSignal.any([signal, session.signal]), failures > 0);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        if (signal.aborted || session.signal.aborted) continue;
        failures = performance.now() - began > HEALTHY ? 1 : failures + 1;
        const pause = Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 2);
        this.#tell('down', error.message, Math.round(pause));
        await this.#pause(pause);
      } finally {
        this.#session = null;
      }
    }
  }

  /** One session, from opening to its end. */
  async #once(signal: AbortSignal, again: boolean): Promise<void> {
    const { state } = this;
    const opened = await this.#open(signal, again);
    try {
      const session = new TenantSession(state, connectionOf(opened), this.#options, signal, () =>
        this.#sessionTold(session),
      );
      state.session = session;
      await session.run();
    } finally {
      this.#lastHeard = this.lastHeard;
      state.session = null;
      await opened.close();
    }
  }

  async #open(signal: AbortSignal, again: boolean): Promise<OpenTenant> {
    const done = await this.#options.turn(again);
    const deadline = new Deadline(this.#options.tenantTimeout, signal);
    try {
      const opening = this.#options.open(this.state.virtualCluster, deadline.signal);
      return await deadline.bound(opening).catch((error: unknown) => {
        // One that is opened after its time is closed again.
        void opening.then((late) => late.close()).catch(() => {});
        throw error;
      });
    } finally {
      deadline.clear();
      done();
    }
  }

  #sessionTold(session: TenantSession): void {
    if (session.isReady && this.#ready !== session) {
      // What waits for the end of a pause, its tenant having failed, need wait no longer.
      this.#ready = session;
      this.state.ready = true;
      this.#options.ready(this.state);
    }
    if (session.isUp) this.#tell('up', '', 0);
    else if (session.error !== null) this.#tell('down', session.error.message, 0);
  }

  /** Only what differs from the last time, whatever the pause. */
  #tell(state: TenantHealth['state'], error: string, retryIn: number): void {
    const told = `${state} ${error}`;
    if (told === this.#told) return;
    this.#told = told;
    const { namespace, name } = this.state.virtualCluster;
    this.#options.health({
      virtualCluster: { namespace, name },
      state,
      error,
      retryIn,
      claims: this.state.claims.size,
    });
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
