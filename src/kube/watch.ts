/** One watch: what changes from a resourceVersion on. */
import { UserError, oneLine } from '../errors.ts';
import { heard } from './answer.ts';
import type { StreamedAnswer } from './answer.ts';
import { JSON_TYPE, PROTOBUF_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { selectors } from './list.ts';
import { protobufEvents } from './protobuf/watch-frames.ts';
import { jsonAccept, listPath } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';
import { jsonEvents } from './watch-json.ts';

export type WatchEvent<T> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      /** The object's; the next watch goes on after it. */
      readonly resourceVersion: string;
    }
  /** Nothing changed up to this resourceVersion. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WatchOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** From a list or an object; what comes after it is told. */
  readonly resourceVersion: string;
  /** After so many seconds the server shall end it; the server's own limit where absent. */
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
  /** Called once, when the server has agreed to it. */
  readonly onOpen?: () => void;
  /** Called whenever bytes arrive, be they only the answer to a PING. */
  readonly onHeard?: () => void;
}

/**
 * Gives the events as they come, until the server ends the watch. It neither lists nor starts again: who calls it
 * goes on from the last resourceVersion, or reads anew after a StatusError of code 410.
 * @throws StatusError where the server refuses or ends it with an error, UserError where the connection breaks or
 *   what comes is no stream of events.
 */
export async function* watchOnce<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const path = listPath(resource, options.namespace);
  const answer = await open(connection, path, resource, options);
  options.onOpen?.();
  const what = `cannot watch ${path} of ${connection.settings.description}`;
  const bytes = heard(answer.body, options.onHeard);
  if (answer.contentType === JSON_TYPE) yield* jsonEvents(bytes, resource.fromJson, what);
  else if (answer.contentType === PROTOBUF_TYPE && resource.decoder !== null) {
    yield* protobufEvents(bytes, resource.decoder(), what);
  } else {
    const type = oneLine(answer.contentType).slice(0, 100) || 'of no type';
    throw new UserError(`${what}: the answer cannot be read: it is ${type}, not a Kubernetes watch`);
  }
}

/** Asks for protobuf first; a server or proxy that refuses the very question is asked for JSON alone. */
async function open(
  connection: ApiConnection,
  path: string,
  resource: Resource<unknown>,
  options: WatchOptions,
): Promise<StreamedAnswer> {
  const json = jsonAccept(resource, 'PartialObjectMetadata');
  const { signal, onHeard } = options;
  const asked = { query: queryOf(options), signal, ...(onHeard === undefined ? {} : { onAlive: onHeard }) };
  if (resource.decoder === null) return connection.watchStream(path, json, asked);
  try {
    return await connection.watchStream(path, `${PROTOBUF_TYPE};stream=watch,${json}`, asked);
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 406 && error.code !== 415)) throw error;
    return connection.watchStream(path, json, asked);
  }
}

function queryOf(options: WatchOptions): Readonly<Record<string, string>> {
  const { resourceVersion, timeoutSeconds } = options;
  return {
    watch: '1',
    resourceVersion,
    allowWatchBookmarks: 'true',
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds: String(timeoutSeconds) }),
    ...selectors(options),
  };
}
