import type { EventHint } from '../reconcile/explain/explanation.ts';
import { humanDuration } from './age.ts';
import type { Glyphs } from './glyphs.ts';
import type { Paint } from './paint.ts';

export interface EventOptions {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Messages can be long; their beginning tells. */
const LONGEST_MESSAGE = 300;

/** Lines without newlines; none where there are no events. @param wrap an item, indented */
export function eventLines(
  events: readonly EventHint[],
  { glyphs, paint, now }: EventOptions,
  wrap: (text: string) => string[],
): string[] {
  if (events.length === 0) return [];
  return [
    `${paint('bold', 'Events')} (a hint only: they expire, and prove nothing)`,
    ...events.flatMap(({ cluster, object, type, reason, message, count, lastSeen }) => {
      const age = lastSeen === null ? 'some time' : humanDuration(now - Date.parse(lastSeen));
      const times = count > 1 ? `, ${count} times` : '';
      const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
      return wrap(`${glyphs.neutral} ${cluster} ${object}, ${age} ago${times}: ${type} ${reason}: ${text}`);
    }),
  ];
}
