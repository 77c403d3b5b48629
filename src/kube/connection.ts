/** Requests to one API server: authentication, retries, errors in words. */
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import { WebSocket } from 'undici';
import type { Dispatcher } from 'undici';
import { UserError } from '../errors.ts';
import type { ApiReader, RequestOptions, Write } from './api.ts';
import { guarded, isLoopback, parsedJson, readStart } from './answer.ts';
import type { RawAnswer, StreamedAnswer } from './answer.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Http2Request } from './http2-session.ts';
import { abortReason, closedWhileIdle, networkReason } from './network-error.ts';
import { RenewedPool } from './renewed-pool.ts';
import { header, pause, retryAfter } from './retry.ts';
import type { ConnectionSettings, Credentials } from './settings.ts';
import { statusErrorOf } from './status-error.ts';
import { WatchPool } from './watch-pool.ts';

export const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * Parallel connections to one API server. Lists of one cluster run side by side on a few; the many small reads
 * that confirm mismatches gain nothing from more (an API server queues them itself).
 */
const CONNECTIONS = 8;
/** As client-go rest/request.go: a server that says when to come again is asked this often. */
const MOST_RETRIES = 10;
/** What kubectl calls them, for messages. */
const VERBS = { POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const;

/** What is asked of the API server. */
interface Asked {
  readonly method: 'GET' | Write['method'];
  readonly path: string;
  readonly accept: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: SentBody | null;
  readonly beforeSending: () => void;
  readonly signal: AbortSignal | null;
  /** What is tried, for a message. */
  readonly what: string;
  readonly send: (request: Sent, credentials: Credentials) => Promise<RawAnswer>;
  readonly compress: boolean;
  readonly waits: boolean;
  readonly onAlive?: (() => void) | undefined;
  /** What finds an idle connection closed is sent once more. */
  readonly resends: boolean;
}

/** A request as it travels. */
interface Sent extends Http2Request {
  readonly method: Asked['method'];
  readonly body?: string;
}

interface SentBody {
  readonly type: string;
  readonly text: string;
}

/**
 * Told of each request.
 * @param verb HTTP method, WATCH for a watch
 * @param code HTTP status; null where no answer came
 */
export type RequestObserver = (verb: string, code: number | null) => void;

export interface WatchStreamOptions extends Pick<RequestOptions, 'query' | 'signal'> {
  /** Called whenever a PING is answered; over HTTP/1.1, which has none, never. */
  readonly onAlive?: () => void;
}

/** A connection to one API server. Close it when done. */
export class ApiConnection implements ApiReader {
  readonly settings: ConnectionSettings;
  readonly #requests: RenewedPool<Dispatcher>;
  /** Of their own: a watch keeps its place for minutes, and what is asked meanwhile must not wait for it. */
  readonly #watches: RenewedPool<WatchPool>;
  readonly #compress: boolean;
  readonly #observe: RequestObserver;
  readonly #closed = new AbortController();

  /** @param observe told of each request that was sent */
  constructor(settings: ConnectionSettings, observe: RequestObserver = nothing) {
    this.settings = settings;
    this.#observe = observe;
    const { signal } = this.#closed;
    this.#requests = new RenewedPool((credentials) =>
      createDispatcher(settings, credentials, CONNECTIONS, signal),
    );
    this.#watches = new RenewedPool((credentials) => new WatchPool(settings, credentials, signal));
    this.#compress = !settings.disableCompression && !isLoopback(settings.server);
  }

  async getJson(path: string, options: RequestOptions = {}): Promise<unknown> {
    const answer = await this.stream(path, JSON_TYPE, options);
    return parsedJson(answer, (reason) => this.#failure(`get ${path}`, reason));
  }

  /**
   * GET path, the body as it arrives.
   * @param accept the Accept header
   * @throws StatusError for an answer that is not 2xx, UserError where there is no answer.
   */
  stream(path: string, accept: string, options: RequestOptions = {}): Promise<StreamedAnswer> {
    return this.#ask({
      method: 'GET',
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
    return parsedJson(answer, (reason) => this.#failure(what, reason));
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
      headers: Object.entries(this.#headers('*/*', credentials, this.#compress)).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      ),
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  /** Asks, with credentials, until there is an answer that is worth having. */
  async #ask(asked: Asked): Promise<StreamedAnswer> {
    const { signal, what } = asked;
    let reauthenticated = false;
    for (let attempt = 0; ; attempt += 1) {
      const credentials = await this.settings.credentials.current();
      const answer = await this.#answer(asked, credentials);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return this.#streamed(answer, signal, what);
      const body = await readStart(answer);
      if (
        answer.statusCode === 401 &&
        !reauthenticated &&
        this.settings.credentials.invalidate(credentials)
      ) {
        reauthenticated = true;
        continue;
      }
      const wait = retryAfter(answer);
      if (wait === null || !asked.waits || attempt >= MOST_RETRIES) {
        throw statusErrorOf(
          `cannot ${what} of ${this.settings.description}`,
          answer.statusCode,
          header(answer, 'content-type'),
          body,
          wait,
        );
      }
      await pause(wait * 1000, signal, () => this.#failure(what, abortReason(signal)));
    }
  }

  readonly #send: Asked['send'] = (request, credentials) =>
    this.#requests.for(credentials).request({ ...request, headers: { ...request.headers } });

  async #answer(
    {
      method,
      path,
      accept,
      query,
      body,
      beforeSending,
      signal,
      what,
      send,
      compress,
      onAlive,
      resends,
    }: Asked,
    credentials: Credentials,
  ): Promise<RawAnswer> {
    const url = new URL(this.settings.server);
    const search = new URLSearchParams(query).toString();
    const headers = this.#headers(accept, credentials, compress);
    if (body !== null) headers['content-type'] = body.type;
    const request = {
      origin: url.origin,
      path: `${url.pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`,
      method,
      headers,
      signal,
      ...(body === null ? {} : { body: body.text }),
      ...(onAlive === undefined ? {} : { onAlive }),
    };
    for (let attempt = 0; ; attempt += 1) {
      beforeSending();
      const verb = send === this.#send ? method : 'WATCH';
      try {
        const answer = await send(request, credentials);
        this.#observe(verb, answer.statusCode);
        return answer;
      } catch (error) {
        this.#observe(verb, null);
        if (signal?.aborted === true) throw this.#failure(what, abortReason(signal));
        if (attempt === 0 && resends && closedWhileIdle(error)) continue;
        throw this.#failure(what, networkReason(error));
      }
    }
  }

  #headers(accept: string, credentials: Credentials, compress: boolean): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {
      accept,
      'user-agent': 'kubectl-vc_pvc',
      'accept-encoding': compress ? 'gzip' : 'identity',
    };
    if (credentials.authorization !== undefined) headers['authorization'] = credentials.authorization;
    const { impersonation } = this.settings;
    if (impersonation === null) return headers;
    if (impersonation.user !== '') headers['impersonate-user'] = impersonation.user;
    if (impersonation.uid !== '') headers['impersonate-uid'] = impersonation.uid;
    if (impersonation.groups.length > 0) headers['impersonate-group'] = [...impersonation.groups];
    for (const [key, values] of Object.entries(impersonation.extra)) {
      headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
    }
    return headers;
  }

  #signal(given: AbortSignal | undefined): AbortSignal | null {
    const { requestTimeout } = this.settings;
    if (requestTimeout === 0) return given ?? null;
    const timeout = AbortSignal.timeout(requestTimeout);
    return given === undefined ? timeout : AbortSignal.any([given, timeout]);
  }

  #streamed(answer: RawAnswer, signal: AbortSignal | null, what: string): StreamedAnswer {
    const compressed = header(answer, 'content-encoding') === 'gzip';
    const body: Readable = compressed ? answer.body.compose(createGunzip()) : answer.body;
    const fail = (error: unknown): UserError =>
      this.#failure(what, signal?.aborted === true ? abortReason(signal) : networkReason(error));
    return {
      contentType: (header(answer, 'content-type').split(';')[0] ?? '').trim(),
      body: guarded(body, fail),
    };
  }

  #failure(what: string, reason: string): UserError {
    return new UserError(
      `cannot ${what} of ${this.settings.description} (${this.settings.server}): ${reason}`,
    );
  }
}

function nothing(): void {}
