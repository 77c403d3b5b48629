/**
 * A list answer in protobuf, decoded as its bytes arrive. Layout: the four bytes "k8s\0", then a
 * runtime.Unknown whose field 2 ("raw") is the list: field 1 ListMeta, field 2 each item.
 * k8s.io/apimachinery pkg/runtime/generated.proto, pkg/runtime/serializer/protobuf.
 */
import type { Decode } from './objects.ts';
import { FieldReader, ProtobufError } from './wire.ts';

const MAGIC = Buffer.from('k8s\0');
const RAW = 2;
const LIST_META = 1;
const ITEMS = 2;
const RESOURCE_VERSION = 2;
const CONTINUE = 3;

/** etcd takes no request above 1.5 MiB, so no object is larger; the margin is for servers that allow more. */
const LARGEST_FIELD = 16 * 1024 * 1024;

/** Of a TLS record, and what is left before it; grows for larger objects. Bytes. */
const ROOM = 32 * 1024;

/** Takes chunks of any size; keeps at most one unfinished object. */
export class ListStream<T> {
  resourceVersion = '';
  continueToken = '';
  readonly #decode: Decode<T>;
  readonly #onItem: (item: T) => void;
  readonly #inner = new FieldReader();
  /** What is left of the last chunk lies at its beginning; the next chunk is joined to it there. */
  #room: Buffer = Buffer.allocUnsafe(ROOM);
  /** Bytes in it. */
  #kept = 0;
  #magicSeen = false;
  /** Bytes of `raw` still to come; -1 while outside of it. */
  #rawLeft = -1;
  #rawSeen = false;

  constructor(decode: Decode<T>, onItem: (item: T) => void) {
    this.#decode = decode;
    this.#onItem = onItem;
  }

  /** @throws ProtobufError */
  push(chunk: Buffer): void {
    const bytes = this.#kept === 0 ? chunk : this.#joined(chunk);
    const end = this.#kept + chunk.length;
    let position = 0;
    if (!this.#magicSeen && end >= MAGIC.length) {
      if (bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0)
        throw new ProtobufError('not a Kubernetes protobuf message');
      this.#magicSeen = true;
      position = MAGIC.length;
    }
    while (this.#magicSeen) {
      const after = this.#step(bytes, position, end);
      if (after === position) break;
      position = after;
    }
    this.#keep(bytes, position, end);
  }

  /** What is left and a chunk behind it, in the room that all chunks share: an object lies across most of their ends. */
  #joined(chunk: Buffer): Buffer {
    this.#makeRoom(this.#kept + chunk.length);
    chunk.copy(this.#room, this.#kept);
    return this.#room;
  }

  /** A copy, so that a chunk can be freed. */
  #keep(bytes: Buffer, position: number, end: number): void {
    this.#kept = end - position;
    if (bytes === this.#room) bytes.copyWithin(0, position, end);
    else {
      this.#makeRoom(this.#kept);
      bytes.copy(this.#room, 0, position, end);
    }
  }

  #makeRoom(length: number): void {
    if (length <= this.#room.length) return;
    const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#room.length));
    this.#room.copy(larger, 0, 0, this.#kept);
    this.#room = larger;
  }

  /** @throws ProtobufError where the message was cut off. */
  end(): void {
    if (!this.#rawSeen || this.#rawLeft > 0 || this.#kept > 0) {
      throw new ProtobufError('the list ends before it is complete');
    }
  }

  /** Consumes one field if it is whole; returns the position after it, or the same one. */
  #step(bytes: Buffer, position: number, end: number): number {
    if (this.#rawLeft === 0) this.#rawLeft = -1;
    const head = readHead(bytes, position, end);
    if (head === null) return position;
    const inRaw = this.#rawLeft > 0;
    if (!inRaw && head.field === RAW) {
      this.#rawSeen = true;
      this.#rawLeft = head.length;
      return head.payload;
    }
    const finish = head.payload + head.length;
    if (head.length > LARGEST_FIELD) throw new ProtobufError(`an object of ${head.length} bytes`);
    if (finish > end) return position;
    if (inRaw) {
      this.#rawLeft -= finish - position;
      if (this.#rawLeft < 0) throw new ProtobufError('an item ends beyond its list');
      if (head.field === ITEMS) this.#onItem(this.#decode(bytes, head.payload, finish));
      else if (head.field === LIST_META) this.#readListMeta(bytes, head.payload, finish);
    }
    return finish;
  }

  #readListMeta(bytes: Buffer, start: number, finish: number): void {
    const reader = this.#inner.open(bytes, start, finish);
    while (reader.next()) {
      if (reader.field === RESOURCE_VERSION) this.resourceVersion = reader.text();
      else if (reader.field === CONTINUE) this.continueToken = reader.text();
    }
  }
}

/** Tag and length of a length-delimited field; null where the bytes end within them. */
function readHead(
  bytes: Buffer,
  position: number,
  end: number,
): { field: number; length: number; payload: number } | null {
  const tag = readVarint(bytes, position, end);
  if (tag === null) return null;
  if ((tag.value & 7) !== 2) throw new ProtobufError(`wire type ${tag.value & 7} in a list`);
  const length = readVarint(bytes, tag.after, end);
  return length === null ? null : { field: tag.value >>> 3, length: length.value, payload: length.after };
}

function readVarint(bytes: Buffer, position: number, end: number): { value: number; after: number } | null {
  let value = 0;
  let factor = 1;
  for (let at = position; at < end; at += 1) {
    if (at - position >= 10) throw new ProtobufError('a number of more than ten bytes');
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, after: at + 1 };
    factor *= 128;
  }
  return null;
}
