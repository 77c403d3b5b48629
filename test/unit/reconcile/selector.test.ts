import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelRequirement } from '../../../src/reconcile/model.ts';
import { selects } from '../../../src/reconcile/selector.ts';

const LABELS = new Map([
  ['tier', 'gold'],
  ['zone', ''],
]);

const ROWS: readonly (readonly [string, readonly LabelRequirement[], boolean])[] = [
  ['no requirement', [], true],
  ['a label that is there', [{ key: 'tier', operator: 'In', values: ['silver', 'gold'] }], true],
  ['an empty value', [{ key: 'zone', operator: 'In', values: [''] }], true],
  ['another value', [{ key: 'tier', operator: 'In', values: ['silver'] }], false],
  ['a value of an absent label', [{ key: 'disk', operator: 'In', values: [''] }], false],
  ['not that value', [{ key: 'tier', operator: 'NotIn', values: ['gold'] }], false],
  ['not a value of an absent label', [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }], true],
  ['presence', [{ key: 'zone', operator: 'Exists', values: [] }], true],
  ['presence of an absent label', [{ key: 'disk', operator: 'Exists', values: [] }], false],
  ['absence', [{ key: 'disk', operator: 'DoesNotExist', values: [] }], true],
  ['absence of a label that is there', [{ key: 'tier', operator: 'DoesNotExist', values: [] }], false],
  ['an operator that there is not', [{ key: 'tier', operator: 'Gt', values: ['1'] }], false],
  [
    'two requirements of which one is not met',
    [
      { key: 'tier', operator: 'Exists', values: [] },
      { key: 'disk', operator: 'Exists', values: [] },
    ],
    false,
  ],
];

for (const [what, selector, expected] of ROWS) {
  test(`a selector of ${what} ${expected ? 'selects' : 'does not select'}`, () => {
    assert.equal(selects(selector, LABELS), expected);
  });
}
