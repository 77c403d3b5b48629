/** An index that is kept up to date: a key to the elements that have it. */

export class Grouped<V> {
  readonly #groups = new Map<string, V[]>();
  readonly #order: (a: V, b: V) => number;

  /** @param order in which a group's elements stand, so that the order of events is no matter; no two are equal in it */
  constructor(order: (a: V, b: V) => number) {
    this.#order = order;
  }

  get groups(): ReadonlyMap<string, readonly V[]> {
    return this.#groups;
  }

  add(key: string, value: V): void {
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, [value]);
      return;
    }
    group.splice(this.#placeOf(value, group), 0, value);
  }

  remove(key: string, value: V): void {
    const group = this.#groups.get(key);
    if (group === undefined) return;
    const at = this.#placeOf(value, group) - 1;
    if (group[at] !== value) return;
    if (group.length === 1) this.#groups.delete(key);
    else group.splice(at, 1);
  }

  /** By halving: a class may have a hundred thousand volumes, which a list tells in order. */
  #placeOf(value: V, group: readonly V[]): number {
    let low = 0;
    let high = group.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const element = group[middle];
      if (element !== undefined && this.#order(element, value) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
