/** One page of a list: asked for, and its objects decoded as they arrive. */
import { UserError, oneLine } from '../errors.ts';
import { heard } from './answer.ts';
import type { StreamedAnswer } from './answer.ts';
import type { RequestOptions } from './api.ts';
import { JSON_TYPE, PROTOBUF_TYPE } from './connection.ts';
import type { ApiConnection } from './connection.ts';
import { fields, text } from './objects/from-json.ts';
import { ListStream } from './protobuf/list-stream.ts';
import { ProtobufError } from './protobuf/wire.ts';
import { jsonAccept } from './resources.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status-error.ts';

/** Ten times the largest fleet there is; a server that sends more does not mean well. */
const MOST_OBJECTS = 10_000_000;
/** A page of JSON is parsed as a whole. Bytes. */
const LARGEST_JSON_PAGE = 256 * 1024 * 1024;

export interface PageOptions {
  readonly signal?: AbortSignal;
  /** As RequestOptions.waits. */
  readonly waits?: boolean;
  /** Called whenever bytes of the answer arrive. */
  readonly onHeard?: () => void;
}

/** A page's metav1.ListMeta. */
export interface PageMeta {
  /** The token of the next page, "" after the last. */
  readonly continueToken: string;
  readonly resourceVersion: string;
}

/**
 * Appends a page's objects to `items`.
 * @param onToken told of the next page's token, maybe before the end of this one and more than once
 * @throws UserError naming what was read and of which cluster
 */
export async function readPage<T>(
  connection: ApiConnection,
  path: string,
  resource: Resource<T>,
  streamed: StreamedAnswer,
  { onHeard }: PageOptions,
  items: T[],
  onToken: (token: string) => void,
): Promise<PageMeta> {
  const { decoder } = resource;
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
    for await (const chunk of answer.body) {
      stream.push(chunk);
      if (stream.continueToken !== '') onToken(stream.continueToken);
    }
    stream.end();
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new UserError(`${listed(connection, path)}: the answer cannot be read: ${error.message}`);
  }
  return stream;
}

/**
 * Asks for a page in the form that the kind is read in.
 * @throws StatusError, UserError where there is no answer
 */
export function openPage(
  connection: ApiConnection,
  path: string,
  resource: Resource<unknown>,
  query: Readonly<Record<string, string>>,
  { signal, waits }: PageOptions,
): Promise<StreamedAnswer> {
  const options = {
    query,
    ...(signal === undefined ? {} : { signal }),
    ...(waits === undefined ? {} : { waits }),
  };
  return resource.decoder === null
    ? connection.stream(path, jsonAccept(resource, 'PartialObjectMetadataList'), options)
    : openProtobuf(connection, path, options);
}

/** Asks for protobuf first; a server or proxy that refuses the very question is asked for JSON alone. */
async function openProtobuf(
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

/** The beginning of an error's line. */
export function listed(connection: ApiConnection, path: string): string {
  return `cannot list ${path} of ${connection.settings.description}`;
}
