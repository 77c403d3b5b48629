/** JSON and YAML that a terminal can show safely and a parser reads back unchanged. */
import { dump } from 'js-yaml';
import { HIDDEN_CHARACTERS, HIDDEN_TAGS } from '../errors.ts';

/** kubectl indents by four. Ends in a newline. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 4).replaceAll(RAW, jsonEscape)}\n`;
}

/** Lists at the margin of their key, as kubectl has them. Ends in a newline. */
export function toYaml(value: unknown): string {
  const options = { noRefs: true, lineWidth: -1, seqNoIndent: true } as const;
  const text = dump(value, options);
  // YAML knows escapes only within double quotes, so a report with anything to escape is quoted throughout.
  return text.search(RAW) < 0
    ? text
    : dump(value, { ...options, forceQuotes: true, quoteStyle: 'double' }).replaceAll(RAW, yamlEscape);
}

/** One line. */
export function toCompactJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(RAW, jsonEscape);
}

/** JSON knows only code units: a character beyond U+FFFF becomes two escapes. */
function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${hex(unit, 4)}`).join('');
}

/** YAML knows whole characters: half a one is an error to most parsers. */
function yamlEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** What JSON and YAML would leave as it is. */
const RAW = new RegExp(`[${HIDDEN_CHARACTERS}${HIDDEN_TAGS}]`, 'gu');
