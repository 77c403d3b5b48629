/** Who may act on a tenant. */

/** Who may act on a tenant now. With one replica: everybody on everything. */
export interface Ownership {
  /**
   * Whether this replica is to watch the tenant now. Two may watch one for a moment; only one may write.
   * @param tenant a stable key: `<VirtualCluster namespace>/<name>`
   */
  owns(tenant: string): boolean;
  /**
   * Whether a write to this tenant may be sent at this very moment: owned, our lease surely valid, everybody else known to
   * keep off. Synchronous and cheap: to be asked before each write, with nothing awaited in between.
   */
  mayWrite(tenant: string): boolean;
  /**
   * Has a listener called whenever `owns` may have changed, and where `mayWrite` may have become true. (That it becomes
   * false by mere passing of time is told to nobody.)
   * @returns takes the listener away again
   */
  onChange(listener: () => void): () => void;
  /** For /readyz and messages. */
  state(): OwnershipState;
  /**
   * Owns nothing from now on, and gives the lease back, so that the others take over at once. To be called when all writes
   * have ended. Never rejects: a lease that cannot be given back runs out.
   */
  leave(): Promise<void>;
}

/** What a replica knows of itself and the others. */
export interface OwnershipState {
  /** This replica's name; null where there is but one. */
  readonly replica: string | null;
  /** Names of the replicas that the tenants are divided among, sorted, this one included. */
  readonly live: readonly string[];
  /** Whether this replica's lease is surely valid. */
  readonly holdsLease: boolean;
  /** Names of those that have not yet said to keep off this replica's tenants; until then it writes nothing. */
  readonly awaiting: readonly string[];
}

/** The only replica: it owns every tenant, until it leaves. */
export function soleOwnership(): Ownership {
  let left = false;
  const listeners = new Set<() => void>();
  return {
    owns: () => !left,
    mayWrite: () => !left,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => ({ replica: null, live: [], holdsLease: !left, awaiting: [] }),
    leave: () => {
      left = true;
      for (const listener of listeners) listener();
      return Promise.resolve();
    },
  };
}
