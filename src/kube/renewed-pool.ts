import type { Dispatcher } from 'undici';
import { createDispatcher } from './dispatcher.ts';
import type { Purpose } from './dispatcher.ts';
import type { ConnectionSettings, Credentials } from './settings.ts';

/** Connections to one API server that prove who we are with a client certificate as long as it is the present one. */
export class RenewedPool {
  readonly #settings: ConnectionSettings;
  readonly #purpose: Purpose;
  #present: Dispatcher | null = null;
  #credentials: Credentials = {};
  /** Of earlier certificates, until what they have under way has ended. */
  readonly #earlier = new Set<Dispatcher>();

  constructor(settings: ConnectionSettings, purpose: Purpose) {
    this.#settings = settings;
    this.#purpose = purpose;
  }

  /** Where to send a request that starts now. A new client certificate (an exec plugin's, renewed) needs new connections. */
  for(credentials: Credentials): Dispatcher {
    const last = this.#credentials;
    const same =
      last.clientCertificate === credentials.clientCertificate && last.clientKey === credentials.clientKey;
    if (this.#present !== null && same) return this.#present;
    if (this.#present !== null) this.#retire(this.#present);
    this.#present = createDispatcher(this.#settings, credentials, this.#purpose);
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

  #retire(dispatcher: Dispatcher): void {
    this.#earlier.add(dispatcher);
    const ended = (): void => void this.#earlier.delete(dispatcher);
    dispatcher.close().then(ended, ended);
  }
}
