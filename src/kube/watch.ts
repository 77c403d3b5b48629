/** One watch: what changes from a resourceVersion on. */
import { heard } from './answer.ts';
import { JSON_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { jsonEvents } from './watch-json.ts';
import { listPath } from './resources.ts';
import type { Resource } from './resources.ts';

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
  /** Called whenever bytes arrive. */
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
  const { namespace, signal, onOpen, onHeard } = options;
  const path = listPath(resource, namespace);
  const answer = await connection.watchStream(path, JSON_TYPE, { query: queryOf(options), signal });
  onOpen?.();
  const what = `cannot watch ${path} of ${connection.settings.description}`;
  const bytes = heard(answer.body, onHeard);
  yield* jsonEvents(bytes, resource.fromJson, what);
}

function queryOf(options: WatchOptions): Readonly<Record<string, string>> {
  const { resourceVersion, timeoutSeconds, labelSelector, fieldSelector } = options;
  return {
    watch: '1',
    resourceVersion,
    allowWatchBookmarks: 'true',
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds: String(timeoutSeconds) }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
