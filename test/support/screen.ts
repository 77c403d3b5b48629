/** The screen that the README shows: what `check` really prints of the recorded fleet, as text and as a picture. */
import { fileURLToPath } from 'node:url';
import { stripControl } from '../../src/errors.ts';
import { run } from '../../src/cli.ts';
import type { Surroundings } from '../../src/commands/check.ts';
import { displayWidth } from '../../src/output/display-width.ts';

const BROKEN = fileURLToPath(new URL('../data/captures/broken', import.meta.url));
const COMMAND = '$ kubectl vc-pvc check';
/** Ages count from the time of looking. */
const NOW = Date.parse('2026-11-30T05:48:00Z');

/** Lines with the colours of a terminal; the command first. */
export async function screenLines(): Promise<string[]> {
  let printed = '';
  // A terminal that shows both streams; the command writes and asks nothing else of it.
  const stream = {
    isTTY: false,
    write: (text: string) => ((printed += text), true),
  } as Surroundings['stdout'];
  await run(['check', '--from', BROKEN, '--color=always'], {
    stdout: stream,
    stderr: stream,
    environment: {},
    signal: new AbortController().signal,
    now: () => NOW,
  });
  return [COMMAND, ...printed.trimEnd().split('\n')];
}

/** Without colours. */
export function plain(lines: readonly string[]): string {
  return lines.map(stripControl).join('\n');
}

/** Pixels. */
const FONT = 14;
const ADVANCE = 8.4;
const LINE = 20;
const MARGIN = 16;
/** ECMA-48 foreground colours as `styleText` writes them, on a dark ground. */
const COLORS: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '39': '',
};

/** Lines of a terminal as an SVG. Every piece is given its width, so that columns meet whatever the font is. */
export function toSvg(lines: readonly string[]): string {
  const columns = Math.max(...lines.map((line) => displayWidth(stripControl(line))));
  const width = Math.ceil(columns * ADVANCE) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>What kubectl vc-pvc check prints</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${FONT}" fill="#e6edf3" xml:space="preserve">`,
    ...lines.map((line, index) => textOf(line, MARGIN + index * LINE + FONT)),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function textOf(line: string, y: number): string {
  let x = MARGIN;
  let color = '';
  return line
    .split(/(\u001b\[\d+m)/)
    .map((piece) => {
      const [, code] = /^\u001b\[(\d+)m$/.exec(piece) ?? [];
      if (code !== undefined) {
        color = COLORS[code] ?? '';
        return '';
      }
      return piece
        .split(/( {2,})/)
        .map((part) => {
          const length = Number((displayWidth(part) * ADVANCE).toFixed(1));
          const at = Number(x.toFixed(1));
          x += length;
          if (part.trim() === '') return '';
          const fill = color === '' ? '' : ` fill="${color}"`;
          return `<text x="${at}" y="${y}" textLength="${length}"${fill}>${escaped(part)}</text>`;
        })
        .join('');
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
