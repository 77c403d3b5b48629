/** One file of a snapshot: what `kubectl get ... -A -o yaml` (or json) prints. */
import { readFile, stat } from 'node:fs/promises';
import { YAMLException, loadAll } from 'js-yaml';
import { UserError, oneLine } from '../errors.ts';
import { fileErrorReason } from './file-error.ts';
import { readJsonList } from './json-list.ts';
import { readLaidOutList } from './laid-out-list.ts';
import { ObjectCollector } from './object-collector.ts';
import type { Reduced, Reductions } from './object-collector.ts';

/** Bytes; a file up to this size is read as a whole, which is faster and costs some ten times as much memory. */
const LARGE = 1024 * 1024;

/**
 * Reads every object of a file: single objects, `kind: List` and several YAML documents.
 * @param reductions what is kept of the objects, by kind
 * @throws UserError naming the file, and for broken YAML the line; also for a file without any object or list, which
 *   is what an export that failed leaves behind.
 */
export async function readObjects<T extends object>(
  file: string,
  reductions: Reductions<T>,
): Promise<Reduced<T>> {
  try {
    const found = await stat(file);
    // A pipe that nobody writes to would never be opened, and no signal ends a process that waits for that.
    if (!found.isFile() && !found.isDirectory()) {
      throw new UserError(`cannot read snapshot file ${file}: it is a pipe or a device, not a file`);
    }
    return (
      (found.size > LARGE ? await readAsList(file, reductions) : null) ?? (await readWhole(file, reductions))
    );
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error && 'code' in error)) throw error;
    throw new UserError(`cannot read snapshot file ${file}: ${fileErrorReason(error)}`);
  }
}

/** null where the file is no single list, or anything is wrong with it that only the whole of it tells */
async function readAsList<T extends object>(
  file: string,
  reductions: Reductions<T>,
): Promise<Reduced<T> | null> {
  for (const readList of [readLaidOutList, readJsonList]) {
    const collector = new ObjectCollector(file, reductions);
    if (await readList(file, (item, listKind) => collector.collectItem(item, listKind)))
      return collector.reduced();
  }
  return null;
}

async function readWhole<T extends object>(file: string, reductions: Reductions<T>): Promise<Reduced<T>> {
  const collector = new ObjectCollector(file, reductions);
  const documents = parseDocuments(await readFile(file, 'utf8'), file).filter(
    (document) => document !== null && document !== undefined,
  );
  if (documents.length === 0) throw new UserError(`${file} is empty: export it with kubectl get -o yaml`);
  for (const document of documents) collector.collect(document);
  return collector.reduced();
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
    // The parser's texts are views of the whole: a copy lets go of it.
    return structuredClone(loadAll(text));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : `:${error.mark.line + 1}`;
    throw new UserError(`${file}${line}: broken YAML: ${oneLine(error.reason)}`);
  }
}
