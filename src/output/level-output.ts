/** Tells changes on a stream as fast as it is read, and of what it could not tell in time only what has become of it. */
import type { Writable } from 'node:stream';
import { oneLine } from '../errors.ts';
import { Backlog } from './backlog.ts';
import type { Change } from './backlog.ts';

export class LevelOutput<T extends Change> {
  readonly #stream: Writable;
  readonly #textOf: (change: T) => string;
  readonly #backlog = new Backlog<T>();
  #awaitsDrain = false;

  /** @param textOf whole lines; asked for when they are written */
  constructor(stream: Writable, textOf: (change: T) => string) {
    this.#stream = stream;
    this.#textOf = textOf;
  }

  /** Tells a change, now or once what was written before has been read. @param key of the thing that has changed */
  tell(key: string, change: T): void {
    this.#backlog.add(key, change);
    this.#write();
  }

  /** What has not been told of a thing yet is not told at all. */
  forget(key: string): void {
    this.#backlog.forget(key);
  }

  /** Writes all that is left to be told, read or not: nothing follows. */
  end(): void {
    for (const change of this.#backlog.takeAll()) this.#stream.write(this.#textOf(change));
  }

  /** A stream keeps for its reader what it is given: no more than its highWaterMark, and one change, is given to it. */
  #write(): void {
    if (!this.#stream.writableNeedDrain) {
      for (const change of this.#backlog.takeAll()) if (!this.#stream.write(this.#textOf(change))) break;
    }
    if (this.#backlog.size === 0 || this.#awaitsDrain) return;
    this.#awaitsDrain = true;
    this.#stream.once('drain', () => {
      this.#awaitsDrain = false;
      this.#write();
    });
  }
}

/** A line of what concerns a whole cluster: DELETED takes back what was told by the one before. */
export interface Note extends Change {
  /** Untrusted text is fine. */
  readonly text: string;
}

/** @param stream stderr */
export function notesTo(stream: Writable): LevelOutput<Note> {
  return new LevelOutput(stream, ({ text }) => `${oneLine(text)}\n`);
}
