/** Whole lists from an API server: protobuf decoded as it arrives, page by page. */
import { UserError } from '../errors.ts';
import type { StreamedAnswer } from './answer.ts';
import type { ApiConnection } from './connection.ts';
import { listed, openPage, readPage } from './list-page.ts';
import type { PageMeta, PageOptions } from './list-page.ts';
import { listPath } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';

export interface ListOptions extends PageOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Told how many objects have come so far, a page at a time. */
  readonly onProgress?: (count: number) => void;
}

/**
 * Objects a page (docs/architecture.md): of smaller ones the round trips and the server's work show, and a page bounds
 * what the server has to hold and what is lost when a connection breaks.
 */
const PAGE = 10_000;
/** As kubectl. A page of JSON is in memory three times, as chunks, as text and as objects, each some 4 KB an object. */
const JSON_PAGE = 500;
/** A `continue` token that expires in the middle (410) starts the list again; each time is a full list's work. */
const MOST_RESTARTS = 2;

export interface List<T> {
  readonly items: T[];
  /** Of the moment that the list shows, where a watch goes on; "" where the server gives none. */
  readonly resourceVersion: string;
}

/**
 * All objects of a kind.
 * @throws StatusError, UserError naming what was read and of which cluster.
 */
export async function listAll<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
): Promise<T[]> {
  return (await listAt(connection, resource, options)).items;
}

/**
 * All objects of a kind, and the moment they are of.
 * @throws as listAll
 */
export async function listAt<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
): Promise<List<T>> {
  const page = resource.decoder === null ? JSON_PAGE : PAGE;
  for (let restarts = 0; ; restarts += 1) {
    try {
      // The last try asks for everything at once, which cannot expire in the middle: so does client-go's pager.
      return await listPages(connection, resource, options, restarts < MOST_RESTARTS ? page : 0);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 410 || restarts >= MOST_RESTARTS) throw error;
    }
  }
}

/**
 * The resourceVersion of now, for the price of one object.
 * @throws as listAll
 */
export async function presentVersion(
  connection: ApiConnection,
  resource: Resource<unknown>,
  options: ListOptions,
): Promise<string> {
  const path = listPath(resource, options.namespace);
  const query = { limit: '1', ...selectors(options) };
  const page = await openPage(connection, path, resource, query, options);
  return (await readPage(connection, path, resource, page, options, [], () => {})).resourceVersion;
}

/** What narrows a list or watch, as a query. */
export function selectors({
  labelSelector,
  fieldSelector,
}: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): Readonly<Record<string, string>> {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/**
 * Page after page. The token of the next one stands at a page's beginning, so the server is asked for it at once and
 * makes it while this one is still decoded; it sends no more of it than our buffers take.
 */
async function listPages<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
  limit: number,
): Promise<List<T>> {
  const items: T[] = [];
  const path = listPath(resource, options.namespace);
  // Whatever ends this list, no request of it is left behind.
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const open = (token: string): Promise<StreamedAnswer> => {
    const query = {
      ...(limit === 0 ? {} : { limit: String(limit) }),
      ...(token === '' ? {} : { continue: token }),
      ...selectors(options),
    };
    const opening = openPage(connection, path, resource, query, { ...options, signal });
    // Awaited only when its turn comes: this keeps an early failure from being called unhandled.
    opening.catch(() => {});
    return opening;
  };
  // A limit of the user's for each request must not run while the answer waits for its turn.
  const isAhead = connection.settings.requestTimeout === 0;
  let resourceVersion: string | null = null;
  try {
    for (let page: Promise<StreamedAnswer> | null = open(''); page !== null;) {
      const before = items.length;
      let next: Promise<StreamedAnswer> | null = null;
      const onToken = (token: string): void => {
        if (isAhead) next ??= open(token);
      };
      const meta: PageMeta = await readPage(connection, path, resource, await page, options, items, onToken);
      // Later pages are of the same moment; where they are not, a watch from the first one misses nothing.
      resourceVersion ??= meta.resourceVersion;
      options.onProgress?.(items.length);
      if (meta.continueToken !== '' && items.length === before) {
        throw new UserError(`${listed(connection, path)}: the server promises more objects and sends none`);
      }
      page = meta.continueToken === '' ? null : (next ?? open(meta.continueToken));
    }
    return { items, resourceVersion: resourceVersion ?? '' };
  } finally {
    ended.abort();
  }
}
