/** Large files of a recording are read in pieces; what is in them is what reading them as a whole would give. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { dump, loadAll } from 'js-yaml';
import { UserError } from '../../../src/errors.ts';
import { readJsonList } from '../../../src/snapshot/json-list.ts';
import { readLaidOutList } from '../../../src/snapshot/laid-out-list.ts';
import { listText } from '../../../src/snapshot/list-text.ts';
import type { EachItem } from '../../../src/snapshot/object-collector.ts';
import { readObjects } from '../../../src/snapshot/read-objects.ts';

let scratch = '';
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-large-files-'));
});
after(() => rm(scratch, { recursive: true }));

/** More than is read at once, and than is read as a whole. */
const BULK = 'x'.repeat(1_500_000);

type Item = Readonly<Record<string, unknown>>;

const claim = (name: string, more: object = {}): Item => ({
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', uid: `uid of ${name}`, ...more },
});
const bulk: Item = { kind: 'ConfigMap', metadata: { name: 'bulk' }, data: { bulk: BULK } };
const three = [claim('a'), bulk, claim('b'), claim('c')];

async function file(text: string): Promise<string> {
  const path = join(scratch, 'file');
  await writeFile(path, text);
  return path;
}

const whole = (object: unknown): unknown => object;

async function claimsOf(text: string): Promise<readonly unknown[]> {
  return (await readObjects(await file(text), { PersistentVolumeClaim: whole })).PersistentVolumeClaim;
}

function kubectlYaml(
  items: readonly unknown[],
  end = "kind: List\nmetadata:\n  resourceVersion: ''\n",
): string {
  const text = dump(items, { seqNoIndent: true, noRefs: true, lineWidth: -1 });
  // kubectl does not end the document behind a text that ends in empty lines.
  return `apiVersion: v1\nitems:\n${text.replace(/^\.\.\.\n$/m, '')}${end}`;
}

function kubectlJson(items: readonly unknown[], list: object = { kind: 'List', metadata: {} }): string {
  return JSON.stringify({ apiVersion: 'v1', items, ...list }, null, 4);
}

const LAYOUTS: readonly (readonly [string, (items: readonly Item[]) => string])[] = [
  ['kubectl get -o yaml', (items) => kubectlYaml(items)],
  ['our snapshot', (items) => [...listText(items)].join('')],
  ['kubectl get -o json', (items) => kubectlJson(items)],
  ['jq', (items) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)],
  ['jq -c', (items) => JSON.stringify({ items, kind: 'List' })],
  ['several documents', (items) => items.map((item) => dump(item)).join('---\n')],
  ['YAML with its items indented', (items) => dump({ apiVersion: 'v1', items, kind: 'List' })],
  ['a list within a list', (items) => kubectlJson([{ kind: 'List', items }])],
  ['flow style', (items) => `{kind: List, items: ${JSON.stringify(items)}}`],
  ['single lists after one another', (items) => `${kubectlYaml(items)}---\n${kubectlYaml(items)}`],
];

describe('a large file', () => {
  for (const [layout, write] of LAYOUTS) {
    test(`as of ${layout} gives every object`, async () => {
      assert.deepEqual(await claimsOf(write(three)), [claim('a'), claim('b'), claim('c')]);
    });

    test(`as of ${layout} is refused where it has one object in two states`, async () => {
      const items = [...three, claim('a', { uid: 'another' })];
      await assert.rejects(
        claimsOf(write(items)),
        /PersistentVolumeClaim shop\/a stands in it twice, in two/,
      );
    });
  }

  test('of a typed list gives its items their kind, be it told before them or behind', async () => {
    const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b', annotations: { bulk: BULK } } }];
    const list = { kind: 'PersistentVolumeClaimList', apiVersion: 'v1' };
    for (const text of [
      JSON.stringify({ ...list, items }),
      JSON.stringify({ items, ...list }),
      kubectlJson(items, list),
      kubectlYaml(items, 'kind: PersistentVolumeClaimList\nmetadata: {}\n'),
    ]) {
      const expected = items.map((item) => ({ ...item, kind: 'PersistentVolumeClaim' }));
      assert.deepEqual(await claimsOf(text), expected);
    }
  });

  test('of broken YAML is refused with the line', async () => {
    const text = kubectlYaml(three).replace('uid: uid of c', 'uid: [unclosed');
    const line = text.slice(0, text.indexOf('[unclosed')).split('\n').length + 1;
    await assert.rejects(claimsOf(text), new RegExp(`file:${line}: broken YAML: `));
  });

  test('of broken JSON is refused with the line of what is wrong', async () => {
    const text = kubectlJson(three);
    const line = text.split('\n').length;
    await assert.rejects(claimsOf(text.slice(0, -1)), new RegExp(`file:${line}: broken YAML: `));
    await assert.rejects(claimsOf(`${text}\n]`), /file:\d+: broken YAML: /);
  });

  test('whose document ends among the items is no list, wherever it is cut', async () => {
    const items = kubectlYaml([claim('a'), bulk], '');
    for (const marker of ['...', '---']) {
      const text = `${items}${marker}\n${dump([claim('b')])}kind: List\nmetadata:\n  resourceVersion: ''\n`;
      await assert.rejects(claimsOf(text), /broken YAML/);
    }
  });

  test('that is one object is that object, whatever fields it has', async () => {
    const object = { ...claim('a'), items: [claim('b'), { metadata: {} }], data: BULK };
    assert.deepEqual(await claimsOf(JSON.stringify(object)), [object]);
    assert.deepEqual(await claimsOf(kubectlJson([claim('b'), bulk], claim('a'))), [
      { apiVersion: 'v1', items: [claim('b'), bulk], ...claim('a') },
    ]);
  });

  test('whose items are no list, or of which there is nothing else, is refused', async () => {
    for (const items of [{ 0: claim('a') }, 'none', undefined]) {
      const text = JSON.stringify({ kind: 'List', items, metadata: { bulk: BULK } });
      await assert.rejects(claimsOf(text), /a List without items/);
    }
    await assert.rejects(claimsOf(' '.repeat(BULK.length)), /is empty/);
    await assert.rejects(claimsOf(kubectlJson([...three, null])), /no Kubernetes object/);
    await assert.rejects(claimsOf(kubectlYaml([...three, 'text'])), /no Kubernetes object/);
  });

  test('may have its items twice: the last ones count, as everywhere in JSON', async () => {
    const items = JSON.stringify(three);
    const text = `{"kind":"List","items":[${JSON.stringify(claim('lost'))}],"items":${items}}`;
    assert.deepEqual(await claimsOf(text), [claim('a'), claim('b'), claim('c')]);
  });
});

/** Texts that look like a list's structure. */
const odd = fc.constantFrom(
  '- kind: List',
  'a\n- b\n\n',
  '\nkind: List\nmetadata:\n',
  '        },\n        {\n',
  '    ],\n    "kind": "List",\n',
  '---\n...',
  '__proto__',
  '\u2028\ud83d\ude00\ud83d',
  '2026-11-30T03:21:44Z',
  '',
);
const field = fc.oneof(odd, fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null));
const item = fc.record({
  kind: fc.constantFrom('PersistentVolumeClaim', 'Namespace'),
  metadata: fc.dictionary(fc.oneof(odd, fc.string()), fc.oneof(field, fc.array(field, { maxLength: 3 }))),
});
const items = fc.array(item, { minLength: 1, maxLength: 5 });
/** A change to a text: at a place between 0 and 1, so many characters give way to others. */
const change = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat({ max: 12 }),
  fc.oneof(fc.constantFrom('\n', '"', ' ', '-', '}', '],', '&a ', '*a', '\n- ', '\n# x\n', '\n...\n'), odd),
);

function changed(text: string, changes: readonly [number, number, string][]): string {
  let result = text;
  for (const [place, length, other] of changes) {
    const start = Math.floor(place * result.length);
    result = result.slice(0, start) + other + result.slice(start + length);
  }
  return result;
}

/** The items that a reader tells of; null where it says that the file is no list to it. */
async function toldBy(
  read: (file: string, each: EachItem) => Promise<boolean>,
  text: string,
): Promise<unknown[] | null> {
  const told: unknown[] = [];
  return (await read(await file(text), (one) => told.push(one))) ? told : null;
}

/** The only document's, read as a whole; the text as a file gives it, where half a character is none. */
function itemsOf(text: string): unknown {
  const asRead = Buffer.from(text).toString();
  let documents: unknown[];
  try {
    documents = [JSON.parse(asRead)];
  } catch {
    documents = loadAll(asRead);
  }
  assert.equal(documents.length, 1);
  const { kind, items } = documents[0] as { kind: unknown; items: unknown };
  assert.match(String(kind), /List$/);
  return items;
}

const RUNS = { numRuns: 400 };

test('any list as kubectl lays it out is read in pieces, and so is any list of JSON', () =>
  fc.assert(
    fc.asyncProperty(items, async (items) => {
      const yaml = kubectlYaml(items);
      assert.deepEqual(await toldBy(readLaidOutList, yaml), itemsOf(yaml));
      const json = kubectlJson(items);
      assert.deepEqual(await toldBy(readLaidOutList, json), itemsOf(json));
      const compact = JSON.stringify({ items, kind: 'List' });
      assert.deepEqual(await toldBy(readJsonList, compact), itemsOf(compact));
    }),
    RUNS,
  ));

test('whatever was done to a list: what is read in pieces is what the whole says', () =>
  fc.assert(
    fc.asyncProperty(items, fc.array(change, { maxLength: 3 }), async (items, changes) => {
      for (const [read, text] of [
        [readLaidOutList, kubectlYaml(items)],
        [readLaidOutList, kubectlJson(items)],
        [readJsonList, JSON.stringify({ items, kind: 'List' })],
      ] as const) {
        const other = changed(text, changes);
        const told = await toldBy(read, other);
        if (told !== null) assert.deepEqual(told, itemsOf(other));
      }
    }),
    RUNS,
  ));

test('what cannot be read is told as what it is', async () => {
  const missing = readObjects(join(scratch, 'missing'), {});
  await assert.rejects(
    missing,
    new UserError(`cannot read snapshot file ${join(scratch, 'missing')}: no such file or directory`),
  );
  await assert.rejects(readObjects(scratch, {}), /cannot read snapshot file .*: it is a directory/);
});
