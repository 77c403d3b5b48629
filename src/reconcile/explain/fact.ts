/** Makes single facts. An empty text counts as a field that is not set. */
import type { Fact } from './explanation.ts';
import type { Side } from './scene.ts';

type Value = string | null;

/** A field of a claim, which need not exist. */
export function claimFact(
  { side }: Side,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  field: string,
  value: Value,
  expected: Value,
): Fact {
  return {
    cluster: side,
    kind: 'PersistentVolumeClaim',
    namespace,
    name,
    ...compared(field, value, expected),
  };
}

/** A field of the volume in question. */
export function volumeFact({ side, volumeName }: Side, field: string, value: Value, expected: Value): Fact {
  return {
    cluster: side,
    kind: 'PersistentVolume',
    namespace: null,
    name: volumeName,
    ...compared(field, value, expected),
  };
}

/** A field that none of the super cluster's volumes has as expected. Their name is then "*". */
export function anyVolumeFact(field: string, expected: string): Fact {
  return {
    cluster: 'super',
    kind: 'PersistentVolume',
    namespace: null,
    name: '*',
    ...compared(field, null, expected),
  };
}

/** A field of the class that the claim names. */
export function classFact({ side, claim }: Side, field: string, value: Value, expected: Value): Fact {
  return {
    cluster: side,
    kind: 'StorageClass',
    namespace: null,
    name: claim?.storageClass ?? '',
    ...compared(field, value, expected),
  };
}

/** A namespace of the super cluster that is not there. */
export function namespaceFact(name: string): Fact {
  return {
    cluster: 'super',
    kind: 'Namespace',
    namespace: null,
    name,
    ...compared('object', null, 'present'),
  };
}

function compared(
  field: string,
  text: Value,
  expected: Value,
): Pick<Fact, 'field' | 'value' | 'expected' | 'ok'> {
  const value = text === '' ? null : text;
  return { field, value, expected, ok: expected === null ? null : value === expected };
}
