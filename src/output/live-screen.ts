/** A terminal's other screen, redrawn; the one before comes back at the end, however the process ends. */
import type { WriteStream } from 'node:tty';

/** A drawing takes no more than a tenth of the time: one of a hundred thousand claims takes longer than the pause to the next. */
const PAUSE = 9;

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export class LiveScreen {
  readonly #stream: WriteStream;
  readonly #render: (width: number, height: number) => readonly string[];
  readonly #leave = (): void => void this.#stream.write(LEAVE);
  readonly #draw = (): void => this.draw();
  #timer: NodeJS.Timeout | null = null;
  #drawn = true;
  /** Before it there is no other drawing. Monotonic milliseconds. */
  #next = 0;

  /** @param render lines without newlines */
  constructor(stream: WriteStream, render: (width: number, height: number) => readonly string[]) {
    this.#stream = stream;
    this.#render = render;
  }

  /** @param interval milliseconds between two drawings */
  start(interval: number): void {
    this.#stream.write(ENTER);
    process.once('exit', this.#leave);
    this.#stream.on('resize', this.#draw);
    this.#timer = setInterval(this.#draw, interval);
    this.draw();
  }

  draw(): void {
    const began = performance.now();
    // A terminal that has not taken the last one yet (a slow line) gets no other on top.
    if (!this.#drawn || began < this.#next) return;
    const { columns, rows } = this.#stream;
    // The last line is left free: a newline there would scroll.
    const lines = this.#render(columns || 80, (rows || 24) - 1);
    const text = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    this.#drawn = this.#stream.write(`${HOME}${text}${CLEAR_BELOW}`);
    if (!this.#drawn) this.#stream.once('drain', () => (this.#drawn = true));
    const end = performance.now();
    this.#next = end + PAUSE * (end - began);
  }

  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#stream.off('resize', this.#draw);
    process.off('exit', this.#leave);
    this.#leave();
  }
}
