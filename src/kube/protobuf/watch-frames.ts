/**
 * The events of a watch in protobuf. Layout: frames of a length (four bytes, most significant first) and a
 * metav1.WatchEvent, field 1 its type, field 2 a runtime.RawExtension, whose field 1 is an object in the envelope that
 * list-stream.ts describes. k8s.io/apimachinery pkg/util/framer, pkg/apis/meta/v1/generated.proto; k8s.io/apiserver
 * pkg/endpoints/handlers/response.go, watchEncoder.
 */
import { UserError } from '../../errors.ts';
import { StatusError, statusInProtobuf } from '../status-error.ts';
import type { WatchEvent } from '../watch.ts';
import { ByteQueue } from './byte-queue.ts';
import type { Decode } from './objects.ts';
import { FieldReader, ProtobufError } from './wire.ts';

const HEADER = 4;
const MAGIC = Buffer.from('k8s\0');
/** The limit of client-go's own reader (k8s.io/apimachinery pkg/runtime/serializer/streaming). Bytes. */
const LARGEST_FRAME = 16 * 1024 * 1024;

/**
 * @param decode serves this watch only
 * @param what what was tried and on which cluster, for errors
 * @throws StatusError for an event that tells of an error, UserError for what is no event
 */
export async function* protobufEvents<T>(
  body: AsyncIterable<Buffer>,
  decode: Decode<T>,
  what: string,
): AsyncGenerator<WatchEvent<T>> {
  const queue = new ByteQueue();
  let length: number | null = null;
  for await (const chunk of body) {
    queue.push(chunk);
    for (;;) {
      length ??= queue.take(HEADER)?.readUInt32BE() ?? null;
      if (length === null) break;
      if (length > LARGEST_FRAME) throw new UserError(`${what}: an event is larger than any object can be`);
      const frame = queue.take(length);
      if (frame === null) break;
      length = null;
      yield eventOf(frame, decode, what);
    }
  }
}

function eventOf<T>(frame: Buffer, decode: Decode<T>, what: string): WatchEvent<T> {
  try {
    return decodeEvent(frame, decode, what);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new UserError(`${what}: the answer cannot be read: ${error.message}`);
  }
}

function decodeEvent<T>(frame: Buffer, decode: Decode<T>, what: string): WatchEvent<T> {
  const { type, message } = openEvent(frame);
  if (type === 'ERROR') {
    const { code, reason, message: text } = statusInProtobuf(message);
    throw new StatusError(what, code === 0 ? 500 : code, reason, text);
  }
  const object = rawOf(message);
  const { name, resourceVersion } = identityOf(object);
  if (resourceVersion === '') throw new ProtobufError('an event has no resourceVersion');
  if (type === 'BOOKMARK') return { type, resourceVersion };
  if (name === '') throw new ProtobufError("an event's object has no name");
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    return { type, object: decode(object.bytes, object.start, object.finish), resourceVersion };
  }
  throw new ProtobufError('an event of an unknown kind');
}

function openEvent(frame: Buffer): { readonly type: string; readonly message: Buffer } {
  let type = '';
  let message: Buffer | null = null;
  const event = new FieldReader().open(frame, 0, frame.length);
  while (event.next()) {
    if (event.field === 1) type = event.text();
    else if (event.field === 2) {
      const extension = new FieldReader().open(frame, event.start, event.finish);
      while (extension.next()) {
        if (extension.field === 1) message = frame.subarray(extension.start, extension.finish);
      }
    }
  }
  if (message === null || !message.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError('an event without a Kubernetes object');
  }
  return { type, message };
}

/** Field 2 of the runtime.Unknown in an envelope: the object's own bytes. */
function rawOf(message: Buffer): FieldReader {
  const envelope = new FieldReader().open(message, MAGIC.length, message.length);
  while (envelope.next()) if (envelope.field === 2) return envelope;
  throw new ProtobufError('an event without a Kubernetes object');
}

/** Name and resourceVersion of the ObjectMeta that each object has as its field 1. */
function identityOf(raw: FieldReader): { readonly name: string; readonly resourceVersion: string } {
  let name = '';
  let resourceVersion = '';
  const object = new FieldReader().open(raw.bytes, raw.start, raw.finish);
  while (object.next()) {
    if (object.field !== 1) continue;
    const metadata = new FieldReader().open(raw.bytes, object.start, object.finish);
    while (metadata.next()) {
      if (metadata.field === 1) name = metadata.text();
      else if (metadata.field === 6) resourceVersion = metadata.text();
    }
  }
  return { name, resourceVersion };
}
