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

const NONE = '<none>';
const KINDS: Readonly<Record<Fact['kind'], string>> = {
  PersistentVolumeClaim: 'claim',
  PersistentVolume: 'volume',
  StorageClass: 'storage class',
  Namespace: 'namespace',
};

/** Lines without newlines; what is not as expected is marked. */
export function factLines(facts: readonly Fact[], options: FactOptions): string[] {
  const widest = Math.max(...facts.map(({ field }) => displayWidth(fieldOf(field))), 0);
  return [...Map.groupBy(facts, objectOf)].flatMap(([object, ofObject]) => [
    `  ${object}`,
    ...ofObject.flatMap((fact) => factLine(fact, widest, options)),
  ]);
}

function objectOf({ cluster, kind, namespace, name }: Fact): string {
  const place = namespace === null ? name : `${namespace}/${name}`;
  return `${cluster === 'super' ? 'super cluster' : 'tenant'}: ${KINDS[kind]} ${place || NONE}`;
}

function fieldOf(field: string): string {
  return field === 'object' ? 'the object itself' : field;
}

function factLine(
  { field, value, expected, ok }: Fact,
  widest: number,
  { glyphs, paint, width }: FactOptions,
): string[] {
  const [mark, color] =
    ok === null
      ? ([glyphs.neutral, 'dim'] as const)
      : ok
        ? ([glyphs.fine, 'green'] as const)
        : ([glyphs.broken, 'red'] as const);
  const name = fieldOf(field).padEnd(widest);
  const shown = value ?? (field === 'object' ? 'absent' : NONE);
  const head = `    ${paint(color, mark)} ${name}  ${ok === false ? paint('red', shown) : shown}`;
  if (ok !== false || expected === null) return [head];
  const want = `expected ${expected}`;
  const used = 4 + 2 + displayWidth(name) + 2 + displayWidth(shown);
  const fits = width === null || used + 2 + displayWidth(want) <= width;
  return fits ? [`${head}  ${want}`] : [head, `${' '.repeat(4 + 2 + displayWidth(name) + 2)}${want}`];
}
