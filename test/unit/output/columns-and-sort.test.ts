import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { printReport } from '../../../src/output/print-report.ts';
import { sortItems } from '../../../src/output/sort.ts';
import { NOW, REPORT, reportOf } from './reports.ts';

function print(format: string, sortBy: string | null = null, headers = true, report = REPORT): string {
  return printReport(report, {
    format: parseOutputFormat(format),
    headers,
    sortBy,
    color: false,
    width: 60,
    now: NOW,
  });
}

/** Values as --sort-by orders the items that hold them. */
function sortedBy(...values: unknown[]): unknown[] {
  return sortItems(
    values.map((x) => ({ x })),
    '.x',
  ).map(({ x }) => x);
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

describe('-o custom-columns', () => {
  it('prints a path an item under each header, <none> for what is missing or null', () => {
    assert.equal(
      print('custom-columns=CLAIM:.tenant.name,VERDICT:verdict,WHY:{.cause.code},CAUSE:.cause.nope'),
      [
        'CLAIM    VERDICT         WHY                     CAUSE',
        'db-0     SuperNotBound   ClaimRefStale           <none>',
        'db-1     SuperMissing    SuperNamespaceMissing   <none>',
        '<none>   SuperOrphan     <none>                  <none>',
        '',
      ].join('\n'),
    );
  });

  it('joins several results by commas and never shortens', () => {
    assert.equal(
      print(`custom-columns=${'H'.repeat(70)}:.virtualCluster.*`, null, false),
      'default,vc-sample-1\nteam-b,staging\nteam-b,staging\n',
    );
  });

  it('prints its headers for an empty report', () => {
    assert.equal(print('custom-columns=A:.x,B:.y', null, true, reportOf([])), 'A   B\n');
  });

  for (const spec of ['A', 'A:', ':.x', 'A:.x,', 'A:.x[', 'A:{}']) {
    it(`refuses ${spec} before anything is read`, () => {
      assert.throws(() => parseOutputFormat(`custom-columns=${spec}`), UserError);
    });
  }
});

describe('--sort-by', () => {
  it('orders the items of every format, with or without braces and leading dot', () => {
    for (const path of ['.verdict', '{.verdict}', 'verdict']) {
      assert.equal(
        print('name', path),
        'team-b/staging/shop/db-1\ndefault/vc-sample-1/shop/db-0\nteam-b/staging/vc-2-shop/ghost\n',
      );
      assert.match(print('jsonpath={.items[*].verdict}', path), /^SuperMissing SuperNotBound SuperOrphan$/);
    }
  });

  it('puts items without the field first and keeps the order of equals', () => {
    assert.equal(
      print('jsonpath={.items[*].verdict}', '.tenant.name'),
      'SuperOrphan SuperNotBound SuperMissing',
    );
    assert.equal(
      print('jsonpath={.items[*].verdict}', '.tenant.phase'),
      'SuperOrphan SuperNotBound SuperMissing',
    );
  });

  it('orders numbers and quantities by value, text by its bytes', () => {
    assert.deepEqual(sortedBy(10, 9, -1), [-1, 9, 10]);
    assert.deepEqual(sortedBy('1Ti', '900Gi', '2'), ['2', '900Gi', '1Ti']);
    assert.deepEqual(sortedBy('b', 'a10', 'a9', 'B'), ['B', 'a10', 'a9', 'b']);
    assert.deepEqual(sortedBy(true, false), [false, true]);
  });

  it('gives an order that does not depend on how the items came', () => {
    const value = fc.constantFrom('9', '10', '1a', '9a', '1Gi', 'x', null);
    fc.assert(
      fc.property(fc.array(value), (values) => {
        fc.pre(values.some((x) => x !== null));
        const sorted = sortedBy(...values);
        assert.deepEqual(sortedBy(...values.toReversed()), sorted);
        assert.deepEqual(sorted.map(String).toSorted(byText), values.map(String).toSorted(byText));
      }),
    );
  });

  it('refuses a field that no item has, and one that has no order', () => {
    assert.throws(() => print('name', '.tenant.nope'), /--sort-by=\.tenant\.nope: no item has this field/);
    assert.throws(() => print('name', '.cause'), /--sort-by=\.cause: names an object or a list/);
    assert.throws(() => print('name', '.cause['), /--sort-by/);
  });

  it('accepts any field where there are no items', () => {
    assert.equal(print('name', '.whatever', true, reportOf([])), '');
  });
});
