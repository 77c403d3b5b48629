/** TLS with one API server: whom we connect to, and what we trust. */
import { checkServerIdentity, createSecureContext, getCACertificates, connect as tlsConnect } from 'node:tls';
import type { PeerCertificate, SecureContext, TLSSocket } from 'node:tls';
import { connect as tcpConnect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionSettings, Credentials } from './settings.ts';

/** As in net/http.Transport of client-go (transport/cache.go dials with 30 s). Milliseconds. */
export const CONNECT_TIMEOUT = 30_000;

/** A connection whose other end has gone without a word is noticed some 10 s later. Milliseconds. */
const KEEP_ALIVE_DELAY = 30_000;

interface TlsOptions {
  readonly ca: string | string[];
  readonly rejectUnauthorized: boolean;
  readonly servername: string;
  readonly checkServerIdentity: (dialled: string, certificate: PeerCertificate) => Error | undefined;
  readonly cert?: string;
  readonly key?: string;
}

/** @param url of the server */
export function tlsOptions(settings: ConnectionSettings, credentials: Credentials, url: URL): TlsOptions {
  const host = unbracketed(url.hostname);
  const servername = settings.tlsServerName ?? host;
  return {
    ca: settings.certificateAuthority ?? machineRoots(),
    rejectUnauthorized: !settings.insecureSkipTLSVerify,
    // The extension cannot carry an IP address; what is checked is the same name or address in any case.
    servername: isIP(servername) === 0 ? servername : '',
    checkServerIdentity: (_dialled, certificate) => checkServerIdentity(servername, certificate),
    ...(credentials.clientCertificate === undefined ? {} : { cert: credentials.clientCertificate }),
    ...(credentials.clientKey === undefined ? {} : { key: credentials.clientKey }),
  };
}

/** What this machine trusts, as kubectl does (crypto/x509 SystemCertPool); on one that has no store, what Node ships. */
function machineRoots(): string[] {
  const roots = getCACertificates('system');
  return roots.length > 0 ? roots : getCACertificates('bundled');
}

/** Opens TLS connections, and resumes the last session, which saves a server the costly half of a handshake. */
export class TlsDialer {
  readonly #settings: ConnectionSettings;
  readonly #url: URL;
  readonly #options: TlsOptions;
  readonly #protocols: string[];
  readonly #closed: AbortSignal;
  /** Authorities and keys are parsed once: that costs milliseconds, and memory of each connection. */
  #context: SecureContext | null = null;
  #session: Buffer | undefined;

  /**
   * @param protocols what to offer by ALPN, the best first
   * @param closed ends what is still being opened: a server that takes connections may never say a word
   */
  constructor(
    settings: ConnectionSettings,
    credentials: Credentials,
    protocols: readonly string[],
    closed: AbortSignal,
  ) {
    this.#settings = settings;
    this.#url = new URL(settings.server);
    this.#options = tlsOptions(settings, credentials, this.#url);
    this.#protocols = [...protocols];
    this.#closed = closed;
  }

  /** @returns a connection on which TLS is spoken; its `alpnProtocol` is what the server chose, or false */
  async open(): Promise<TLSSocket> {
    const closed = this.#closed;
    const { rejectUnauthorized, servername, checkServerIdentity, ...trusted } = this.#options;
    const secureContext = (this.#context ??= createSecureContext(trusted));
    const stream = await openStream(this.#settings, this.#url, closed);
    return new Promise((resolve, reject) => {
      const socket = tlsConnect({
        rejectUnauthorized,
        servername,
        checkServerIdentity,
        secureContext,
        ALPNProtocols: this.#protocols,
        host: unbracketed(this.#url.hostname),
        socket: stream,
        ...(this.#session === undefined ? {} : { session: this.#session }),
      });
      const settled = limited(socket, 'no TLS connection within 30 s', closed);
      const failed = (error: Error): void => {
        settled();
        reject(error);
      };
      socket.once('error', failed);
      socket.once('secureConnect', () => {
        settled();
        socket.removeListener('error', failed);
        resolve(socket);
      });
      socket.on('session', (next: Buffer) => {
        this.#session = next;
      });
    });
  }
}

function openStream(settings: ConnectionSettings, url: URL, closed: AbortSignal): Promise<Duplex> {
  if (settings.dial !== undefined) return settings.dial();
  return new Promise((resolve, reject) => {
    const socket = tcpConnect({
      host: unbracketed(url.hostname),
      port: Number(url.port || 443),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY,
    });
    const settled = limited(socket, 'no connection within 30 s', closed);
    const failed = (error: Error): void => {
      settled();
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      settled();
      socket.removeListener('error', failed);
      resolve(socket);
    });
  });
}

/** Ends a stream that is not open in time, or no longer wanted. @returns to be called once it is open, or has failed */
function limited(stream: Duplex, late: string, closed: AbortSignal): () => void {
  const end = (reason: string): void => void stream.destroy(new Error(reason));
  const stop = (): void => end('the connection was closed');
  const timer = setTimeout(end, CONNECT_TIMEOUT, late);
  if (closed.aborted) stop();
  closed.addEventListener('abort', stop, { once: true });
  return () => {
    clearTimeout(timer);
    closed.removeEventListener('abort', stop);
  };
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
