/** What is still to be said while nobody reads: not all that happened, only what has become of each thing. */

/** A thing came, changed or went. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
}

/**
 * Changes that have not been said, one a thing at most. Whoever is told these has the same things in the end, in the same
 * state, as whoever is told every change.
 */
export class Backlog<T extends Change> {
  readonly #unsaid = new Map<string, T>();

  /** How many things there is something to say of. */
  get size(): number {
    return this.#unsaid.size;
  }

  /**
   * Puts a change in the place of what was still to be said of the same thing: what came and went again is nothing to say,
   * what went and came back has changed.
   * @param key of the thing
   */
  add(key: string, change: T): void {
    const wasSaid = (this.#unsaid.get(key) ?? change).type !== 'ADDED';
    const isThere = change.type !== 'DELETED';
    if (!wasSaid && !isThere) this.#unsaid.delete(key);
    else this.#unsaid.set(key, { ...change, type: isThere ? (wasSaid ? 'MODIFIED' : 'ADDED') : 'DELETED' });
  }

  /** Takes out one after the other, that which has waited longest first; what is not asked for stays. */
  *takeAll(): Generator<T> {
    for (const [key, change] of this.#unsaid) {
      this.#unsaid.delete(key);
      yield change;
    }
  }

  /** Nothing is to be said of it any more. */
  forget(key: string): void {
    this.#unsaid.delete(key);
  }
}
