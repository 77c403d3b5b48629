/** One watch: what changes from a resourceVersion on. */
import { UserError } from '../errors.ts';
import { JSON_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { text } from './objects/from-json.ts';
import { listPath } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Nothing changed up to this resourceVersion. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WatchOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  /** From a list or an object; what comes after it is told. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/** One event holds one object: etcd holds none above 1.5 MiB; JSON may take several times that. Bytes. */
const LARGEST_EVENT = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Gives the events as they come, until the server ends the watch. It neither lists nor starts again: who calls it
 * goes on from the last resourceVersion, or reads anew after a StatusError of code 410.
 * @throws StatusError where the server refuses or ends it with an error, UserError where the connection breaks.
 */
export async function* watchOnce<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  { namespace, resourceVersion, signal }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const path = listPath(resource, namespace);
  const query = { watch: '1', resourceVersion, allowWatchBookmarks: 'true' };
  const answer = await connection.stream(path, JSON_TYPE, { query, signal });
  const what = `cannot watch ${path} of ${connection.settings.description}`;
  for await (const line of lines(answer.body, what)) yield eventOf(line, resource, what);
}

async function* lines(body: AsyncIterable<Buffer>, what: string): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > LARGEST_EVENT) throw new UserError(`${what}: an event is larger than any object can be`);
  }
}

function eventOf<T>(line: string, resource: Resource<T>, what: string): WatchEvent<T> {
  const { type, object } = parsed(line, what);
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    return { type, object: resource.fromJson(object) };
  }
  const { code, reason, message, metadata } = object as Readonly<Record<string, unknown>>;
  if (type === 'BOOKMARK') {
    return {
      type,
      resourceVersion: text((metadata as Record<string, unknown> | undefined)?.['resourceVersion']),
    };
  }
  // Within the stream of a 200 answer, an error comes as an event with a metav1.Status.
  throw new StatusError(what, typeof code === 'number' ? code : 500, text(reason), text(message));
}

function parsed(line: string, what: string): { type: unknown; object: object } {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event === 'object' && event !== null && 'type' in event && 'object' in event) {
      const { type, object } = event;
      if (typeof object === 'object' && object !== null) return { type, object };
    }
  } catch {
    // Told below.
  }
  throw new UserError(`${what}: the answer is no stream of watch events`);
}
