/** Whole lists from an API server: protobuf decoded as it arrives, page by page. */
import { UserError, oneLine } from '../errors.ts';
import { heard } from './answer.ts';
import type { StreamedAnswer } from './answer.ts';
import type { RequestOptions } from './api.ts';
import { JSON_TYPE, PROTOBUF_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { fields, text } from './objects/from-json.ts';
import { ListStream } from './protobuf/list-stream.ts';
import { ProtobufError } from './protobuf/wire.ts';
import { jsonAccept, listPath } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';

export interface ListOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
  /** As RequestOptions.waits. */
  readonly waits?: boolean;
  /** Called whenever bytes of the answer arrive. */
  readonly onHeard?: () => void;
  /** Told how many objects have come so far, a page at a time. */
  readonly onProgress?: (count: number) => void;
}

/**
 * Objects a page. Measured on 10,000 claims (docs/architecture.md): below 1,000 the round trips show, and a page
 * bounds what the server has to hold and what is lost when a connection breaks.
 */
const PAGE = 5_000;
/** As kubectl. A page of JSON is in memory three times, as chunks, as text and as objects, each some 4 KB an object. */
const JSON_PAGE = 500;
/** Ten times the largest fleet there is; a server that sends more does not mean well. */
const MOST_OBJECTS = 10_000_000;
/** A page of JSON is parsed as a whole. Bytes. */
const LARGEST_JSON_PAGE = 256 * 1024 * 1024;
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
  return (await readPage(connection, path, resource, query, options, [])).resourceVersion;
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

async function listPages<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
  limit: number,
): Promise<List<T>> {
  const items: T[] = [];
  const path = listPath(resource, options.namespace);
  let token = '';
  let resourceVersion: string | null = null;
  do {
    const query = {
      ...(limit === 0 ? {} : { limit: String(limit) }),
      ...(token === '' ? {} : { continue: token }),
      ...selectors(options),
    };
    const before = items.length;
    const page = await readPage(connection, path, resource, query, options, items);
    // Later pages are of the same moment; where they are not, a watch from the first one misses nothing.
    resourceVersion ??= page.resourceVersion;
    const next = page.continueToken;
    options.onProgress?.(items.length);
    if (next !== '' && items.length === before) {
      throw new UserError(`${listed(connection, path)}: the server promises more objects and sends none`);
    }
    token = next;
  } while (token !== '');
  return { items, resourceVersion };
}

/** A page's metav1.ListMeta. */
interface PageMeta {
  /** The token of the next page, "" after the last. */
  readonly continueToken: string;
  readonly resourceVersion: string;
}

/** Appends a page's objects to `items`. */
async function readPage<T>(
  connection: ApiConnection,
  path: string,
  resource: Resource<T>,
  query: Readonly<Record<string, string>>,
  { signal, waits, onHeard }: ListOptions,
  items: T[],
): Promise<PageMeta> {
  const options = {
    query,
    ...(signal === undefined ? {} : { signal }),
    ...(waits === undefined ? {} : { waits }),
  };
  const { decoder } = resource;
  const streamed =
    decoder === null
      ? await connection.stream(path, jsonAccept(resource, 'PartialObjectMetadataList'), options)
      : await openPage(connection, path, options);
  const answer = { ...streamed, body: heard(streamed.body, onHeard) };
  if (answer.contentType === JSON_TYPE) return readJsonPage(connection, path, resource, answer, items);
  if (decoder === null || answer.contentType !== PROTOBUF_TYPE) {
    const type = oneLine(answer.contentType).slice(0, 100) || 'of no type';
    throw new UserError(
      `${listed(connection, path)}: the answer cannot be read: it is ${type}, not a Kubernetes list`,
    );
  }
  const stream = new ListStream(decoder(), (item) => {
    if (items.length >= MOST_OBJECTS) throw new ProtobufError(`more than ${MOST_OBJECTS} objects`);
    items.push(item);
  });
  try {
    for await (const chunk of answer.body) stream.push(chunk);
    stream.end();
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new UserError(`${listed(connection, path)}: the answer cannot be read: ${error.message}`);
  }
  return stream;
}

/** Asks for protobuf first; a server or proxy that refuses the very question is asked for JSON alone. */
async function openPage(
  connection: ApiConnection,
  path: string,
  options: RequestOptions,
): Promise<StreamedAnswer> {
  try {
    return await connection.stream(path, `${PROTOBUF_TYPE},${JSON_TYPE}`, options);
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 406 && error.code !== 415)) throw error;
    return connection.stream(path, JSON_TYPE, options);
  }
}

async function readJsonPage<T>(
  connection: ApiConnection,
  path: string,
  resource: Resource<T>,
  answer: StreamedAnswer,
  items: T[],
): Promise<PageMeta> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > LARGEST_JSON_PAGE)
      throw new UserError(`${listed(connection, path)}: a page of more than 256 MiB`);
    chunks.push(chunk);
  }
  const list = parseList(Buffer.concat(chunks).toString('utf8'));
  if (list === null) throw new UserError(`${listed(connection, path)}: the answer is no Kubernetes list`);
  if (items.length + list.items.length > MOST_OBJECTS) {
    throw new UserError(`${listed(connection, path)}: more than ${MOST_OBJECTS} objects`);
  }
  for (const item of list.items) items.push(resource.fromJson(item));
  return list;
}

function parseList(json: string): (PageMeta & { readonly items: unknown[] }) | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('items' in value)) return null;
  const metadata = fields('metadata' in value ? value.metadata : null);
  const items: unknown = value.items ?? [];
  if (!Array.isArray(items)) return null;
  return {
    items,
    continueToken: text(metadata['continue']),
    resourceVersion: text(metadata['resourceVersion']),
  };
}

function listed(connection: ApiConnection, path: string): string {
  return `cannot list ${path} of ${connection.settings.description}`;
}
