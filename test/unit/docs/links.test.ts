/** The documents lead where they say, and what they name is there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { DOCUMENTS, ROOT, anchors, inlineCode, links } from './documents.ts';

/** Of an address on the web only that it is a safe one: tests do not leave this machine. */
const ELSEWHERE = /^https:\/\//;

test('every link of every document leads to a file that is here, and to a heading in it', () => {
  let followed = 0;
  for (const document of DOCUMENTS) {
    for (const target of links(document)) {
      if (ELSEWHERE.test(target)) continue;
      const [, file = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(target) ?? [];
      const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
      assert.ok(existsSync(join(ROOT, path)), `${document.path}: ${target}: no such file`);
      if (anchor !== undefined) {
        const found = DOCUMENTS.find((one) => one.path === path);
        assert.ok(
          found !== undefined && anchors(found).has(anchor),
          `${document.path}: ${target}: no heading`,
        );
      }
      followed += 1;
    }
  }
  assert.ok(followed > 40, `${followed} links were followed`);
});

test('every document can be reached from README.md', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const document = DOCUMENTS.find((one) => one.path === path);
    if (document === undefined) continue;
    for (const target of links(document)) {
      if (!ELSEWHERE.test(target)) reached.add(normalize(join(dirname(path), target.replace(/#.*/, ''))));
    }
  }
  for (const { path } of DOCUMENTS) assert.ok(reached.has(path), `nothing leads to ${path}`);
});

test('every file and folder of ours that a document names is in this checkout', () => {
  for (const document of DOCUMENTS) {
    for (const code of inlineCode(document)) {
      if (!/^(src|test|plugin|docs|\.github)\/[\w./-]*$/.test(code)) continue;
      assert.ok(existsSync(join(ROOT, code)), `${document.path}: \`${code}\` is not there`);
    }
  }
});

test('every target of make that a document names is in the Makefile', () => {
  const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
  for (const document of DOCUMENTS) {
    for (const code of [...inlineCode(document), ...document.fenced]) {
      const [, target] = /^make ([a-z-]+)/.exec(code) ?? [];
      if (target !== undefined) assert.ok(targets.has(target), `${document.path}: ${code}`);
    }
  }
});
