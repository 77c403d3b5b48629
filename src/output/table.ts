/** Aligned text columns in kubectl's form: upper-case headers, three blanks between columns (two where room is short), no lines. */
import { styleText } from 'node:util';
import { stripControl } from '../errors.ts';
import { displayWidth, shorten } from './display-width.ts';

export interface Column<T> {
  readonly header: string;
  /** Untrusted text is fine: what a terminal would obey is taken out. */
  readonly cell: (row: T) => string;
  /** Where cells may be shortened to fit the terminal; those of other columns never are. */
  readonly shorten?: 'middle' | 'end';
  /**
   * May be left out where shortening is not enough, the lowest number first; equal numbers go together. Never left
   * out where absent.
   */
  readonly leaveOut?: number;
  readonly color?: (row: T) => 'red' | 'yellow' | 'green' | null;
  /** The least width, for rows that are yet to come. Terminal columns. */
  readonly least?: number;
}

export interface TableOptions {
  readonly headers: boolean;
  readonly color: boolean;
  /** Terminal columns; null where nothing is to be cut (a pipe, a file), 0 for a terminal that does not say. */
  readonly width: number | null;
}

const GAP = 3;
const NARROW_GAP = 2;
/** Rather than cut a name shorter than this, a column is left out. Terminal columns. */
const READABLE = 10;
/** Where no column can be left out any more. A name cut shorter still tells nothing: then lines are too long. */
const SHORTEST = 5;

/** A column with the texts of its cells and the room it is given. */
interface Strip<T> {
  readonly column: Column<T>;
  readonly cells: readonly string[];
  readonly width: number;
}

/** Every line ends in a newline; no line ends in blanks. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: TableOptions,
): string {
  const whole = columns.map((column) => natural(column, rows, options.headers));
  const { strips, gap } = layout(whole, options.width);
  const lines = rowLines(strips, gap, rows, options);
  return [...(options.headers ? [headerLine(strips, gap)] : []), ...lines]
    .map((text) => `${text}\n`)
    .join('');
}

/** A table whose rows come one after the other: the first ones decide where the columns stand, as in kubectl get -w. */
export class GrowingTable<T> {
  readonly #columns: readonly Column<T>[];
  readonly #options: TableOptions;
  #layout: { readonly strips: readonly Strip<T>[]; readonly gap: number } | null = null;

  constructor(columns: readonly Column<T>[], options: TableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  /** The next rows, the header before the first. A cell that is wider than those before shifts what follows in its line. */
  rows(rows: readonly T[]): string {
    if (rows.length === 0) return '';
    const { headers, width } = this.#options;
    const first = this.#layout === null;
    this.#layout ??= layout(
      this.#columns.map((column) => natural(column, rows, headers)),
      width,
    );
    const { strips, gap } = this.#layout;
    const cut = width !== null && width !== 0;
    const now = strips.map(({ column, width: room }) => {
      const own = natural(column, rows, false);
      return { ...own, width: cut && column.shorten !== undefined ? room : Math.max(room, own.width) };
    });
    const lines = rowLines(now, gap, rows, this.#options);
    return [...(first && headers ? [headerLine(strips, gap)] : []), ...lines]
      .map((text) => `${text}\n`)
      .join('');
  }
}

function layout<T>(
  whole: readonly Strip<T>[],
  width: number | null,
): { readonly strips: readonly Strip<T>[]; readonly gap: number } {
  const gap = width !== null && width !== 0 && lineWidth(whole, GAP) > width ? NARROW_GAP : GAP;
  return { strips: fit(whole, width, gap), gap };
}

function rowLines<T>(
  strips: readonly Strip<T>[],
  gap: number,
  rows: readonly T[],
  { color }: TableOptions,
): string[] {
  return rows.map((row, index) =>
    line(strips, gap, ({ column, cells, width: room }) => {
      const cell = cells[index] ?? '';
      const text = column.shorten === undefined ? cell : shorten(cell, room, column.shorten);
      return { text, color: color ? (column.color?.(row) ?? null) : null };
    }),
  );
}

function headerLine<T>(strips: readonly Strip<T>[], gap: number): string {
  return line(strips, gap, ({ column, width: room }) => ({
    text: shorten(column.header, room, 'end'),
    color: null,
  }));
}

function natural<T>(column: Column<T>, rows: readonly T[], headers: boolean): Strip<T> {
  const cells = rows.map((row) => stripControl(column.cell(row)));
  const least = Math.max(headers ? displayWidth(column.header) : 0, column.least ?? 0);
  return { column, cells, width: cells.reduce((width, cell) => Math.max(width, displayWidth(cell)), least) };
}

/** Shortens, then leaves columns out one after the other, until a line fits or there is nothing left to give up. */
function fit<T>(strips: readonly Strip<T>[], width: number | null, gap: number): readonly Strip<T>[] {
  if (width === null || width === 0) return strips;
  const shortened = shrink(strips, width, gap, READABLE);
  if (lineWidth(shortened, gap) <= width) return shortened;
  const first = Math.min(...strips.map(({ column }) => column.leaveOut ?? Infinity));
  if (first === Infinity) return shrink(strips, width, gap, SHORTEST);
  return fit(
    strips.filter(({ column }) => column.leaveOut !== first),
    width,
    gap,
  );
}

/** Takes from the widest column that may be shortened, one by one, down to the least width. */
function shrink<T>(strips: readonly Strip<T>[], width: number, gap: number, least: number): Strip<T>[] {
  const shrunk = [...strips];
  for (let excess = lineWidth(strips, gap) - width; excess > 0; excess -= 1) {
    let widest: { readonly strip: Strip<T>; readonly index: number } | null = null;
    for (const [index, strip] of shrunk.entries()) {
      const givable = strip.column.shorten !== undefined && strip.width > least;
      if (givable && strip.width > (widest?.strip.width ?? 0)) widest = { strip, index };
    }
    if (widest === null) break;
    shrunk[widest.index] = { ...widest.strip, width: widest.strip.width - 1 };
  }
  return shrunk;
}

function lineWidth<T>(strips: readonly Strip<T>[], gap: number): number {
  return strips.reduce((sum, { width }) => sum + width, 0) + gap * (strips.length - 1);
}

interface Cell {
  readonly text: string;
  readonly color: 'red' | 'yellow' | 'green' | null;
}

function line<T>(strips: readonly Strip<T>[], gap: number, cellOf: (strip: Strip<T>) => Cell): string {
  let shown = '';
  let missing = 0;
  for (const strip of strips) {
    const { text, color } = cellOf(strip);
    // validateStream would ask stdout whether it is a terminal: that was decided already.
    const painted = color === null ? text : styleText(color, text, { validateStream: false });
    shown += ' '.repeat(missing) + painted;
    missing = strip.width - displayWidth(text) + gap;
  }
  return shown.trimEnd();
}
