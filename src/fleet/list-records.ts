/** Whole kinds, reduced to what a recording keeps as they are read. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import type { Resource } from '../kube/resources.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';
import { RecordStore } from './record-store.ts';

const UNWANTED = -1;

/**
 * Lists a kind of all namespaces as whole objects, a page at a time.
 * @param wanted which of them are kept
 * @returns their records, to be gone through once
 * @throws UserError
 */
export async function listRecords<T>(
  api: ApiConnection,
  resource: Resource<T>,
  record: (value: unknown) => RecordedObject,
  wanted: (item: T) => boolean,
  signal: AbortSignal,
): Promise<Iterable<RecordedObject>> {
  const store = new RecordStore();
  const numbers = await listAll(
    api,
    {
      ...resource,
      decoder: null,
      fromJson: (value) => (wanted(resource.fromJson(value)) ? store.add(record(value)) : UNWANTED),
    },
    { namespace: null, signal },
  );
  return store.read(numbers.filter((number) => number !== UNWANTED));
}
