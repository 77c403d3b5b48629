/** JSON and YAML that a terminal can show safely and a parser reads back unchanged. */
import { dump } from 'js-yaml';

/** kubectl indents by four. Ends in a newline. */
export function toJson(value: unknown): string {
  return `${escapeRaw(JSON.stringify(value, null, 4))}\n`;
}

/** Ends in a newline. */
export function toYaml(value: unknown): string {
  return escapeRaw(dump(value, { noRefs: true, lineWidth: -1 }));
}

/** One line. */
export function toCompactJson(value: unknown): string {
  return escapeRaw(JSON.stringify(value));
}

/**
 * JSON leaves C1 control characters and the marks that reorder text as they are. They can stand only within
 * strings, so the escape means the same. (YAML quotes all but the marks; within its double quotes the escape is
 * the same, and a plain scalar with such a mark is a name that no API server accepts.)
 */
function escapeRaw(text: string): string {
  return text.replaceAll(RAW, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const RAW = new RegExp(
  '[\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]',
  'g',
);
