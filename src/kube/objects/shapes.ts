/** Parts of untrusted JSON or YAML: any value may have any shape, and one of the wrong type counts as absent. */

export type Fields = Readonly<Record<string, unknown>>;

/** An object's fields; none where the value is no object. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A list's entries; none where the value is no list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, "" where there is none. A YAML number where a string is meant (`storage: 5`) is what its text says. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** The texts of a list. */
export function texts(value: unknown): readonly string[] {
  return list(value).filter((entry) => typeof entry === 'string');
}

/** Whether a field that is absent by default is there: null and "" are what an absent one may be written as. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
