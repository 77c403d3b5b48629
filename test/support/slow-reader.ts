/** A stream whose reader reads only when a test says so. */
import { Writable } from 'node:stream';

export class SlowReader extends Writable {
  /** What has been read. */
  text = '';
  /** The most that it had to keep at a time. */
  mostKept = 0;
  #taken: (() => void) | null = null;

  /** @param kept highWaterMark: what it takes before it asks to wait */
  constructor(kept = 1) {
    super({ highWaterMark: kept, decodeStrings: false });
  }

  /** Reads until there is nothing left that was written, and nobody who waited for that writes more. */
  async readAll(): Promise<void> {
    while (this.#taken !== null) await this.readOne();
  }

  /** Reads one chunk, if there is one. */
  async readOne(): Promise<void> {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
    // 'drain' is told a moment later.
    await new Promise(setImmediate);
  }

  override _write(chunk: string, _encoding: BufferEncoding, taken: () => void): void {
    this.mostKept = Math.max(this.mostKept, this.writableLength);
    this.#taken = () => {
      this.text += chunk;
      taken();
    };
  }
}
