/** The HTTP/1.1 connections to one API server. */
import { Pool, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import type { ConnectionSettings, Credentials } from './settings.ts';
import { CONNECT_TIMEOUT, TlsDialer, tlsOptions } from './tls.ts';

/** Below the 90 s after which an idle connection is dropped by Go's client, and most load balancers' 60 s. Milliseconds. */
const KEEP_ALIVE = 55_000;

/**
 * Opens no connection until the first request.
 * @param connections how many there may be at a time, null for no limit
 * @param closed ends what is still being opened, which the dispatcher's end does not
 */
export function createDispatcher(
  settings: ConnectionSettings,
  credentials: Credentials,
  connections: number | null,
  closed: AbortSignal,
): Dispatcher {
  const url = new URL(settings.server);
  const common = {
    allowH2: false,
    connections,
    connectTimeout: CONNECT_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE,
    // A list at a large cluster may think for long before its first byte; time limits are the caller's.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (isProxied(settings)) {
    return new ProxyAgent({
      ...common,
      uri: settings.proxyUrl.replace(/^socks5h:/, 'socks5:'),
      requestTls: tlsOptions(settings, credentials, url),
    });
  }
  // For example `kubectl proxy`.
  if (url.protocol === 'http:') return new Pool(url.origin, common);
  const dialer = new TlsDialer(settings, credentials, ['http/1.1'], closed);
  return new Pool(url.origin, {
    ...common,
    connect: (_options, callback) => {
      dialer.open().then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

/** Whether requests go through a proxy; a stream that is dialled otherwise leads past it. */
export function isProxied(settings: ConnectionSettings): settings is ConnectionSettings & {
  readonly proxyUrl: string;
} {
  return settings.proxyUrl !== null && settings.dial === undefined;
}
