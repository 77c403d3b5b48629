/** JSON and YAML that a terminal can show safely and a parser reads back unchanged. */
import { dump } from 'js-yaml';

/** kubectl indents by four. Ends in a newline. */
export function toJson(value: unknown): string {
  return `${escapeRaw(JSON.stringify(value, null, 4))}\n`;
}

/** Ends in a newline. */
export function toYaml(value: unknown): string {
  const options = { noRefs: true, lineWidth: -1 } as const;
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
 * What a terminal would obey, or what reorders text, and JSON and YAML leave as it is: C1 control characters, marks
 * of direction, invisible marks. Within double quotes the escape means the same in both.
 */
function escapeRaw(text: string): string {
  return text.replaceAll(RAW, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const RAW = new RegExp(
  '[\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]',
  'g',
);
