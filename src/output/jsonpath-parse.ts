/**
 * Reads kubectl's JSONPath dialect (k8s.io/client-go util/jsonpath/parser.go) into plain data. Nothing of an
 * expression is ever run as code.
 */
import { UserError, oneLine } from '../errors.ts';

export type Scalar = string | number | boolean;

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Operator = (typeof OPERATORS)[number];

export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descendants' }
  | { readonly kind: 'slice'; readonly from: number | null; readonly to: number | null; readonly by: number }
  | { readonly kind: 'union'; readonly parts: readonly Step[] }
  | { readonly kind: 'filter'; readonly left: Path; readonly test: Test | null }
  | { readonly kind: 'literal'; readonly value: Scalar };

/** The other half of a filter; a filter without one asks whether its path finds anything. */
interface Test {
  readonly operator: Operator;
  readonly right: Path;
}

export type Path = readonly Step[];

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly body: readonly TemplateNode[] };

/**
 * A template: text, {paths}, {"quoted text"}, {range path}...{end}; an open {range} reaches to the end. Other than
 * kubectl, which would print it as it stands, a template without any brace is taken as one path.
 * @throws UserError with the position of what cannot be read
 */
export function parseTemplate(template: string): TemplateNode[] {
  if (!template.includes('{')) return [{ kind: 'path', path: parsePath('-o jsonpath', template) }];
  const reader = new Reader('-o jsonpath', template);
  const root: TemplateNode[] = [];
  const open = [root];
  while (!reader.done()) {
    const text = reader.take(/[^{]+/y);
    if (text !== '') open.at(-1)?.push({ kind: 'text', text });
    const brace = reader.position();
    if (reader.take(/\{\s*/y) === '') continue;
    const keyword = reader.take(/(?:range|end)(?![\w-])/y);
    const path = reader.path('}');
    if (reader.take(/\}/y) === '') reader.fail('unclosed brace', brace);
    if (keyword === 'end') {
      if (open.length === 1) reader.fail('{end} without {range}', brace);
      open.pop();
    } else if (keyword === 'range') {
      const body: TemplateNode[] = [];
      open.at(-1)?.push({ kind: 'range', path, body });
      open.push(body);
    } else open.at(-1)?.push({ kind: 'path', path });
  }
  return root;
}

/**
 * A single path, with or without braces and leading dot (RelaxedJSONPathExpression of kubectl
 * pkg/cmd/get/customcolumn.go).
 * @param what what to blame in an error, for example `--sort-by`
 * @throws UserError with the position of what cannot be read
 */
export function parsePath(what: string, expression: string): Path {
  const bare = /^\{(.*)\}$/s.exec(expression.trim())?.[1] ?? expression;
  const reader = new Reader(what, bare);
  if (bare.trim() === '') reader.fail('a path such as .tenant.name is missing');
  // A name may stand at the start without its dot; everywhere else a bare word is a mistake.
  const first = reader.take(/\s*[\p{L}_](?:[^\s.,[\]$@{}\\]|\\.)*/uy).trim();
  const rest = reader.path();
  return first === '' ? rest : [{ kind: 'field', name: unescapeName(first) }, ...rest];
}

const NAME = /(?:[^\s.,[\]$@{}()\\!<>=]|\\.)+/y;
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y;
const NUMBER = /[+-]?\d+(?:\.\d+)?/y;
const SLICE = /^(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+)?)?)?$/;

class Reader {
  readonly #what: string;
  readonly #source: string;
  #at = 0;

  constructor(what: string, source: string) {
    this.#what = what;
    this.#source = source;
  }

  done(): boolean {
    return this.#at >= this.#source.length;
  }

  position(): number {
    return this.#at;
  }

  /** What a sticky pattern matches here, "" where it does not. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  fail(why: string, at = this.#at): never {
    throw new UserError(`${this.#what} "${oneLine(this.#source)}": ${why} at character ${at + 1}`);
  }

  /** Steps up to the end of the source, or up to one of the characters of `stop`, which is left standing. */
  path(stop = ''): Step[] {
    const steps: Step[] = [];
    while (!this.done() && !stop.includes(this.#here())) {
      // `$` and `@` are both the current value; blanks mean nothing.
      if (this.take(/[\s$@]+/y) === '') steps.push(...this.#step());
    }
    return steps;
  }

  #here(): string {
    return this.#source.charAt(this.#at);
  }

  #step(): Step[] {
    if (this.take(/\.\./y) !== '') return [{ kind: 'descendants' }, ...this.#name()];
    if (this.take(/\./y) !== '') return this.#name();
    if (this.take(/\[\?\(/y) !== '') return [this.#filter()];
    if (this.take(/\[/y) !== '') return [this.#subscript()];
    if (this.#here() === '"' || this.#here() === "'") return [{ kind: 'literal', value: this.#quoted() }];
    const number = this.take(NUMBER);
    if (number !== '') return [{ kind: 'literal', value: Number(number) }];
    const word = this.take(/(?:true|false)(?!\w)/y);
    if (word !== '') return [{ kind: 'literal', value: word === 'true' }];
    return this.fail(`unexpected ${JSON.stringify(this.#here())} (a field begins with a dot)`);
  }

  /** The name after a dot. None at all is fine: `{.}` is the current value, as is the dot of `.[0]`. */
  #name(): Step[] {
    const name = this.take(NAME);
    if (name === '') return [];
    return name === '*' ? [{ kind: 'wildcard' }] : [{ kind: 'field', name: unescapeName(name) }];
  }

  #subscript(): Step {
    const parts: Step[] = [];
    do {
      this.take(/\s+/y);
      parts.push(this.#part());
      this.take(/\s+/y);
    } while (this.take(/,/y) !== '');
    if (this.take(/\]/y) === '') this.fail('"]" is missing');
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'union', parts };
  }

  #part(): Step {
    if (this.#here() === '"' || this.#here() === "'") {
      return { kind: 'field', name: this.#quoted().replaceAll('\\', '') };
    }
    if (this.take(/\*/y) !== '') return { kind: 'slice', from: null, to: null, by: 1 };
    const start = this.#at;
    const found = SLICE.exec(this.take(/[-:\d]+/y));
    const [text, from, colon, to, by] = found ?? [];
    if (text === undefined || text === '' || by?.startsWith('-') === true || by === '0') {
      this.#at = start;
      this.fail('an index, a slice such as 0:2, * or a quoted name is expected');
    }
    return colon === undefined
      ? index(Number(from))
      : { kind: 'slice', from: numberOrNull(from), to: numberOrNull(to), by: Number(by ?? 1) };
  }

  #filter(): Step {
    const left = this.path(')!<>=}');
    const written = this.take(/[!<>=]+/y);
    const operator = OPERATORS.find((known) => known === written);
    if (written !== '' && operator === undefined) this.fail(`unknown operator ${written}`);
    const right = this.path(')}');
    if (operator !== undefined && right.length === 0) this.fail(`nothing stands after ${operator}`);
    if (this.take(/\)\s*\]/y) === '') this.fail('")]" is missing');
    return { kind: 'filter', left, test: operator === undefined ? null : { operator, right } };
  }

  #quoted(): string {
    const quoted = this.take(QUOTED);
    if (quoted === '') this.fail('unclosed quote');
    return quoted
      .slice(1, -1)
      .replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gi, (_match, x?: string, u?: string, other = '') => {
        const code = x ?? u;
        return code === undefined
          ? (ESCAPES[other as string] ?? (other as string))
          : String.fromCharCode(Number.parseInt(code, 16));
      });
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};

function index(at: number): Step {
  return { kind: 'slice', from: at, to: at === -1 ? null : at + 1, by: 1 };
}

function numberOrNull(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function unescapeName(name: string): string {
  return name.replaceAll('\\', '');
}
