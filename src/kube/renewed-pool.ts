import type { Credentials } from './settings.ts';

/** Connections that were made with one client certificate. */
interface Connections {
  /** Ends them once what is under way has ended. */
  close(): Promise<void>;
  /** Ends them at once. */
  destroy(): Promise<void>;
}

/** Connections to one API server that prove who we are with the client certificate of now. */
export class RenewedPool<T extends Connections> {
  readonly #create: (credentials: Credentials) => T;
  #present: T | null = null;
  #credentials: Credentials = {};
  /** Of earlier certificates, until what they have under way has ended. */
  readonly #earlier = new Set<T>();

  /** @param create makes connections for a client certificate; opens none yet */
  constructor(create: (credentials: Credentials) => T) {
    this.#create = create;
  }

  /** Where to send a request that starts now. A new client certificate (an exec plugin's, renewed) needs new connections. */
  for(credentials: Credentials): T {
    const last = this.#credentials;
    const same =
      last.clientCertificate === credentials.clientCertificate && last.clientKey === credentials.clientKey;
    if (this.#present !== null && same) return this.#present;
    if (this.#present !== null) this.#retire(this.#present);
    this.#present = this.#create(credentials);
    this.#credentials = credentials;
    return this.#present;
  }

  /** Ends all connections, and what is under way on them. */
  async close(): Promise<void> {
    const all = [...this.#earlier, ...(this.#present === null ? [] : [this.#present])];
    this.#present = null;
    this.#earlier.clear();
    await Promise.all(all.map((one) => one.destroy()));
  }

  #retire(connections: T): void {
    this.#earlier.add(connections);
    const ended = (): void => void this.#earlier.delete(connections);
    connections.close().then(ended, ended);
  }
}
