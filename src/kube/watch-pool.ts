import type { Dispatcher } from 'undici';
import { abortable } from './abortable.ts';
import type { RawAnswer } from './answer.ts';
import { createDispatcher, isProxied } from './dispatcher.ts';
import { Http2Session } from './http2-session.ts';
import type { Http2Request } from './http2-session.ts';
import type { ConnectionSettings, Credentials } from './settings.ts';
import { TlsDialer } from './tls.ts';

/**
 * The connections that carry the watches of one API server: one of HTTP/2 for all, up to the streams that the server
 * takes, then another; where the server has no HTTP/2, or a proxy is between, one of HTTP/1.1 each.
 */
export class WatchPool {
  readonly #http1: Dispatcher;
  readonly #origin: string;
  /** null where HTTP/2 is out of the question. */
  #dialer: TlsDialer | null;
  readonly #sessions = new Set<Http2Session>();
  /** The session that is being opened: those who wait share it. */
  #opening: Promise<void> | null = null;
  #closed = false;

  /** @param closed ends what is still being opened */
  constructor(settings: ConnectionSettings, credentials: Credentials, closed: AbortSignal) {
    const url = new URL(settings.server);
    this.#origin = url.origin;
    this.#http1 = createDispatcher(settings, credentials, null, closed);
    this.#dialer =
      url.protocol === 'http:' || isProxied(settings)
        ? null
        : new TlsDialer(settings, credentials, ['h2', 'http/1.1'], closed);
  }

  /** Asks, method GET. @throws Error where there is no answer */
  async request(asked: Http2Request): Promise<RawAnswer> {
    while (this.#dialer !== null) {
      for (const session of this.#sessions) if (session.takes) return session.request(asked);
      this.#opening ??= this.#open(this.#dialer).finally(() => {
        this.#opening = null;
      });
      await abortable(this.#opening, asked.signal, () => new Error('cancelled'));
    }
    return this.#http1.request({ ...asked, headers: { ...asked.headers }, method: 'GET' });
  }

  /** Ends each connection once its watches have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#http1.close(), ...[...this.#sessions].map((session) => session.close())]);
  }

  /** Ends all connections at once, with their watches. */
  async destroy(): Promise<void> {
    this.#closed = true;
    for (const session of this.#sessions) session.destroy();
    await this.#http1.destroy();
  }

  async #open(dialer: TlsDialer): Promise<void> {
    const socket = await dialer.open();
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#dialer = null;
      return;
    }
    const session = await Http2Session.open(socket, this.#origin);
    // Else who waits for it would have the next opened, and the next.
    if (this.#closed || !session.takes) {
      session.destroy();
      throw new Error(this.#closed ? 'the connection was closed' : 'the server takes no request');
    }
    this.#sessions.add(session);
    session.onEnd(() => void this.#sessions.delete(session));
  }
}
