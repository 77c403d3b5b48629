import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { humanDuration } from '../../../src/output/age.ts';
import { wantsColor } from '../../../src/output/color.ts';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { nearest } from '../../../src/nearest.ts';
import { summaryLines } from '../../../src/output/summary.ts';
import type { ClaimReport } from '../../../src/reconcile/report.ts';
import { REPORT, reportOf } from './reports.ts';

describe('-o', () => {
  it('knows the formats of kubectl that are offered', () => {
    for (const kind of ['table', 'wide', 'json', 'yaml', 'name'] as const) {
      assert.deepEqual(parseOutputFormat(kind), { kind });
    }
  });

  it('names what is allowed and what was probably meant', () => {
    assert.throws(
      () => parseOutputFormat('jsom'),
      /^UserError: -o jsom: unknown output format, did you mean "json"\?; allowed are table, wide, json, yaml, name, jsonpath=\.\.\., custom-columns=\.\.\.$/,
    );
    for (const value of ['', 'toString=x', 'go-template={{.}}', 'json=x', 'JSON']) {
      assert.throws(() => parseOutputFormat(value), UserError);
    }
  });

  it('shows what an expression looks like where one is missing', () => {
    assert.throws(() => parseOutputFormat('jsonpath'), /needs an expression: -o jsonpath='\{\.items/);
    assert.throws(() => parseOutputFormat('custom-columns='), /needs an expression: -o custom-columns=CLAIM/);
  });

  it('takes a swap of letters as one mistake and does not guess at anything far away', () => {
    assert.match(nearest('ymal', ['json', 'yaml']), /"yaml"/);
    assert.equal(nearest('toml', ['json', 'wide']), '');
  });
});

describe('colour', () => {
  it('is for terminals, unless NO_COLOR or TERM=dumb say otherwise, and always obeys the flag', () => {
    assert.equal(wantsColor('auto', true, {}), true);
    assert.equal(wantsColor('auto', false, {}), false);
    assert.equal(wantsColor('auto', true, { NO_COLOR: '1' }), false);
    assert.equal(wantsColor('auto', true, { NO_COLOR: '' }), true);
    assert.equal(wantsColor('auto', true, { TERM: 'dumb' }), false);
    assert.equal(wantsColor('always', false, { NO_COLOR: '1' }), true);
    assert.equal(wantsColor('never', true, {}), false);
  });
});

describe('an age', () => {
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  // From k8s.io/apimachinery pkg/util/duration/duration_test.go and its boundaries.
  for (const [milliseconds, shown] of [
    [-2 * SECOND, '<invalid>'],
    [-1.9 * SECOND, '0s'],
    [0, '0s'],
    [1.9 * SECOND, '1s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE - SECOND, '9m59s'],
    [10 * MINUTE, '10m'],
    [3 * HOUR - SECOND, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + MINUTE, '3h1m'],
    [8 * HOUR - SECOND, '7h59m'],
    [8 * HOUR, '8h'],
    [48 * HOUR - SECOND, '47h'],
    [48 * HOUR, '2d'],
    [50 * HOUR, '2d2h'],
    [8 * DAY, '8d'],
    [2 * 365 * DAY - HOUR, '729d'],
    [2 * 365 * DAY, '2y'],
    [2 * 365 * DAY + DAY, '2y1d'],
    [8 * 365 * DAY + 100 * DAY, '8y'],
  ] as const) {
    it(`of ${milliseconds} ms is ${shown}`, () => {
      assert.equal(humanDuration(milliseconds), shown);
    });
  }
});

function last(more: Partial<ClaimReport>): string {
  return summaryLines(reportOf([], more)).at(-1) ?? '';
}

describe('the lines beside a report', () => {
  it('sum up, so that the parts make the whole', () => {
    assert.deepEqual(summaryLines(REPORT), [
      '12 claims of 2 VirtualClusters: 2 mismatches, 8 consistent, 1 held, 1 settling (not counted).',
    ]);
  });

  it('say one thing of each error and each skipped VirtualCluster, in one line whatever it holds', () => {
    const lines = summaryLines(
      reportOf(REPORT.items, {
        errors: [
          { virtualCluster: { namespace: 'team-c', name: 'vc' }, message: 'list claims:\n\u001b[31mrefused' },
          { virtualCluster: null, message: 'super cluster: forbidden' },
        ],
        skipped: [{ virtualCluster: { namespace: 'team-b', name: 'new' }, reason: 'phase Pending' }],
      }),
    );
    assert.deepEqual(lines.slice(0, 3), [
      'error: team-c/vc: list claims: refused',
      'error: super cluster: forbidden',
      'skipped team-b/new: phase Pending',
    ]);
    assert.match(lines[3] ?? '', /, 2 errors\.$/);
  });

  it('say why there is nothing to show', () => {
    const none = {
      ...REPORT.summary,
      virtualClusters: 0,
      claims: 0,
      mismatched: 0,
      consistent: 0,
      held: 0,
      settling: 0,
    };
    const skipped = [{ virtualCluster: { namespace: 'a', name: 'b' }, reason: 'phase Pending' }];
    assert.match(last({ summary: none }), /^No resources found: no VirtualCluster is visible/);
    assert.match(last({ summary: none, skipped }), /^No resources found: no VirtualCluster is Running/);
    assert.match(
      last({ summary: none, errors: [{ virtualCluster: null, message: 'x' }] }),
      /^No VirtualCluster could be compared/,
    );
    assert.equal(
      last({ summary: { ...none, virtualClusters: 1 } }),
      'No resources found: 0 claims of 1 VirtualCluster.',
    );
    assert.match(
      last({ summary: { ...none, virtualClusters: 1, claims: 1, consistent: 1 } }),
      /1 claim of 1 VirtualCluster: 0 mismatches, 1 consistent\./,
    );
  });
});
