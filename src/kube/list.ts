/** Whole lists from an API server: protobuf decoded as it arrives, page by page. */
import { UserError, oneLine } from '../errors.ts';
import type { StreamedAnswer } from './answer.ts';
import { JSON_TYPE, PROTOBUF_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { ListStream } from './protobuf/list-stream.ts';
import { ProtobufError } from './protobuf/wire.ts';
import { listPath } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';

export interface ListOptions {
  /** null: all namespaces, or a kind that has none. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly signal?: AbortSignal;
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

/**
 * All objects of a kind.
 * @throws StatusError, UserError naming what was read and of which cluster.
 */
export async function listAll<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
): Promise<T[]> {
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

async function listPages<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions,
  limit: number,
): Promise<T[]> {
  const items: T[] = [];
  const path = listPath(resource, options.namespace);
  let token = '';
  do {
    const query = {
      ...(limit === 0 ? {} : { limit: String(limit) }),
      ...(token === '' ? {} : { continue: token }),
      ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    };
    const before = items.length;
    const next = await readPage(connection, path, resource, query, options.signal, items);
    options.onProgress?.(items.length);
    if (next !== '' && items.length === before) {
      throw new UserError(`${listed(connection, path)}: the server promises more objects and sends none`);
    }
    token = next;
  } while (token !== '');
  return items;
}

/** Appends a page's objects to `items`; returns the token of the next page, "" after the last. */
async function readPage<T>(
  connection: ApiConnection,
  path: string,
  resource: Resource<T>,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  items: T[],
): Promise<string> {
  const options = { query, ...(signal === undefined ? {} : { signal }) };
  const { decoder } = resource;
  const answer =
    decoder === null
      ? await connection.stream(path, JSON_TYPE, options)
      : await openPage(connection, path, options);
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
  return stream.continueToken;
}

/** Asks for protobuf first; a server or proxy that refuses the very question is asked for JSON alone. */
async function openPage(
  connection: ApiConnection,
  path: string,
  options: { query: Readonly<Record<string, string>>; signal?: AbortSignal },
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
): Promise<string> {
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
  return list.continueToken;
}

function parseList(text: string): { items: unknown[]; continueToken: string } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('items' in value)) return null;
  const metadata: unknown = 'metadata' in value ? value.metadata : null;
  const token: unknown =
    typeof metadata === 'object' && metadata !== null && 'continue' in metadata ? metadata.continue : '';
  const items: unknown = value.items ?? [];
  return Array.isArray(items) ? { items, continueToken: typeof token === 'string' ? token : '' } : null;
}

function listed(connection: ApiConnection, path: string): string {
  return `cannot list ${path} of ${connection.settings.description}`;
}
