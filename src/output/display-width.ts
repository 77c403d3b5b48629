/** How wide text stands on a terminal, and how it is cut to a width. */
import stringWidth from 'string-width';

/** One column a character: nearly every text, and string-width takes 50 times as long to find that out. */
const SIMPLE = /^[ -~…]*$/;

/** The terminal columns a text without control characters takes. */
export function displayWidth(text: string): number {
  return SIMPLE.test(text) ? text.length : stringWidth(text);
}

/**
 * A text cut to a width, with an ellipsis where something is missing. In the middle, both ends are kept: names of one
 * fleet often differ only there.
 * @param width terminal columns, at least 1
 */
export function shorten(text: string, width: number, where: 'middle' | 'end'): string {
  if (displayWidth(text) <= width) return text;
  const parts = SIMPLE.test(text) ? Array.from(text) : graphemesOf(text);
  const tail = where === 'end' ? [] : startOf(parts.toReversed(), Math.floor((width - 1) / 2)).toReversed();
  const head = startOf(parts, width - 1 - displayWidth(tail.join('')));
  return `${head.join('')}…${tail.join('')}`;
}

function graphemesOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** As many of the first parts as the width has room for. */
function startOf(parts: readonly string[], width: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => (used += displayWidth(part)) > width);
  return parts.slice(0, end < 0 ? parts.length : end);
}
