/** What kubectl's JSONPath finds in a value (k8s.io/client-go util/jsonpath/jsonpath.go), and how it is printed. */
import { UserError, stripControl } from '../errors.ts';
import type { Operator, Path, Scalar, Step, TemplateNode } from './jsonpath-parse.ts';
import { toCompactJson } from './structured.ts';

/**
 * The text a template gives for a value. A path that finds nothing gives nothing; several results are joined by
 * a space. @throws UserError where a template asks for what cannot be, such as an element of a text
 */
export function renderTemplate(nodes: readonly TemplateNode[], value: unknown): string {
  return nodes.map((node) => renderNode(node, value)).join('');
}

function renderNode(node: TemplateNode, value: unknown): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'range') {
    return findAll(node.path, value)
      .map((element) => renderTemplate(node.body, element))
      .join('');
  }
  // Text that the user wrote is printed as written: its line breaks are meant.
  const literal = node.path.at(-1);
  if (literal?.kind === 'literal') return String(literal.value);
  return findAll(node.path, value).map(resultText).join(' ');
}

/**
 * What a path finds. An index outside of a list finds nothing, as a missing field does: kubectl fails there, but our
 * exit code for a failure says that something could not be read.
 * @throws UserError for a step into something that it cannot step into, or a comparison of unlike values
 */
export function findAll(path: Path, value: unknown): unknown[] {
  return path.reduce<unknown[]>((found, step) => found.flatMap((each) => stepInto(step, each)), [value]);
}

/** One result as kubectl prints it: text as it is, anything else as JSON. */
export function resultText(result: unknown): string {
  return typeof result === 'string' ? stripControl(result) : toCompactJson(result);
}

function stepInto(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case 'field':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'wildcard':
      return children(value);
    case 'descendants':
      return descendants(value);
    case 'slice':
      return slice(step, listOf(value, 'has no elements to choose from'));
    case 'union':
      return step.parts.flatMap((part) => stepInto(part, value));
    case 'filter':
      return listOf(value, 'cannot be filtered').filter((element) => passes(step, element));
    default:
      return [step.value];
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

/** The value itself and everything below it that has something below it in turn, from the top down. */
function descendants(value: unknown): unknown[] {
  const below = children(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(descendants)];
}

/** null holds no value in our reports, so there is nothing to object to. */
function listOf(value: unknown, complaint: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  throw new UserError(`jsonpath: ${shortText(value)} is not a list and ${complaint}`);
}

function slice(step: Step & { kind: 'slice' }, list: unknown[]): unknown[] {
  const from = step.from ?? 0;
  // An index before the first element is not the first element.
  if (step.to === from + 1 && from < -list.length) return [];
  return list.slice(from, step.to ?? list.length).filter((_element, at) => at % step.by === 0);
}

/** null counts as missing: a report says null where other objects leave a field out. */
function passes({ left, test }: Step & { kind: 'filter' }, element: unknown): boolean {
  const [found, another] = valuesAt(left, element);
  if (test === null || found === undefined) return found !== undefined;
  const [wanted, oneMore] = valuesAt(test.right, element);
  if (another !== undefined || oneMore !== undefined) {
    throw new UserError('jsonpath: a filter can only compare one value with one value');
  }
  return wanted !== undefined && compares(found, test.operator, wanted);
}

function valuesAt(path: Path, element: unknown): unknown[] {
  return findAll(path, element).filter((value) => value !== null);
}

/** Only like is compared with like: k8s.io/client-go third_party/forked/golang/template/funcs.go. */
function compares(a: unknown, operator: Operator, b: unknown): boolean {
  const ordered = operator !== '==' && operator !== '!=';
  if (!isScalar(a) || !isScalar(b) || typeof a !== typeof b || (ordered && typeof a === 'boolean')) {
    throw new UserError(`jsonpath: cannot compare ${shortText(a)} ${operator} ${shortText(b)}`);
  }
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    default:
      return a >= b;
  }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function shortText(value: unknown): string {
  const text = toCompactJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
