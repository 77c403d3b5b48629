/**
 * One HTTP/2 connection, shared by watches. Node's own client: undici's (8.13.1) leaves the first request after
 * a GOAWAY waiting for as long as an older stream lives, and a watch lives for minutes.
 */
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { RawAnswer } from './answer.ts';
import { Unresponsive } from './silence-timer.ts';
import { CONNECT_TIMEOUT } from './tls.ts';

/**
 * A connection whose server leaves a PING unanswered until the next is due is ended, with all its watches: one that
 * died unseen is noticed in 20 to 40 s, as by client-go (45 s: k8s.io/apimachinery pkg/util/net/http.go,
 * ReadIdleTimeout and PingTimeout). Milliseconds.
 */
const PING_INTERVAL = 20_000;
/** Below the 90 s after which Go's client drops an idle connection, and most load balancers' 60 s. Milliseconds. */
const KEEP_ALIVE = 55_000;
/** What a server may send ahead of what is read, of one watch and of all of a connection. Bytes. */
const WINDOW = { stream: 256 * 1024, connection: 1024 * 1024 };
/** Node counts what all streams of a connection hold; its default of 10 MB is for fewer streams. Megabytes. */
const MEMORY = 64;

/** A GET, in HTTP/2's words. */
export interface Http2Request {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly signal: AbortSignal | null;
  /** Called whenever the server shows that the connection is alive, though it has nothing to tell. */
  readonly onAlive?: () => void;
}

export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #pings: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  #unanswered = false;
  /** It takes no more watches. */
  #leaving = false;
  #streams = 0;
  readonly #onAlive = new Set<() => void>();

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    this.#pings = setInterval(() => this.#ping(), PING_INTERVAL);
    // Each stream is told what befell it; that the connection failed is no more than that.
    session.on('error', () => {});
    session.on('goaway', () => {
      this.#leaving = true;
    });
    session.on('close', () => {
      clearInterval(this.#pings);
      clearTimeout(this.#idle);
    });
    this.#rest();
  }

  /**
   * Begins to speak HTTP/2.
   * @param socket on which the server has agreed to it
   * @throws Error where the server says nothing of itself, or hangs up
   */
  static open(socket: TLSSocket, origin: string): Promise<Http2Session> {
    return new Promise((resolve, reject) => {
      const session = connect(origin, {
        createConnection: () => socket,
        settings: { enablePush: false, initialWindowSize: WINDOW.stream },
        maxSessionMemory: MEMORY,
      });
      const timer = setTimeout(
        () => session.destroy(new Error('no HTTP/2 connection within 30 s')),
        CONNECT_TIMEOUT,
      );
      const closed = (): void => {
        clearTimeout(timer);
        reject(hungUp());
      };
      session.once('error', reject);
      session.once('close', closed);
      // The first thing that a server sends; it says how many streams there may be.
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        session.removeListener('error', reject);
        session.removeListener('close', closed);
        session.setLocalWindowSize(WINDOW.connection);
        resolve(new Http2Session(session));
      });
    });
  }

  /** Whether one more watch may be asked for here. */
  get takes(): boolean {
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return !this.#leaving && !this.#session.closed && !this.#session.destroyed && this.#streams < limit;
  }

  /** Calls back once, when it has ended. */
  onEnd(ended: () => void): void {
    this.#session.once('close', ended);
  }

  /** @throws Error where there is no answer */
  request({ origin, path, headers, signal, onAlive }: Http2Request): Promise<RawAnswer> {
    const stream = this.#session.request(
      { ':method': 'GET', ':path': path, ':authority': new URL(origin).host, ':scheme': 'https', ...headers },
      { endStream: true, ...(signal === null ? {} : { signal }) },
    );
    this.#count(stream, signal);
    if (onAlive !== undefined) {
      this.#onAlive.add(onAlive);
      stream.once('close', () => this.#onAlive.delete(onAlive));
    }
    return new Promise((resolve, reject) => {
      stream.once('error', (error) => reject(isRefused(stream) ? refused() : error));
      stream.once('close', () => reject(isRefused(stream) ? refused() : hungUp()));
      stream.once('response', (answered: IncomingHttpHeaders) => {
        resolve({
          statusCode: Number(answered[constants.HTTP2_HEADER_STATUS]),
          headers: answered,
          body: stream,
        });
      });
    });
  }

  /** Ends it once its watches have ended. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#session.destroyed) resolve();
      else this.#session.close(resolve);
    });
  }

  /** Ends it at once, with its watches. */
  destroy(): void {
    this.#session.destroy();
  }

  #count(stream: ClientHttp2Stream, signal: AbortSignal | null): void {
    this.#streams += 1;
    clearTimeout(this.#idle);
    // A stream that fails when nobody reads it any more must not end the process.
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#streams -= 1;
      // Whatever answers our PINGs, what is behind it may be dead: the next watch takes another way.
      if (signal?.reason instanceof Unresponsive) this.#leaving = true;
      if (this.#streams === 0) this.#rest();
    });
  }

  /** Nothing travels on it; it is kept for a while, for what comes next. */
  #rest(): void {
    this.#idle = setTimeout(() => this.#session.close(), this.#leaving ? 0 : KEEP_ALIVE);
    this.#idle.unref();
  }

  #ping(): void {
    if (this.#unanswered) {
      this.#session.destroy(new Error('the server answers no PING'));
      return;
    }
    this.#unanswered = true;
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#unanswered = false;
      for (const onAlive of this.#onAlive) onAlive();
    });
  }
}

function hungUp(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}

/** Whether the server has not begun with it, so that it may be asked again elsewhere: it was closing the connection. */
function isRefused({ rstCode }: ClientHttp2Stream): boolean {
  return rstCode === constants.NGHTTP2_REFUSED_STREAM;
}

function refused(): Error {
  return Object.assign(new Error('the server closes the connection'), { code: 'ERR_HTTP2_GOAWAY_SESSION' });
}
