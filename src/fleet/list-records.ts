/** Whole kinds, reduced to what a recording keeps as they are read. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import type { Resource } from '../kube/resources.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';

/** Records as JSON: as text one takes a third of the memory that it takes as an object. */
export type RecordTexts = Iterable<string>;

/**
 * Lists a kind of all namespaces as whole objects, a page at a time.
 * @param wanted which of them are kept
 * @throws UserError
 */
export async function listRecords<T>(
  api: ApiConnection,
  resource: Resource<T>,
  record: (value: unknown) => RecordedObject,
  wanted: (item: T) => boolean,
  signal: AbortSignal,
): Promise<RecordTexts> {
  const texts = await listAll(
    api,
    {
      ...resource,
      decoder: null,
      fromJson: (value) => (wanted(resource.fromJson(value)) ? JSON.stringify(record(value)) : ''),
    },
    { namespace: null, signal },
  );
  return texts.filter((text) => text !== '');
}

/** The records that texts hold, one at a time. */
export function* parseRecords(texts: RecordTexts): Generator<RecordedObject> {
  // Written by JSON.stringify of a record, and never outside of this process.
  for (const text of texts) yield JSON.parse(text) as RecordedObject;
}
