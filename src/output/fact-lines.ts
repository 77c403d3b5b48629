/** Facts, grouped by the object they are about. */
import type { Fact } from '../reconcile/explain/explanation.ts';
import { displayWidth } from './display-width.ts';
import type { Glyphs } from './glyphs.ts';
import type { Paint } from './paint.ts';

export interface FactOptions {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Terminal columns; null for a pipe or file. */
  readonly width: number | null;
}

const MARGIN = '    ';
const EXPECTED = 'expected ';
const NONE = '<none>';
const KINDS: Readonly<Record<Fact['kind'], string>> = {
  PersistentVolumeClaim: 'claim',
  PersistentVolume: 'volume',
  StorageClass: 'storage class',
  Namespace: 'namespace',
};

/** Lines without newlines; what is not as expected is marked. */
export function factLines(facts: readonly Fact[], options: FactOptions): string[] {
  return [...Map.groupBy(facts, objectOf)].flatMap(([object, ofObject]) => {
    const widest = Math.max(...ofObject.map(({ field }) => displayWidth(fieldOf(field))));
    return [`  ${object}`, ...ofObject.flatMap((fact) => factLine(fact, widest, options))];
  });
}

function objectOf({ cluster, kind, namespace, name }: Fact): string {
  const place = namespace === null ? name : `${namespace}/${name}`;
  return `${cluster === 'super' ? 'super cluster' : 'tenant'}: ${KINDS[kind]} ${place || NONE}`;
}

/** The name of an annotation or condition tells that it is one. */
function fieldOf(field: string): string {
  return field === 'object' ? 'the object itself' : field.replace(/^(annotation|condition) /, '');
}

function factLine(
  { field, value, expected, ok }: Fact,
  widest: number,
  { glyphs, paint, width }: FactOptions,
): string[] {
  const mark = {
    true: paint('green', glyphs.fine),
    false: paint('red', glyphs.broken),
    null: paint('dim', glyphs.neutral),
  }[`${ok}`];
  const name = fieldOf(field).padEnd(widest);
  const shown = value ?? (field === 'object' ? 'absent' : NONE);
  const painted = ok === false ? paint('red', shown) : shown;
  const want = ok === false && expected !== null ? `${EXPECTED}${expected}` : '';
  const column = MARGIN.length + 2 + displayWidth(name) + 2;
  const room = (width ?? Infinity) - column;
  const head = `${MARGIN}${mark} `;
  if (displayWidth(shown) > room) {
    // Cut by the terminal it could not be compared by eye.
    return [
      `${head}${name.trimEnd()}`,
      ...[painted, want].filter((text) => text !== '').map((text) => `${MARGIN}    ${text}`),
    ];
  }
  const line = `${head}${name}  ${painted}`;
  if (want === '') return [line];
  if (displayWidth(shown) + 2 + displayWidth(want) <= room) return [`${line}  ${want}`];
  // One value right below the other: they are compared by eye.
  return [line, `${' '.repeat(column - EXPECTED.length)}${want}`];
}
