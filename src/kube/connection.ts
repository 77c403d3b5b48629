/** Requests to one API server: what is asked over which connection. */
import { WebSocket } from 'undici';
import type { Dispatcher } from 'undici';
import type { ApiReader, RequestOptions, Write } from './api.ts';
import { isLoopback, parsedJson } from './answer.ts';
import type { StreamedAnswer } from './answer.ts';
import { ask, failure } from './ask.ts';
import type { Asked, RequestObserver } from './ask.ts';
import { createDispatcher } from './dispatcher.ts';
import { Recovery } from './recovery.ts';
import { RenewedPool } from './renewed-pool.ts';
import { requestHeaders } from './request-headers.ts';
import type { ConnectionSettings } from './settings.ts';
import { WatchPool } from './watch-pool.ts';

export const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * Parallel connections to one API server. Lists of one cluster run side by side on a few; the many small reads
 * that confirm mismatches gain nothing from more (an API server queues them itself).
 */
const CONNECTIONS = 8;
/** What kubectl calls them, for messages. */
const VERBS = { POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const;

export interface WatchStreamOptions extends Pick<RequestOptions, 'query' | 'signal'> {
  /** Called whenever a PING is answered; over HTTP/1.1, which has none, never. */
  readonly onAlive?: () => void;
}

/** A connection to one API server. Close it when done. */
export class ApiConnection implements ApiReader {
  readonly settings: ConnectionSettings;
  /** Told of each answer; who watches over this connection waits here while there is none. */
  readonly recovery = new Recovery();
  readonly #requests: RenewedPool<Dispatcher>;
  /** Of their own: a watch keeps its place for minutes, and what is asked meanwhile must not wait for it. */
  readonly #watches: RenewedPool<WatchPool>;
  readonly #compress: boolean;
  readonly #observe: RequestObserver;
  readonly #closed = new AbortController();

  /** @param observe told of each request that was sent */
  constructor(settings: ConnectionSettings, observe: RequestObserver = nothing) {
    this.settings = settings;
    this.#observe = (verb, code) => {
      observe(verb, code);
      if (code !== null && code < 300) this.recovery.answered();
    };
    const { signal } = this.#closed;
    this.#requests = new RenewedPool((credentials) =>
      createDispatcher(settings, credentials, CONNECTIONS, signal),
    );
    this.#watches = new RenewedPool((credentials) => new WatchPool(settings, credentials, signal));
    this.#compress = !settings.disableCompression && !isLoopback(settings.server);
  }

  async getJson(path: string, options: RequestOptions = {}): Promise<unknown> {
    const answer = await this.stream(path, JSON_TYPE, options);
    return parsedJson(answer, (reason) => failure(this.settings, `get ${path}`, reason));
  }

  /**
   * GET path, the body as it arrives.
   * @param accept the Accept header
   * @throws StatusError for an answer that is not 2xx, UserError where there is no answer.
   */
  stream(path: string, accept: string, options: RequestOptions = {}): Promise<StreamedAnswer> {
    return this.#ask({
      method: 'GET',
      verb: 'GET',
      path,
      accept,
      query: options.query ?? {},
      body: null,
      beforeSending: nothing,
      signal: this.#signal(options.signal),
      what: `get ${path}`,
      send: this.#send,
      compress: this.#compress,
      waits: options.waits ?? true,
      resends: true,
    });
  }

  /**
   * GET path as a watch: its events as they come. No time limit holds for it but the signal (--request-timeout is for
   * answers that end), and the server is asked once: who watches knows when to ask again. A connection that is lost
   * may look as if the server had ended the watch.
   * @param accept the Accept header
   * @throws StatusError for an answer that is not 2xx, UserError where there is no answer.
   */
  watchStream(
    path: string,
    accept: string,
    { query = {}, signal, onAlive }: WatchStreamOptions,
  ): Promise<StreamedAnswer> {
    return this.#ask({
      method: 'GET',
      verb: 'WATCH',
      path,
      accept,
      query,
      body: null,
      beforeSending: nothing,
      signal: signal ?? null,
      what: `watch ${path}`,
      send: (request, credentials) => this.#watches.for(credentials).request(request),
      // What compresses a stream may hold events back until a block is full.
      compress: false,
      waits: false,
      onAlive,
      resends: true,
    });
  }

  /**
   * Writes, and gives what the API server answers: the object as it now is, or a metav1.Status. Unless it is one for
   * `once`, it is sent once more where the server asked for it (429) or closed an idle connection, so a write must be one
   * that may come twice: with a resourceVersion, or of a name.
   * @throws StatusError for an answer that is not 2xx, UserError where there is no answer.
   */
  async write({
    method,
    path,
    query = {},
    body,
    type = JSON_TYPE,
    beforeSending = nothing,
    once = false,
    signal,
  }: Write): Promise<unknown> {
    const what = `${VERBS[method]} ${path}`;
    const answer = await this.#ask({
      method,
      verb: method,
      path,
      accept: JSON_TYPE,
      query,
      body: body === undefined ? null : { type, text: JSON.stringify(body) },
      beforeSending,
      signal: this.#signal(signal),
      what,
      send: this.#send,
      compress: this.#compress,
      waits: !once,
      resends: !once,
    });
    return parsedJson(answer, (reason) => failure(this.settings, what, reason));
  }

  /** Asks for a WebSocket; whether it opens is told by its events. */
  async openWebSocket(
    path: string,
    query: Readonly<Record<string, string>>,
    protocol: string,
  ): Promise<WebSocket> {
    const credentials = await this.settings.credentials.current();
    const url = `${this.settings.server.replace(/^http/, 'ws')}${path}?${new URLSearchParams(query).toString()}`;
    return new WebSocket(url, {
      protocols: protocol,
      dispatcher: this.#requests.for(credentials),
      headers: Object.entries(requestHeaders(this.settings, '*/*', credentials, this.#compress)).flatMap(
        ([name, value]) => [value].flat().map((one): [string, string] => [name, one]),
      ),
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  readonly #send: Asked['send'] = (request, credentials) =>
    this.#requests.for(credentials).request({ ...request, headers: { ...request.headers } });

  #signal(given: AbortSignal | undefined): AbortSignal | null {
    const { requestTimeout } = this.settings;
    if (requestTimeout === 0) return given ?? null;
    const timeout = AbortSignal.timeout(requestTimeout);
    return given === undefined ? timeout : AbortSignal.any([given, timeout]);
  }

  #ask(asked: Asked): Promise<StreamedAnswer> {
    return ask(asked, this.settings, this.#observe);
  }
}

function nothing(): void {}
