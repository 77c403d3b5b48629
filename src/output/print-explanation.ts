/** An explanation in any of its formats. */
import { oneLine } from '../errors.ts';
import type { EventHint, Explanation, Step } from '../reconcile/explain/explanation.ts';
import type { ClusterSide } from '../reconcile/explain/scene.ts';
import { explanationText } from './explanation-text.ts';
import { ASCII, BOX_DRAWING } from './glyphs.ts';
import { toMermaid } from './mermaid.ts';
import { painter } from './paint.ts';
import { commandOf } from './remedy-command.ts';
import { toJson, toYaml } from './structured.ts';

export const EXPLANATION_FORMATS = ['text', 'json', 'yaml', 'mermaid'] as const;

/** What is printed: the explanation, and what is a hint only. */
export interface ExplanationWithHints extends Explanation {
  readonly events: readonly EventHint[];
}

export interface PrintExplanationOptions {
  readonly ascii: boolean;
  readonly color: boolean;
  /** Terminal columns; null for a pipe or file, 0 for a terminal that does not say. */
  readonly width: number | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Flags that lead kubectl to each cluster; null where the user gave none for it. */
  readonly kubectl: Readonly<Record<ClusterSide, readonly string[] | null>>;
  /** What the super cluster is called; null for a recording. */
  readonly superCluster: string | null;
}

/** The text for stdout. */
export function printExplanation(
  explanation: ExplanationWithHints,
  format: (typeof EXPLANATION_FORMATS)[number],
  options: PrintExplanationOptions,
): string {
  const command = (steps: readonly Step[]): string | null => {
    const [first] = steps;
    const flags = first === undefined ? null : options.kubectl[first.cluster];
    return flags === null ? null : commandOf(steps, flags);
  };
  const { remedy } = explanation;
  const commands = { now: command(remedy.steps), afterwards: command(remedy.afterwards) };
  const whole = {
    ...explanation,
    remedy: { ...remedy, command: commands.now, commandAfterwards: commands.afterwards },
  };
  switch (format) {
    case 'json':
      return toJson(whole);
    case 'yaml':
      return toYaml(whole);
    case 'mermaid':
      return toMermaid(cleaned(explanation));
    default: {
      const text = explanationText(cleaned(explanation), commands, {
        ...options,
        width: options.width === 0 ? 80 : options.width,
        glyphs: options.ascii ? ASCII : BOX_DRAWING,
        paint: painter(options.color),
      });
      return options.ascii ? text.replaceAll('…', '~') : text;
    }
  }
}

/** The same value with every text on one line, free of what a terminal would obey. */
function cleaned<T>(value: T): T {
  if (typeof value === 'string') return oneLine(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => cleaned(entry)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, cleaned<unknown>(entry)])) as T;
}
