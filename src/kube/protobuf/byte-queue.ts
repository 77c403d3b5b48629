/** Bytes that have arrived and are not yet read; joined only once as many are there as are wanted. */
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
    const all = Buffer.concat(this.#parts);
    this.#parts = all.length > count ? [all.subarray(count)] : [];
    this.#size -= count;
    return all.subarray(0, count);
  }
}
