/** A recording's file: one `kind: List`, laid out as `kubectl get -A -o yaml` does. */
import { toYaml } from '../output/structured.ts';

/** Enough that a chunk costs little, few enough that the process stays responsive in between. */
const OBJECTS_A_CHUNK = 200;

/** @returns the file's text in chunks, each made when it is asked for */
export function* listText(objects: Iterable<object>): Generator<string> {
  yield 'apiVersion: v1\n';
  let chunk: object[] = [];
  let any = false;
  for (const object of objects) {
    chunk.push(object);
    if (chunk.length < OBJECTS_A_CHUNK) continue;
    yield itemsText(chunk, !any);
    any = true;
    chunk = [];
  }
  if (chunk.length > 0) yield itemsText(chunk, !any);
  else if (!any) yield 'items: []\n';
  yield "kind: List\nmetadata:\n  resourceVersion: ''\n";
}

/** A sequence at the margin: within a mapping YAML lets it stand there, and kubectl does. */
function itemsText(objects: readonly object[], first: boolean): string {
  // Behind a text that ends in empty lines js-yaml ends the document, which here is not over.
  return `${first ? 'items:\n' : ''}${toYaml(objects).replace(/^\.\.\.\n$/m, '')}`;
}
