/** The connection pool of one API server: who we connect to, through what, and what we trust. */
import { checkServerIdentity, rootCertificates, connect as tlsConnect } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { connect as tcpConnect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { Pool, ProxyAgent } from 'undici';
import type { Dispatcher, buildConnector } from 'undici';
import type { ConnectionSettings, Credentials } from './settings.ts';

/**
 * Parallel connections to one API server. Lists of one cluster run side by side on a few; the many small reads
 * that confirm mismatches gain nothing from more (an API server queues them itself).
 */
const CONNECTIONS = 8;
/** As in net/http.Transport of client-go (transport/cache.go dials with 30 s). Milliseconds. */
const CONNECT_TIMEOUT = 30_000;
/** Below the 90 s after which an idle connection is dropped by Go's client, and most load balancers' 60 s. Milliseconds. */
const KEEP_ALIVE = 55_000;
/**
 * Watches of one cluster share a connection up to the server's own limit of streams (kube-apiserver: 250), beyond
 * which another one is opened.
 */
const MOST_STREAMS = 1_000;
/**
 * As client-go's http2 ReadIdleTimeout (k8s.io/apimachinery pkg/util/net/http.go): a shared connection whose server
 * leaves a PING unanswered until the next is due is ended, with all its watches. Milliseconds.
 */
const PING_INTERVAL = 30_000;

const HTTP2 = { maxConcurrentStreams: MOST_STREAMS, pingInterval: PING_INTERVAL };

/** What a pool is for: requests that end soon, or watches, which keep their connections. */
export type Purpose = 'requests' | 'watches';

/** Opens no connection until the first request. */
export function createDispatcher(
  settings: ConnectionSettings,
  credentials: Credentials,
  purpose: Purpose,
): Dispatcher {
  const url = new URL(settings.server);
  const common = {
    // Lists are faster on connections of their own (docs/architecture.md); watches cost a server least on one.
    ...(purpose === 'requests'
      ? { allowH2: false, connections: CONNECTIONS }
      : { allowH2: true, connections: null, h2Options: HTTP2 }),
    connectTimeout: CONNECT_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE,
    // A list at a large cluster may think for long before its first byte; time limits are the caller's.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (settings.proxyUrl !== null && settings.dial === undefined) {
    return new ProxyAgent({
      ...common,
      uri: settings.proxyUrl.replace(/^socks5h:/, 'socks5:'),
      requestTls: tlsOptions(settings, credentials, url, purpose),
    });
  }
  // For example `kubectl proxy`.
  if (url.protocol === 'http:') return new Pool(url.origin, common);
  return new Pool(url.origin, { ...common, connect: connector(settings, credentials, url, purpose) });
}

interface TlsOptions {
  readonly ca: string | string[];
  readonly rejectUnauthorized: boolean;
  readonly servername: string;
  readonly checkServerIdentity: (dialled: string, certificate: PeerCertificate) => Error | undefined;
  readonly ALPNProtocols: string[];
  readonly cert?: string;
  readonly key?: string;
}

function tlsOptions(
  settings: ConnectionSettings,
  credentials: Credentials,
  url: URL,
  purpose: Purpose,
): TlsOptions {
  const host = unbracketed(url.hostname);
  const servername = settings.tlsServerName ?? host;
  return {
    ca: settings.certificateAuthority ?? [...rootCertificates],
    rejectUnauthorized: !settings.insecureSkipTLSVerify,
    // The extension cannot carry an IP address; what is checked is the same name or address in any case.
    servername: isIP(servername) === 0 ? servername : '',
    checkServerIdentity: (_dialled, certificate) => checkServerIdentity(servername, certificate),
    ALPNProtocols: purpose === 'requests' ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...(credentials.clientCertificate === undefined ? {} : { cert: credentials.clientCertificate }),
    ...(credentials.clientKey === undefined ? {} : { key: credentials.clientKey }),
  };
}

/** Opens a TLS connection and resumes the pool's last session, which saves a server the costly half of a handshake. */
function connector(
  settings: ConnectionSettings,
  credentials: Credentials,
  url: URL,
  purpose: Purpose,
): buildConnector.connector {
  const tls = tlsOptions(settings, credentials, url, purpose);
  let session: Buffer | undefined;
  return (_options, callback) => {
    openStream(settings, url).then(
      (stream) => {
        const socket = tlsConnect({
          ...tls,
          host: unbracketed(url.hostname),
          socket: stream,
          ...(session === undefined ? {} : { session }),
        });
        const timer = setTimeout(
          () => socket.destroy(new Error('no TLS connection within 30 s')),
          CONNECT_TIMEOUT,
        );
        const finish = (error: Error | null): void => {
          clearTimeout(timer);
          socket.removeListener('error', finish);
          if (error === null) callback(null, socket);
          else callback(error, null);
        };
        socket.once('error', finish);
        socket.once('secureConnect', () => finish(null));
        socket.on('session', (next: Buffer) => {
          session = next;
        });
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

function openStream(settings: ConnectionSettings, url: URL): Promise<Duplex> {
  if (settings.dial !== undefined) return settings.dial();
  return new Promise((resolve, reject) => {
    const socket = tcpConnect({
      host: unbracketed(url.hostname),
      port: Number(url.port || 443),
      noDelay: true,
      keepAlive: true,
    });
    const timer = setTimeout(() => socket.destroy(new Error('no connection within 30 s')), CONNECT_TIMEOUT);
    const failed = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', failed);
      resolve(socket);
    });
  });
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
