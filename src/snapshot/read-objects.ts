/** One file of a snapshot: what `kubectl get ... -A -o yaml` (or json) prints. */
import { readFile } from 'node:fs/promises';
import { YAMLException, loadAll } from 'js-yaml';
import { UserError, oneLine } from '../errors.ts';
import { fileErrorReason } from './file-error.ts';

/** Objects by kind, as they stand in the file. */
export type ObjectsByKind = ReadonlyMap<string, readonly unknown[]>;

/**
 * Reads every object of a file: single objects, `kind: List` and several YAML documents.
 * @throws UserError naming the file, and for broken YAML the line; also for a file without any object or list, which
 *   is what an export that failed leaves behind.
 */
export async function readObjects(file: string): Promise<ObjectsByKind> {
  const found = new Map<string, Map<string, unknown>>();
  const documents = parseDocuments(await readText(file), file).filter(
    (document) => document !== null && document !== undefined,
  );
  if (documents.length === 0) throw new UserError(`${file} is empty: export it with kubectl get -o yaml`);
  for (const document of documents) collect(document, file, found, 0);
  return new Map([...found].map(([kind, objects]) => [kind, [...objects.values()]]));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read snapshot file ${file}: ${fileErrorReason(error)}`);
  }
}

function parseDocuments(text: string, file: string): unknown[] {
  // JSON.parse is some fifty times faster than a YAML parser, and large snapshots are JSON.
  if (text.trimStart().startsWith('{')) {
    try {
      return [JSON.parse(text)];
    } catch {
      // YAML's flow style starts with a brace too; the YAML parser then tells the line of what is wrong.
    }
  }
  try {
    return loadAll(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : `:${error.mark.line + 1}`;
    throw new UserError(`${file}${line}: broken YAML: ${oneLine(error.reason)}`);
  }
}

/** kubectl nests no lists; a few levels are for lists that were put together by hand. */
const DEEPEST = 8;

function collect(
  value: unknown,
  file: string,
  found: Map<string, Map<string, unknown>>,
  depth: number,
): void {
  if (depth > DEEPEST) throw new UserError(`${file}: lists within lists, more than ${DEEPEST} deep`);
  if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string') {
    throw new UserError(
      `${file}: holds something that is no Kubernetes object (no kind): export it with kubectl get -o yaml`,
    );
  }
  const { kind } = value;
  if (!kind.endsWith('List')) {
    add(value, kind, file, found);
    return;
  }
  if (!('items' in value) || !Array.isArray(value.items)) {
    throw new UserError(`${file}: a ${oneLine(kind)} without items: export it with kubectl get -o yaml`);
  }
  // The items of a typed list (kubectl get --raw) carry no kind of their own.
  const itemKind = kind.slice(0, -'List'.length);
  for (const item of value.items)
    collect(itemKind === '' ? item : withKind(item, itemKind), file, found, depth + 1);
}

/** An object that was exported twice counts once; two states of one object contradict each other. */
function add(value: object, kind: string, file: string, found: Map<string, Map<string, unknown>>): void {
  const { namespace, name, uid, resourceVersion } = metadataOf(value);
  if (typeof name !== 'string' || name === '') {
    throw new UserError(`${file}: a ${oneLine(kind)} without a name: export it with kubectl get -o yaml`);
  }
  const objects = found.get(kind) ?? new Map<string, unknown>();
  found.set(kind, objects);
  const key = typeof namespace === 'string' ? `${namespace}/${name}` : name;
  const present = objects.get(key);
  if (present !== undefined) {
    const other = metadataOf(present);
    if (other['uid'] !== uid || other['resourceVersion'] !== resourceVersion) {
      throw new UserError(
        `${file}: ${oneLine(kind)} ${oneLine(key)} stands in it twice, in two states: export it again`,
      );
    }
  }
  objects.set(key, value);
}

function metadataOf(value: unknown): Readonly<Record<string, unknown>> {
  const metadata: unknown =
    typeof value === 'object' && value !== null && 'metadata' in value ? value.metadata : null;
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
}

function withKind(item: unknown, kind: string): unknown {
  return typeof item === 'object' && item !== null && !('kind' in item) ? { ...item, kind } : item;
}
