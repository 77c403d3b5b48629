/** One request until there is an answer that is worth having: authentication, retries, errors in words. */
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import { UserError } from '../errors.ts';
import type { Write } from './api.ts';
import { guarded, readStart } from './answer.ts';
import type { RawAnswer, StreamedAnswer } from './answer.ts';
import type { Http2Request } from './http2-session.ts';
import { abortReason, closedWhileIdle, networkReason } from './network-error.ts';
import { requestHeaders } from './request-headers.ts';
import { header, pause, retryAfter } from './retry.ts';
import type { ConnectionSettings, Credentials } from './settings.ts';
import { statusErrorOf } from './status-error.ts';

/** As client-go rest/request.go: a server that says when to come again is asked this often. */
const MOST_RETRIES = 10;

/** What is asked of the API server. */
export interface Asked {
  readonly method: 'GET' | Write['method'];
  /** As it is counted: the method, or WATCH. */
  readonly verb: string;
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

/**
 * Asks, with credentials, until there is an answer that is worth having.
 * @param observe told of each request that was sent
 * @throws StatusError for an answer that is not 2xx, UserError where there is no answer.
 */
export async function ask(
  asked: Asked,
  settings: ConnectionSettings,
  observe: RequestObserver,
): Promise<StreamedAnswer> {
  const { signal, what } = asked;
  let reauthenticated = false;
  for (let attempt = 0; ; attempt += 1) {
    const credentials = await settings.credentials.current();
    const answer = await answerTo(asked, settings, credentials, observe);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return streamed(answer, signal, what, settings);
    const body = await readStart(answer);
    if (answer.statusCode === 401 && !reauthenticated && settings.credentials.invalidate(credentials)) {
      reauthenticated = true;
      continue;
    }
    const wait = retryAfter(answer);
    if (wait === null || !asked.waits || attempt >= MOST_RETRIES) {
      throw statusErrorOf(
        `cannot ${what} of ${settings.description}`,
        answer.statusCode,
        header(answer, 'content-type'),
        body,
        wait,
      );
    }
    await pause(wait * 1000, signal, () => failure(settings, what, abortReason(signal)));
  }
}

async function answerTo(
  {
    method,
    verb,
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
  settings: ConnectionSettings,
  credentials: Credentials,
  observe: RequestObserver,
): Promise<RawAnswer> {
  const url = new URL(settings.server);
  const search = new URLSearchParams(query).toString();
  const headers = requestHeaders(settings, accept, credentials, compress);
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
    try {
      const answer = await send(request, credentials);
      observe(verb, answer.statusCode);
      return answer;
    } catch (error) {
      observe(verb, null);
      if (signal?.aborted === true) throw failure(settings, what, abortReason(signal));
      if (attempt === 0 && resends && closedWhileIdle(error)) continue;
      throw failure(settings, what, networkReason(error));
    }
  }
}

function streamed(
  answer: RawAnswer,
  signal: AbortSignal | null,
  what: string,
  settings: ConnectionSettings,
): StreamedAnswer {
  const compressed = header(answer, 'content-encoding') === 'gzip';
  const body: Readable = compressed ? answer.body.compose(createGunzip()) : answer.body;
  const fail = (error: unknown): UserError =>
    failure(settings, what, signal?.aborted === true ? abortReason(signal) : networkReason(error));
  return {
    contentType: (header(answer, 'content-type').split(';')[0] ?? '').trim(),
    body: guarded(body, fail),
  };
}

/** @param what was tried @param reason why it failed */
export function failure(
  { description, server }: ConnectionSettings,
  what: string,
  reason: string,
): UserError {
  const whom = description.includes(server) ? description : `${description} (${server})`;
  return new UserError(`cannot ${what} of ${whom}: ${reason}`);
}
