/** The text of a recording's file is one list, whatever its objects hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { listText } from '../../../src/snapshot/list-text.ts';

test('a text that ends in empty lines does not end the list, wherever it stands', () => {
  const items = Array.from({ length: 450 }, (_, index) => ({ name: `item ${index}`, phase: 'Bound\n\n' }));
  const text = [...listText(items)].join('');
  assert.deepEqual(loadAll(text), [
    { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } },
  ]);
});

test('a list of nothing is an empty list', () => {
  assert.deepEqual(loadAll([...listText([])].join('')), [
    { apiVersion: 'v1', items: [], kind: 'List', metadata: { resourceVersion: '' } },
  ]);
});
