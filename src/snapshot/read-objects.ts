/** One file of a snapshot: what `kubectl get ... -A -o yaml` (or json) prints. */
import { readFile } from 'node:fs/promises';
import { YAMLException, loadAll } from 'js-yaml';
import { UserError, oneLine } from '../errors.ts';

/** Objects by kind, as they stand in the file. */
export type ObjectsByKind = ReadonlyMap<string, readonly unknown[]>;

/**
 * Reads every object of a file: single objects, `kind: List` (nested ones too) and several YAML documents.
 * @throws UserError naming the file, and for broken YAML the line.
 */
export async function readObjects(file: string): Promise<ObjectsByKind> {
  const byKind = new Map<string, unknown[]>();
  for (const document of parseDocuments(await readText(file), file)) collect(document, file, byKind);
  return byKind;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read snapshot file ${file}: ${reasonOf(error)}`);
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

function collect(value: unknown, file: string, byKind: Map<string, unknown[]>): void {
  if (value === null || value === undefined) return;
  if (typeof value !== 'object' || !('kind' in value) || typeof value.kind !== 'string') {
    throw new UserError(
      `${file}: holds something that is no Kubernetes object (no kind): export it with kubectl get -o yaml`,
    );
  }
  if (value.kind.endsWith('List')) {
    if (!('items' in value) || !Array.isArray(value.items)) {
      throw new UserError(
        `${file}: a ${oneLine(value.kind)} without items: export it with kubectl get -o yaml`,
      );
    }
    // The items of a typed list (kubectl get --raw) carry no kind of their own.
    const itemKind = value.kind.slice(0, -'List'.length);
    for (const item of value.items) collect(itemKind === '' ? item : withKind(item, itemKind), file, byKind);
    return;
  }
  const present = byKind.get(value.kind);
  if (present === undefined) byKind.set(value.kind, [value]);
  else present.push(value);
}

function withKind(item: unknown, kind: string): unknown {
  return typeof item === 'object' && item !== null && !('kind' in item) ? { ...item, kind } : item;
}

/** What went wrong with a file, in words; the path is named by the caller. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return code || oneLine(String(error));
}
