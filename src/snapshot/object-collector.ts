/** The objects of one file of a recording, each kind reduced to what is wanted of it as soon as it is read. */
import { UserError, oneLine } from '../errors.ts';

/** What is kept of each object of a kind. Objects of other kinds are checked and left out. */
export type Reductions<T> = { readonly [Kind in keyof T]: (object: unknown) => T[Kind] };

/** Every object of a kind, reduced. */
export type Reduced<T> = { readonly [Kind in keyof T]: readonly T[Kind][] };

/** Told of each item of a list. @param listKind the list's own kind */
export type EachItem = (item: unknown, listKind: string) => void;

/** How every kind of list ends. */
const LIST = 'List';
/** kubectl nests no lists; a few levels are for lists that were put together by hand. */
const DEEPEST = 8;

/** An object that was read, and what tells a state of it from the next. */
interface Found {
  readonly uid: unknown;
  readonly resourceVersion: unknown;
  readonly reduced: unknown;
}

export class ObjectCollector<T extends object> {
  readonly #file: string;
  readonly #reductions: Reductions<T>;
  /** By kind, then by namespace and name. */
  readonly #found = new Map<string, Map<string, Found>>();
  #refusal: UserError | null = null;

  /** @param file as messages name it */
  constructor(file: string, reductions: Reductions<T>) {
    this.#file = file;
    this.#reductions = reductions;
  }

  /** Takes a single object or a `kind: List`, however it is typed. */
  collect(value: unknown): void {
    this.#unlessRefused(() => this.#take(value, 0));
  }

  /** Takes one item of a list. @param listKind the list's own */
  collectItem(item: unknown, listKind: string): void {
    this.#unlessRefused(() => this.#takeItem(item, listKind, 1));
  }

  /** @throws UserError for the first thing that is neither object nor list, or an object that is there in two states */
  reduced(): Reduced<T> {
    if (this.#refusal !== null) throw this.#refusal;
    const kinds = Object.keys(this.#reductions).map((kind) => [
      kind,
      Array.from(this.#found.get(kind)?.values() ?? [], ({ reduced }) => reduced),
    ]);
    return Object.fromEntries(kinds) as Reduced<T>;
  }

  /** Only the end of a file shows whether what was taken for items of a list was that: until then it is not refused. */
  #unlessRefused(work: () => void): void {
    if (this.#refusal !== null) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#refusal = error;
    }
  }

  /** @param depth lists that it stands in */
  #take(value: unknown, depth: number): void {
    if (depth > DEEPEST) throw new UserError(`${this.#file}: lists within lists, more than ${DEEPEST} deep`);
    if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string') {
      throw new UserError(
        `${this.#file}: holds something that is no Kubernetes object (no kind): export it with kubectl get -o yaml`,
      );
    }
    const { kind } = value;
    if (!kind.endsWith(LIST)) {
      this.#add(value, kind);
      return;
    }
    if (!('items' in value) || !Array.isArray(value.items)) {
      throw new UserError(
        `${this.#file}: a ${oneLine(kind)} without items: export it with kubectl get -o yaml`,
      );
    }
    for (const item of value.items) this.#takeItem(item, kind, depth + 1);
  }

  #takeItem(item: unknown, listKind: string, depth: number): void {
    // The items of a typed list (kubectl get --raw) carry no kind of their own.
    const kind = listKind.slice(0, -LIST.length);
    this.#take(kind !== '' && lacksKind(item) ? { ...item, kind } : item, depth);
  }

  /** An object that was exported twice counts once; two states of one object contradict each other. */
  #add(value: object, kind: string): void {
    const { namespace, name, uid, resourceVersion } = metadataOf(value);
    if (typeof name !== 'string' || name === '') {
      throw new UserError(
        `${this.#file}: a ${oneLine(kind)} without a name: export it with kubectl get -o yaml`,
      );
    }
    const objects = this.#found.get(kind) ?? new Map<string, Found>();
    this.#found.set(kind, objects);
    const key = typeof namespace === 'string' ? `${namespace}/${name}` : name;
    const present = objects.get(key);
    if (present !== undefined && (present.uid !== uid || present.resourceVersion !== resourceVersion)) {
      throw new UserError(
        `${this.#file}: ${oneLine(kind)} ${oneLine(key)} stands in it twice, in two states: export it again`,
      );
    }
    objects.set(key, { uid, resourceVersion, reduced: this.#reduce(value, kind) });
  }

  #reduce(value: object, kind: string): unknown {
    return Object.hasOwn(this.#reductions, kind) ? this.#reductions[kind as keyof T](value) : null;
  }
}

/** Whether an item of a list gets its kind from the list's. */
export function lacksKind(item: unknown): item is object {
  return typeof item === 'object' && item !== null && !('kind' in item);
}

function metadataOf(value: object): Readonly<Record<string, unknown>> {
  const metadata: unknown = 'metadata' in value ? value.metadata : null;
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
}
