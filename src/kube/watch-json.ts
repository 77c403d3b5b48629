/** The events of a watch in JSON: one a line. k8s.io/apimachinery pkg/apis/meta/v1/watch.go. */
import { UserError } from '../errors.ts';
import { fields, text } from './objects/from-json.ts';
import type { Fields } from './objects/from-json.ts';
import { StatusError } from './status-error.ts';
import type { WatchEvent } from './watch.ts';

/** One event holds one object: etcd holds none above 1.5 MiB; JSON may take several times that. Bytes. */
const LARGEST_EVENT = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * @param what what was tried and on which cluster, for errors
 * @throws StatusError for an event that tells of an error, UserError for what is no event
 */
export async function* jsonEvents<T>(
  body: AsyncIterable<Buffer>,
  fromJson: (value: unknown) => T,
  what: string,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of lines(body, what)) yield eventOf(line, fromJson, what);
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

function eventOf<T>(line: string, fromJson: (value: unknown) => T, what: string): WatchEvent<T> {
  const { type, object } = parsed(line, what);
  // Within the stream of a 200 answer, an error comes as an event with a metav1.Status.
  if (type === 'ERROR') {
    const { code, reason, message } = object;
    throw new StatusError(what, typeof code === 'number' ? code : 500, text(reason), text(message));
  }
  const metadata = fields(object['metadata']);
  const resourceVersion = text(metadata['resourceVersion']);
  if (resourceVersion === '') throw new UserError(`${what}: an event has no resourceVersion`);
  if (type === 'BOOKMARK') return { type, resourceVersion };
  if (text(metadata['name']) === '') throw new UserError(`${what}: an event's object has no name`);
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    return { type, object: fromJson(object), resourceVersion };
  }
  throw new UserError(`${what}: an event of an unknown kind`);
}

function parsed(line: string, what: string): { type: unknown; object: Fields } {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event === 'object' && event !== null && 'type' in event && 'object' in event) {
      const { type, object } = event;
      if (typeof object === 'object' && object !== null) return { type, object: fields(object) };
    }
  } catch {
    // Told below.
  }
  throw new UserError(`${what}: the answer is no stream of watch events`);
}
