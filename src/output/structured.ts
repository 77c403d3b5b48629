/** JSON and YAML that a terminal can show safely and a parser reads back unchanged. */
import { dump } from 'js-yaml';
import { HIDDEN_CHARACTERS, HIDDEN_TAGS } from '../errors.ts';

/** kubectl indents by four. Ends in a newline. */
export function toJson(value: unknown): string {
  return `${escapeRaw(JSON.stringify(value, null, 4))}\n`;
}

/** Lists at the margin of their key, as kubectl has them. Ends in a newline. */
export function toYaml(value: unknown): string {
  const options = { noRefs: true, lineWidth: -1, seqNoIndent: true } as const;
  const text = dump(value, options);
  // YAML knows escapes only within double quotes, so a report with anything to escape is quoted throughout.
  return text.search(RAW) < 0
    ? text
    : escapeRaw(dump(value, { ...options, forceQuotes: true, quoteStyle: 'double' }));
}

/** One line. */
export function toCompactJson(value: unknown): string {
  return escapeRaw(JSON.stringify(value));
}

/**
 * Escapes what JSON and YAML would leave as it is. Within double quotes the escape means the same in both. JSON knows
 * only code units, so a character beyond them becomes two escapes.
 */
function escapeRaw(text: string): string {
  return text.replaceAll(RAW, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

const RAW = new RegExp(`[${HIDDEN_CHARACTERS}${HIDDEN_TAGS}]`, 'gu');
