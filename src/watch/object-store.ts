/** What a reflector has seen of one kind, by place. */
import { isDeepStrictEqual } from 'node:util';
import type { ReflectorSink } from '../kube/reflector.ts';

interface Stored {
  readonly name: string;
  /** Absent for a kind that has none. */
  readonly namespace?: string;
  /** Absent where the model keeps none: then every telling counts as a change. */
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Told of each object that came, changed or went; one of the two is never null. */
export type StoreListener<T> = (before: T | null, after: T | null) => void;

/** Objects by namespace ("" for a kind that has none) and name. Listeners are called after the change is in. */
export class ObjectStore<T extends Stored> {
  readonly #byPlace = new Map<string, Map<string, T>>();
  readonly #changed: StoreListener<T>;
  #size = 0;

  constructor(changed: StoreListener<T>) {
    this.#changed = changed;
  }

  /** Namespace, then name. */
  get byPlace(): ReadonlyMap<string, ReadonlyMap<string, T>> {
    return this.#byPlace;
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): T | null {
    return this.#byPlace.get(namespace)?.get(name) ?? null;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const objects of this.#byPlace.values()) yield* objects.values();
  }

  /** Where a reflector of one namespace, or (null) of all there is, puts what it sees. */
  sink(namespace: string | null): ReflectorSink<T> {
    return {
      replace: (objects) => this.#replace(namespace, objects),
      put: (object) => this.#put(object),
      remove: ({ namespace: place = '', name }) => this.#remove(place, name),
    };
  }

  #replace(scope: string | null, objects: readonly T[]): void {
    if (this.#size > 0) this.#removeAllBut(scope, objects);
    for (const object of objects) this.#put(object);
  }

  #removeAllBut(scope: string | null, objects: readonly T[]): void {
    const present = new Map<string, Set<string>>();
    for (const { namespace = '', name } of objects) {
      const names = present.get(namespace);
      if (names === undefined) present.set(namespace, new Set([name]));
      else names.add(name);
    }
    const gone = [...this].filter(({ namespace = '', name }) => {
      return (scope === null || scope === namespace) && present.get(namespace)?.has(name) !== true;
    });
    for (const { namespace = '', name } of gone) this.#remove(namespace, name);
  }

  #put(object: T): void {
    const { namespace = '', name } = object;
    let objects = this.#byPlace.get(namespace);
    if (objects === undefined) this.#byPlace.set(namespace, (objects = new Map<string, T>()));
    const before = objects.get(name) ?? null;
    if (before !== null && isSame(before, object)) return;
    if (before === null) this.#size += 1;
    else keepEqualParts(before, object);
    objects.set(name, object);
    this.#changed(before, object);
  }

  #remove(namespace: string, name: string): void {
    const objects = this.#byPlace.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return;
    objects.delete(name);
    this.#size -= 1;
    if (objects.size === 0) this.#byPlace.delete(namespace);
    this.#changed(before, null);
  }
}

/**
 * Gives a new object those parts of the last one that are equal: each event brings texts of its own, where the objects of
 * a list share namespace, class, phase and owner. Without this a claim grew by a third when it first changed.
 */
function keepEqualParts<T extends Stored>(before: T, object: T): void {
  for (const key in object) {
    const now = object[key];
    const last = before[key];
    // Of two equal texts none can tell that they are not one.
    if (now === last || (typeof now === 'object' && isDeepStrictEqual(now, last))) object[key] = last;
  }
}

function isSame(a: Stored, b: Stored): boolean {
  if (a.uid === undefined || a.resourceVersion === undefined) return false;
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}
