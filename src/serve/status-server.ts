/** The HTTP server beside a watch: /metrics for Prometheus, /healthz and /readyz for the kubelet. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { UserError, oneLine } from '../errors.ts';
import type { BindAddress } from './bind-address.ts';

export interface StatusSources {
  /** Asked at each scrape. */
  readonly exposition: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** null where ready, else why not, in one line. */
  readonly notReady: () => string | null;
}

export interface StatusServer {
  /** Where it listens: HOST:PORT, an IPv6 host in brackets. */
  readonly address: string;
  /** Ends idle connections at once, those in use when answered. Resolves when all have ended. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Prometheus and the kubelet send less than 1 KiB. Bytes. */
const LARGEST_HEADERS = 8 * 1024;
/** What a client may take. Milliseconds. */
export interface Patience {
  /** For sending its request, and for being silent. */
  readonly requestTimeout: number;
  /** From then on, for taking the answer. */
  readonly answerTimeout: number;
}

/** Prometheus' own default scrape_timeout. */
const PATIENCE: Patience = { requestTimeout: 10_000, answerTimeout: 10_000 };
/** A scraper or two and the kubelet; more are turned away, so that strangers cannot take all descriptors. */
const MOST_CONNECTIONS = 64;
const PLAIN = 'text/plain; charset=utf-8';

/**
 * Listens until it is closed. GET and HEAD are answered, nothing else; bodies are not read.
 * @throws UserError where it cannot listen there
 */
export async function startStatusServer(
  { host, port }: BindAddress,
  sources: StatusSources,
  { requestTimeout, answerTimeout }: Patience = PATIENCE,
): Promise<StatusServer> {
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEADERS,
      requestTimeout,
      headersTimeout: requestTimeout,
      // How often Node looks for requests that take too long.
      connectionsCheckingInterval: requestTimeout / 10,
    },
    (request, response) => {
      // Also who takes an answer byte by byte is done by then.
      const deadline = setTimeout(() => request.socket.destroy(), answerTimeout);
      response.once('close', () => clearTimeout(deadline));
      void answer(request, response, sources, server);
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(requestTimeout);
  server.listen(host === null ? { port } : { port, host });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(hostAndPort(host ?? '', port), error);
  }
  // A connection that could not be accepted, for want of descriptors for example: the watch goes on without it.
  server.on('error', () => {});
  return { address: addressOf(server), close: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sources: StatusSources,
  server: Server,
): Promise<void> {
  const { status, contentType, text } = await answerTo(request, sources).catch(failed);
  const body = Buffer.from(text);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    // What remains of a body would be read as the next request; and a server that closes waits for the connection.
    ...(hasBody(request) || !server.listening ? { connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo({ method, url = '' }: IncomingMessage, sources: StatusSources): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD are answered');
  switch (url.split('?', 1)[0]) {
    case '/metrics':
      return { status: 200, ...(await sources.exposition()) };
    case '/healthz':
      // That it is answered at all says that the event loop turns.
      return plain(200, 'ok');
    case '/readyz': {
      const reason = sources.notReady();
      return reason === null ? plain(200, 'ok') : plain(503, `not ready: ${reason}`);
    }
    default:
      return plain(404, 'there are /metrics, /healthz and /readyz');
  }
}

/** A bug in what is told must not end what is being told of. */
function failed(error: unknown): Answer {
  return plain(500, `it could not be collected: ${oneLine(String(error))}`);
}

function plain(status: number, line: string): Answer {
  return { status, contentType: PLAIN, text: `${line}\n` };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function cannotListen(where: string, error: unknown): UserError {
  const { code, message } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES[code ?? ''] ?? `${message}: give another --metrics-bind-address`;
  return new UserError(`cannot serve metrics on ${where}: ${remedy}`, { cause: error });
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: end what listens there, or give another --metrics-bind-address',
  EACCES: 'a port below 1024 needs privileges: give one above with --metrics-bind-address',
  EADDRNOTAVAIL: 'this machine has no such address: give another --metrics-bind-address',
  ENOTFOUND: 'the host name is not known: give an address with --metrics-bind-address',
};

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has an address');
  return hostAndPort(address.address, address.port);
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
