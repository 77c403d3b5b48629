/**
 * The protobuf wire format, as far as Kubernetes uses it: varints and length-delimited fields, read in place.
 * The bytes come from a server that may be hostile: every length is checked against what is there.
 */

/** The bytes are no protobuf message of the expected kind. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** Names have at most 253 characters, uids and quantities fewer. Bytes. */
const LONGEST_TEXT = 1024;

/** Shared: a Buffer for each reader would cost more than most messages that are read. */
const NO_BYTES = Buffer.alloc(0);

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/**
 * A reader over one message. After `next()` the current field's number is in `field`; for a length-delimited
 * one its payload lies in [`start`, `finish`), for a varint its value is in `value`.
 */
export class FieldReader {
  bytes: Buffer = NO_BYTES;
  field = 0;
  start = 0;
  finish = 0;
  value = 0;
  #position = 0;
  #end = 0;

  /** Starts on the message in bytes [start, end). */
  open(bytes: Buffer, start: number, end: number): this {
    this.bytes = bytes;
    this.start = this.finish = start;
    this.#position = start;
    this.#end = end;
    return this;
  }

  /** Steps to the next field; false at the end of the message. @throws ProtobufError */
  next(): boolean {
    if (this.#position >= this.#end) return false;
    const tag = this.#varint();
    this.field = tag >>> 3;
    switch (tag & 7) {
      case LENGTH_DELIMITED: {
        const length = this.#varint();
        this.start = this.#position;
        this.#skip(length);
        this.finish = this.#position;
        return true;
      }
      case VARINT:
        this.start = this.finish = this.#position;
        this.value = this.#varint();
        return true;
      case FIXED64:
        this.#skip(8);
        break;
      case FIXED32:
        this.#skip(4);
        break;
      default:
        throw new ProtobufError(`wire type ${tag & 7} at byte ${this.#position}`);
    }
    this.start = this.finish = this.#position;
    return true;
  }

  /**
   * The current field's payload as text.
   * @throws ProtobufError for one longer than any name can be: a hostile server must not fill our memory.
   */
  text(): string {
    if (this.finish - this.start > LONGEST_TEXT) {
      throw new ProtobufError(`a text of ${this.finish - this.start} bytes where a name is due`);
    }
    return this.bytes.toString('utf8', this.start, this.finish);
  }

  /** Whether the current field's payload is these bytes. */
  is(expected: Buffer): boolean {
    const { bytes, start } = this;
    const { length } = expected;
    if (this.finish - start !== length) return false;
    // Names of some ten bytes: a loop is over before Buffer.compare has been called.
    for (let at = 0; at < length; at += 1) if (bytes[start + at] !== expected[at]) return false;
    return true;
  }

  /** The beginning of the current field's payload as text, for prose whose end can be done without. */
  startOfText(): string {
    return this.bytes.toString('utf8', this.start, Math.min(this.finish, this.start + LONGEST_TEXT));
  }

  #skip(length: number): void {
    if (length > this.#end - this.#position) throw new ProtobufError(`a field ends beyond its message`);
    this.#position += length;
  }

  /** Above 2^53 the value is rounded: nothing that is read here (lengths, seconds, codes) is as large. */
  #varint(): number {
    let result = 0;
    let factor = 1;
    for (let count = 0; count < 10; count += 1) {
      if (this.#position >= this.#end) throw new ProtobufError('a number ends beyond its message');
      const byte = this.bytes[this.#position] ?? 0;
      this.#position += 1;
      result += (byte & 0x7f) * factor;
      if (byte < 0x80) return result;
      factor *= 128;
    }
    throw new ProtobufError('a number of more than ten bytes');
  }
}

/**
 * Remembers the last text of a field: in a list, neighbours mostly share namespace, class and phase, and one
 * string in place of thousands is both faster and smaller.
 */
export class RepeatedText {
  #bytes: Buffer = NO_BYTES;
  #text = '';

  /** The text of the reader's current field. */
  read(reader: FieldReader): string {
    if (reader.is(this.#bytes)) return this.#text;
    this.#bytes = Buffer.from(reader.bytes.subarray(reader.start, reader.finish));
    this.#text = reader.text();
    return this.#text;
  }
}
