/** YAML as kubectl reads it (go.yaml.in/yaml/v2 through sigs.k8s.io/yaml): the rules of YAML 1.1, not of 1.2. */
import {
  NOT_RESOLVED,
  Schema,
  YAMLException,
  boolYaml11Tag,
  defineMappingTag,
  defineScalarTag,
  load,
  mapTag,
  mergeTag,
  nullYaml11Tag,
  seqTag,
  strTag,
} from 'js-yaml';
import { UserError, oneLine } from '../../errors.ts';

/** More than any kubeconfig holds; a configuration is no place for recursion. */
const MOST_ALIASES = 1000;

/**
 * The first document of a YAML (or JSON) text; a text without content is null.
 * @param source names the text in an error, for example `kubeconfig "config"`
 * @throws UserError naming the line that is no YAML.
 */
export function parseYaml(text: string, source: string): unknown {
  const document = firstDocument(text);
  if (document.trim() === '') return null;
  try {
    // The last of two equal keys wins in Go; js-yaml calls that "json".
    return load(document, { schema: GO_SCHEMA, json: true, maxAliases: MOST_ALIASES });
  } catch (error) {
    const [reason, line] = explain(error);
    // The snippet that js-yaml adds to its message may show a token, so only its reason is told.
    throw new UserError(`cannot read ${source}: ${line === null ? '' : `line ${line}: `}${oneLine(reason)}`);
  }
}

function explain(error: unknown): [reason: string, line: number | null] {
  if (!(error instanceof YAMLException)) return ['it is not YAML', null];
  if (error.reason.includes('input is empty')) return ['it is not YAML', null];
  return [error.reason.slice(0, 200), error.mark === undefined ? null : error.mark.line + 1];
}

/** Go decodes one document and never looks at what follows it, right or wrong. Blank where there is only comment. */
function firstDocument(text: string): string {
  let content = false;
  let marker = false;
  let offset = 0;
  for (const line of text.split('\n')) {
    const separator = /^---(?=\s|$)/.test(line);
    if ((separator && (marker || content)) || /^\.\.\.(?=\s|$)/.test(line)) break;
    if (separator) marker = true;
    if (!/^\s*(#.*)?$/.test(separator ? line.slice(3) : line)) content ||= !line.startsWith('%');
    offset += line.length + 1;
  }
  return content ? text.slice(0, offset) : '';
}

/** go.yaml.in/yaml/v2 resolve.go: what looks like a number and can be held as one; "1:20" and "1e999" are text. */
function number(source: string): number | typeof NOT_RESOLVED {
  if (/^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$/.test(source)) return Number.NaN;
  const plain = source.replaceAll('_', '');
  if (/^[-+]?0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+|[0-7]+)$/.test(plain)) return prefixed(plain);
  if (!/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(plain)) return NOT_RESOLVED;
  const value = Number(plain);
  return Number.isFinite(value) ? value : NOT_RESOLVED;
}

/** An integer with a base prefix; "0" followed by digits is octal. Text where 64 bits cannot hold it. */
function prefixed(plain: string): number | typeof NOT_RESOLVED {
  const [, sign, digits = ''] = /^([-+]?)0(.*)$/.exec(plain) ?? [];
  const value = BigInt(/^\d/.test(digits) ? `0o${digits}` : `0${digits.toLowerCase()}`);
  if (value >= 2n ** 64n) return NOT_RESOLVED;
  return sign === '-' ? -Number(value) : Number(value);
}

const numberTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: '+ - . 0 1 2 3 4 5 6 7 8 9'.split(' '),
  resolve: number,
  identify: () => false,
});
const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', { resolve: number, identify: () => false });

/** Any scalar may be a key, as text, except null (sigs.k8s.io/yaml convertToJSONableObject). */
const goMapTag = defineMappingTag(mapTag.tagName, {
  ...mapTag,
  addPair: (carrier, key, value) => (key === null ? 'a key is null' : mapTag.addPair(carrier, key, value)),
});

const GO_SCHEMA = new Schema([
  strTag,
  seqTag,
  goMapTag,
  nullYaml11Tag,
  boolYaml11Tag,
  numberTag,
  intTag,
  mergeTag,
]);
