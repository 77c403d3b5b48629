/**
 * A large list, a few items at a time. kubectl and our snapshot lay a list out so that each item begins in a column of
 * its own, where nothing else does: there it can be cut, and the pieces go through parsers that know only whole texts.
 */
import { createReadStream } from 'node:fs';
import { YAMLException, load } from 'js-yaml';
import { fields, list } from '../kube/objects/from-json.ts';
import type { EachItem } from './object-collector.ts';

/** Bytes read at a time. */
const CHUNK = 64 * 1024;
/** Characters; what has no second item by then is no list as kubectl writes it. */
const LONGEST_ITEM = 16 * 1024 * 1024;

interface Layout {
  /** All that stands before the first item. */
  readonly head: string;
  /** How an item begins. */
  readonly item: string;
  /** What stands between two items. */
  readonly separator: string;
  /** How that begins which stands behind the last item and a newline. */
  readonly tail: string;
  /** The items of a piece, in a list; undefined where it is none. */
  readonly parse: (piece: string) => unknown;
  /** Whether that is all of the list but for its head and items. */
  readonly isTail: (text: string) => boolean;
}

const YAML: Layout = {
  head: 'apiVersion: v1\nitems:\n',
  item: '- ',
  separator: '\n',
  tail: 'kind: List\nmetadata:\n',
  // Anything else at the margin may end the list, or the document.
  parse: (piece) => (/^(?:[^\s-]|-(?! ))/m.test(piece) ? undefined : parseYaml(`${piece}\n`)),
  isTail: (text) =>
    /^kind: List\nmetadata:\n(?: .*\n)*$/.test(text) && fields(parseYaml(text))['kind'] === 'List',
};

/** A text of JSON never goes over several lines: what looks like a line of the structure is one. */
const JSON_OF_KUBECTL: Layout = {
  head: '{\n    "apiVersion": "v1",\n    "items": [\n',
  item: '        {\n',
  separator: ',\n',
  tail: '    ],\n    "kind": "List",\n',
  parse: (piece) => parseJson(`[${piece}]`),
  isTail: (text) => {
    const { kind, items } = fields(parseJson(`{"items": [${text}`));
    return kind === 'List' && list(items).length === 0;
  },
};

const LAYOUTS = [YAML, JSON_OF_KUBECTL];

/**
 * Reads a file laid out as `kubectl get -A -o yaml` or `-o json` does.
 * @returns whether it is, and nothing in it is broken; where not, some items may have been told of before that came out
 * @throws what reading a file throws
 */
export async function readLaidOutList(file: string, each: EachItem): Promise<boolean> {
  let layout: Layout | undefined;
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK })) {
    rest += chunk as string;
    if (layout === undefined) {
      layout = LAYOUTS.find(({ head, item }) => rest.startsWith(head + item));
      if (layout === undefined) return false;
      rest = rest.slice(layout.head.length);
    }
    const end = rest.lastIndexOf(`${layout.separator}${layout.item}`);
    if (end >= 0) {
      if (!tellItems(rest.slice(0, end), layout, each)) return false;
      rest = rest.slice(end + layout.separator.length);
    }
    if (rest.length > LONGEST_ITEM) return false;
  }
  if (layout === undefined) return false;
  const end = rest.lastIndexOf(`\n${layout.tail}`);
  return end >= 0 && layout.isTail(rest.slice(end + 1)) && tellItems(rest.slice(0, end), layout, each);
}

function tellItems(piece: string, { parse }: Layout, each: EachItem): boolean {
  const items = parse(piece);
  if (!Array.isArray(items)) return false;
  for (const item of items) each(item, 'List');
  return true;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  try {
    // The parser's texts are views of the whole: a copy lets go of it.
    return structuredClone(load(text));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return undefined;
  }
}
