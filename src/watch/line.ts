/** Keys in the order in which they came, each once. */
export class Line {
  readonly #keys = new Set<string>();
  /**
   * Goes on where it was, and comes to what is added meanwhile. To begin anew for each key would step over all that were
   * taken out before: V8 keeps their places, and 100,000 keys took 2.4 s instead of 0.02 s.
   */
  readonly #walk = this.#keys.values();

  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** At the end, unless it is there. */
  add(key: string): void {
    this.#keys.add(key);
  }

  /** Takes the first out. @returns undefined where there is none */
  take(): string | undefined {
    // At the end the walk would be over for good.
    if (this.#keys.size === 0) return undefined;
    const { value } = this.#walk.next();
    if (value !== undefined) this.#keys.delete(value);
    return value;
  }

  clear(): void {
    this.#keys.clear();
  }
}
