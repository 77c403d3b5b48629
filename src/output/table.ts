/** Aligned text columns in kubectl's form. */
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { stripControl } from '../errors.ts';

export interface Column<T> {
  readonly header: string;
  /** Untrusted text is fine: what a terminal would obey is taken out. */
  readonly cell: (row: T) => string;
  /** May be shortened to fit the terminal; other columns never are. */
  readonly shrink?: boolean;
  readonly color?: (row: T) => 'red' | 'yellow' | 'green' | null;
}

export interface TableOptions {
  readonly headers: boolean;
  readonly color: boolean;
  /** Terminal columns; null where nothing is to be cut (a pipe, a file). */
  readonly width: number | null;
}

const GAP = 3;
/** A name cut shorter than this tells nothing. Columns. */
const SHORTEST = 8;

/** Every line ends in a newline; no line ends in spaces. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: TableOptions,
): string {
  const texts = rows.map((row) => columns.map((column) => stripControl(column.cell(row))));
  const widths = fit(columns, naturalWidths(columns, texts, options.headers), options.width);
  const lines: string[] = [];
  if (options.headers)
    lines.push(
      line(
        columns.map(({ header }) => header),
        widths,
        (text) => text,
      ),
    );
  for (const [index, row] of rows.entries()) {
    lines.push(
      line(texts[index] ?? [], widths, (text, column) => {
        const color = options.color ? (columns[column]?.color?.(row) ?? null) : null;
        // validateStream would ask stdout whether it is a terminal: that was decided already.
        return color === null ? text : styleText(color, text, { validateStream: false });
      }),
    );
  }
  return lines.map((text) => `${text}\n`).join('');
}

function naturalWidths<T>(
  columns: readonly Column<T>[],
  texts: readonly (readonly string[])[],
  headers: boolean,
): number[] {
  const widths = columns.map(({ header }) => (headers ? header.length : 0));
  for (const row of texts) {
    for (const [index, text] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(text));
  }
  return widths;
}

/** Takes from the widest shrinkable column, one by one, until the line fits or nothing is left to take. */
function fit<T>(columns: readonly Column<T>[], natural: readonly number[], width: number | null): number[] {
  const widths = [...natural];
  if (width === null) return widths;
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1) - width;
  while (excess > 0) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      if (column.shrink !== true || (widths[index] ?? 0) <= SHORTEST) continue;
      if (widest < 0 || (widths[index] ?? 0) > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function line(
  texts: readonly string[],
  widths: readonly number[],
  paint: (text: string, column: number) => string,
): string {
  const cells = texts.map((text, column) => {
    const width = widths[column] ?? 0;
    const shown = shorten(text, width);
    const padding = column === texts.length - 1 ? '' : ' '.repeat(width - stringWidth(shown) + GAP);
    return paint(shown, column) + padding;
  });
  return cells.join('').trimEnd();
}

/** Keeps both ends: names of one fleet often differ only there. */
function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const kept = width - 1;
  return `${headOf(text, Math.ceil(kept / 2))}…${headOf([...text].toReversed().join(''), Math.floor(kept / 2), true)}`;
}

function headOf(text: string, width: number, reversed = false): string {
  let head = '';
  for (const character of text) {
    if (stringWidth(head + character) > width) break;
    head += character;
  }
  return reversed ? [...head].toReversed().join('') : head;
}
