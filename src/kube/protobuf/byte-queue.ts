/** Bytes that have arrived and are not yet read; joined only where what is wanted has come in pieces. */
export class ByteQueue {
  #parts: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
  }

  /** The next so many bytes; null, and nothing is taken, while there are fewer. */
  take(count: number): Buffer | null {
    if (this.#size < count) return null;
    // Most chunks hold many events: each is cut off, and the rest not copied.
    const first = this.#parts[0];
    const bytes = first !== undefined && first.length >= count ? first : Buffer.concat(this.#parts);
    const rest = bytes.subarray(count);
    if (bytes === first) this.#parts[0] = rest;
    else this.#parts = [rest];
    if (rest.length === 0) this.#parts.shift();
    this.#size -= count;
    return bytes.subarray(0, count);
  }
}
