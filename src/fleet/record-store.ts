/** Records of a large fleet in little memory: as text, outside of the heap, where no garbage collector visits them. */
import type { RecordedObject } from '../snapshot/recorded.ts';

/** Bytes; a larger record gets a block of its own. */
const BLOCK = 1024 * 1024;

export class RecordStore {
  readonly #blocks: Buffer[] = [];
  /** Of each record its block and the bytes of it. */
  readonly #block: number[] = [];
  readonly #start: number[] = [];
  readonly #end: number[] = [];
  #used = BLOCK;

  /** @returns the number by which it is found again */
  add(record: RecordedObject): number {
    const text = JSON.stringify(record);
    const size = Buffer.byteLength(text);
    if (this.#used + size > BLOCK) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(BLOCK, size)));
      this.#used = 0;
    }
    const block = this.#blocks.length - 1;
    this.#blocks[block]?.write(text, this.#used);
    this.#block.push(block);
    this.#start.push(this.#used);
    this.#used += size;
    return this.#end.push(this.#used) - 1;
  }

  /** Records by their numbers, each made when it is asked for. */
  *read(numbers: Iterable<number>): Generator<RecordedObject> {
    for (const number of numbers) {
      const text = this.#blocks[this.#block[number] ?? 0]?.toString(
        'utf8',
        this.#start[number],
        this.#end[number],
      );
      if (text !== undefined) yield JSON.parse(text) as RecordedObject;
    }
  }
}
