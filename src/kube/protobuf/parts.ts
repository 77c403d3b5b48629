/** Parts of claims and volumes in protobuf. Field numbers: k8s.io/api core/v1/generated.proto. */
import { HOLD_CONDITION } from '../../reconcile/model.ts';
import type { ClaimRef } from '../../reconcile/model.ts';
import { FieldReader, RepeatedText } from './wire.ts';

/** Access modes repeat from object to object: equal lists become one array. */
export class AccessModesReader {
  readonly #texts = new RepeatedText();
  #current: string[] = [];
  #last: readonly string[] = [];

  reset(): void {
    if (this.#current.length > 0) this.#current = [];
  }

  add(reader: FieldReader): void {
    this.#current.push(this.#texts.read(reader));
  }

  shared(): readonly string[] {
    const current = this.#current;
    const same =
      current.length === this.#last.length && current.every((mode, index) => mode === this.#last[index]);
    if (!same) this.#last = current;
    return this.#last;
  }
}

/** spec.resources.requests.storage of a claim, "" where none. */
export function requestedStorageOf(resources: FieldReader, sizes: RepeatedText): string {
  const REQUESTS = 2;
  let size = '';
  const reader = new FieldReader().open(resources.bytes, resources.start, resources.finish);
  while (reader.next()) if (reader.field === REQUESTS) size = storageQuantity(reader, sizes) ?? size;
  return size;
}

const STORAGE = Buffer.from('storage');

/** The quantity of a map entry whose key is "storage"; null for another resource. */
export function storageQuantity(entry: FieldReader, sizes: RepeatedText): string | null {
  const reader = new FieldReader().open(entry.bytes, entry.start, entry.finish);
  let storage = false;
  let size = '';
  while (reader.next()) {
    if (reader.field === 1) storage = reader.is(STORAGE);
    else if (reader.field === 2 && storage) {
      const quantity = new FieldReader().open(reader.bytes, reader.start, reader.finish);
      while (quantity.next()) if (quantity.field === 1) size = sizes.read(quantity);
    }
  }
  return storage ? size : null;
}

/** v1.ObjectReference, reduced. */
export function claimRefOf(field: FieldReader, namespaces: RepeatedText): ClaimRef {
  const reader = new FieldReader().open(field.bytes, field.start, field.finish);
  let namespace = '';
  let name = '';
  let uid = '';
  while (reader.next()) {
    if (reader.field === 2) namespace = namespaces.read(reader);
    else if (reader.field === 3) name = reader.text();
    else if (reader.field === 4) uid = reader.text();
  }
  return { namespace, name, uid };
}

/** Whether a v1.PersistentVolumeClaimCondition is the one that marks a held claim. */
export function isHold(condition: FieldReader): boolean {
  const reader = new FieldReader().open(condition.bytes, condition.start, condition.finish);
  let type = '';
  let status = '';
  while (reader.next()) {
    if (reader.field === 1) type = reader.text();
    else if (reader.field === 2) status = reader.text();
  }
  return type === HOLD_CONDITION && status === 'False';
}
