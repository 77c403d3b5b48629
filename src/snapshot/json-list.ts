/** A large JSON list, item by item: it is never held as a whole. */
import { createReadStream } from 'node:fs';
import { lacksKind } from './object-collector.ts';
import type { EachItem } from './object-collector.ts';

/** Bytes read at a time. */
const CHUNK = 256 * 1024;
/** Bytes of a text that are decoded at a time. */
const TEXT_BUFFER = 4 * 1024;

/**
 * Reads a file that is one JSON object with `kind` and `items`, in any order, whatever else it has.
 * @returns whether it is; where it is not, some items may have been told of before that came out
 * @throws what reading a file throws
 */
export async function readJsonList(file: string, each: EachItem): Promise<boolean> {
  const { JSONParser } = await import('@streamparser/json');
  const parser = new JSONParser({
    paths: ['$.kind', '$.items.*'],
    keepStack: false,
    stringBufferSize: TEXT_BUFFER,
  });
  const items = new ItemsOfList(each);
  parser.onValue = ({ stack, key, value }) => {
    if (stack.length === 1) items.addKind(value);
    else items.add(key, value);
  };
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) parser.write(chunk as Buffer);
    if (!parser.isEnded) parser.end();
  } catch (error) {
    if (isFileError(error)) throw error;
    return false;
  }
  return items.areThoseOfAList();
}

/** kubectl prints a list's kind behind its items, an API server before them. */
class ItemsOfList {
  readonly #each: EachItem;
  #kind: unknown;
  #kinds = 0;
  #count = 0;
  #inOrder = true;
  /** Items that get their kind from the list's. */
  #waiting: unknown[] = [];

  constructor(each: EachItem) {
    this.#each = each;
  }

  addKind(kind: unknown): void {
    this.#kind = kind;
    this.#kinds += 1;
    if (typeof kind !== 'string') return;
    for (const item of this.#waiting) this.#each(item, kind);
    this.#waiting = [];
  }

  add(key: unknown, item: unknown): void {
    // Another order means that the items are fields of an object, or that there are two lists of them.
    if (key !== this.#count) this.#inOrder = false;
    this.#count += 1;
    if (typeof this.#kind === 'string') this.#each(item, this.#kind);
    else if (lacksKind(item)) this.#waiting.push(item);
    else this.#each(item, 'List');
  }

  areThoseOfAList(): boolean {
    return (
      this.#inOrder &&
      this.#count > 0 &&
      this.#kinds === 1 &&
      typeof this.#kind === 'string' &&
      this.#kind.endsWith('List')
    );
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
