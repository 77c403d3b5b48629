import { UserError, oneLine } from '../../errors.ts';

/**
 * Reads typed fields of one object of a parsed file, as Go's encoding/json fills a struct: null and absent are the
 * zero value, unknown fields are nobody's business, a wrong type is an error that names the field. Values are never
 * told, they may be secrets.
 */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #source: string;
  readonly #path: string;

  /**
   * @param source names the file in an error
   * @param path where in the file the value stands, '' for the file itself
   * @throws UserError where the value is neither an object nor null.
   */
  constructor(value: unknown, source: string, path: string) {
    this.#source = source;
    this.#path = path;
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#wrong('', value ?? null, 'an object');
    this.#values = (value ?? {}) as Readonly<Record<string, unknown>>;
  }

  string(name: string): string {
    return this.#string(this.#get(name), name);
  }

  boolean(name: string): boolean {
    const value = this.#get(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, value, 'true or false');
    return value;
  }

  /** Base64 of text; Go allows line breaks inside and nothing else. */
  base64(name: string): string {
    const text = this.string(name).replaceAll(/[\r\n]/g, '');
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
      throw new UserError(`cannot read ${this.#source}: ${this.#at(name)} is not base64`);
    }
    return Buffer.from(text, 'base64').toString('utf8');
  }

  strings(name: string): string[] {
    return this.#list(name).map((value, index) => this.#string(value, `${name}[${index}]`));
  }

  stringMap(name: string): Record<string, string> {
    return this.#mapValues(name, (fields, key) => fields.string(key));
  }

  stringListMap(name: string): Record<string, string[]> {
    return this.#mapValues(name, (fields, key) => fields.strings(key));
  }

  /** Null where the field is absent or null: Go's pointer to a struct. */
  optional(name: string): Fields | null {
    const value = this.#get(name) ?? null;
    return value === null ? null : new Fields(value, this.#source, this.#at(name));
  }

  /** The object of a field; an absent one reads as empty. */
  object(name: string): Fields {
    return new Fields(this.#get(name) ?? null, this.#source, this.#at(name));
  }

  objects(name: string): Fields[] {
    return this.#list(name).map(
      (value, index) => new Fields(value ?? null, this.#source, this.#at(`${name}[${index}]`)),
    );
  }

  any(name: string): unknown {
    return this.#get(name) ?? null;
  }

  /** An error about this object. */
  error(problem: string): UserError {
    return new UserError(
      `cannot read ${this.#source}: ${this.#path === '' ? '' : `${this.#path}: `}${problem}`,
    );
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : null;
  }

  #string(value: unknown, name: string): string {
    const text = value ?? '';
    if (typeof text !== 'string') throw this.#wrong(name, text, 'a string (put it in quotes)');
    return text;
  }

  #list(name: string): readonly unknown[] {
    const value = this.#get(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, value, 'a list');
    return value;
  }

  #mapValues<T>(name: string, read: (fields: Fields, key: string) => T): Record<string, T> {
    const fields = this.object(name);
    return Object.fromEntries(Object.keys(fields.#values).map((key) => [key, read(fields, key)]));
  }

  #at(name: string): string {
    if (this.#path === '' || name === '') return oneLine(this.#path + name);
    return `${this.#path}.${oneLine(name)}`;
  }

  #wrong(name: string, value: unknown, wanted: string): UserError {
    const at = this.#at(name);
    return new UserError(
      `cannot read ${this.#source}: ${at === '' ? 'the file' : at} must be ${wanted}, not ${typeName(value)}`,
    );
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
