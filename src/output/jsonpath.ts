/**
 * kubectl's JSONPath templates (k8s.io/client-go util/jsonpath): text, {paths}, {"quoted text"} and
 * {range path}...{end}. The paths themselves are evaluated by jsonpath-plus, never as code.
 */
import { JSONPath } from 'jsonpath-plus';
import { UserError, stripControl } from '../errors.ts';
import { toCompactJson } from './structured.ts';

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'range'; readonly path: string; readonly body: readonly Node[] };

/**
 * The text a template gives for a value. A path that finds nothing gives nothing; several results are joined by
 * a space. @throws UserError for a template that cannot be read.
 */
export function renderJsonPath(template: string, value: unknown): string {
  const whole = template.includes('{') ? template : `{${template}}`;
  return evaluate(parse(whole), value);
}

/**
 * What a path finds.
 * @param path with or without braces and leading dot, as kubectl takes it in custom columns and --sort-by
 */
export function findAll(path: string, value: unknown): unknown[] {
  const bare = /^\{(.*)\}$/.exec(path.trim())?.[1] ?? path.trim();
  if (bare === '') throw new UserError(`"${path}": expected a path such as .tenant.name`);
  const expression = goessner(bare);
  try {
    const found: unknown = JSONPath({ path: expression, json: value as object, wrap: true, eval: 'safe' });
    return Array.isArray(found) ? found : [];
  } catch (error) {
    throw new UserError(
      `"${path}": cannot read this path: ${stripControl(error instanceof Error ? error.message : String(error)).slice(0, 120)}`,
    );
  }
}

/** One result as kubectl prints it: text as it is, anything else as JSON. */
export function resultText(result: unknown): string {
  return typeof result === 'string' ? stripControl(result) : toCompactJson(result);
}

/** kubectl's dialect to the one of jsonpath-plus: a leading `$`, `\.` within a name, and indexes from the end. */
function goessner(path: string): string {
  const rooted = path.replace(/^[$@]/, '');
  const dotted = rooted.startsWith('.') || rooted.startsWith('[') ? rooted : `.${rooted}`;
  return `$${dotted}`
    .replaceAll(
      /\.((?:[^.[\]\\()]|\\.)*\\\.(?:[^.[\]\\()]|\\.)*)/g,
      (_match, name: string) => `['${name.replaceAll('\\.', '.')}']`,
    )
    .replaceAll(/\[(-\d+)\]/g, (_match, index: string) =>
      index === '-1' ? '[-1:]' : `[${index}:${Number(index) + 1}]`,
    );
}

function evaluate(nodes: readonly Node[], value: unknown): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      const found = findAll(node.path, value);
      if (node.kind === 'path') return found.map(resultText).join(' ');
      return found.map((element) => evaluate(node.body, element)).join('');
    })
    .join('');
}

function parse(template: string): Node[] {
  const open: { path: string; nodes: Node[] }[] = [{ path: '', nodes: [] }];
  const add = (node: Node): void => {
    open.at(-1)?.nodes.push(node);
  };
  for (const { text, action, at } of pieces(template)) {
    if (text !== '') add({ kind: 'text', text });
    if (action === null) continue;
    const range = /^range\s+(.+)$/.exec(action)?.[1];
    const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/.exec(action);
    if (range !== undefined) open.push({ path: range, nodes: [] });
    else if (action === 'end') {
      const closed = open.pop();
      if (closed === undefined || open.length === 0)
        throw templateError(template, at, '{end} without {range}');
      add({ kind: 'range', path: closed.path, body: closed.nodes });
    } else if (quoted !== null) add({ kind: 'text', text: unescape(quoted[1] ?? quoted[2] ?? '') });
    else add({ kind: 'path', path: action });
  }
  if (open.length > 1) throw templateError(template, template.length, '{range} without {end}');
  return open[0]?.nodes ?? [];
}

interface Piece {
  /** Text before the action. */
  readonly text: string;
  /** What stands between the braces; null after the last one. */
  readonly action: string | null;
  readonly at: number;
}

function* pieces(template: string): Generator<Piece> {
  let position = 0;
  for (;;) {
    const start = template.indexOf('{', position);
    if (start < 0) {
      yield { text: template.slice(position), action: null, at: template.length };
      return;
    }
    const end = closingBrace(template, start);
    yield { text: template.slice(position, start), action: template.slice(start + 1, end).trim(), at: start };
    position = end + 1;
  }
}

/** A brace within quotes closes nothing. */
function closingBrace(template: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < template.length; at += 1) {
    const character = template[at] ?? '';
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return at;
  }
  throw templateError(template, start, 'unclosed brace');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (_match, character: string) => ESCAPES[character] ?? character);
}

function templateError(template: string, at: number, why: string): UserError {
  return new UserError(`-o jsonpath=${stripControl(template)}: ${why} at character ${at + 1}`);
}
