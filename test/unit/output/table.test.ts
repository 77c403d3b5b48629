import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { stripControl } from '../../../src/errors.ts';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { printReport } from '../../../src/output/print-report.ts';
import type { PrintOptions } from '../../../src/output/print-items.ts';
import type { ClaimReport } from '../../../src/reconcile/report.ts';
import { NOW, REPORT, anyReport, reportOf } from './reports.ts';

function print(report: ClaimReport, format: 'table' | 'wide', more: Partial<PrintOptions> = {}): string {
  const options = { headers: true, sortBy: null, color: false, width: null, now: NOW, ...more };
  return printReport(report, { format: parseOutputFormat(format), ...options });
}

function headersAt(width: number): string {
  return print(REPORT, 'table', { width }).split('\n')[0] ?? '';
}

describe('the table', () => {
  it('shows every claim in one line under upper-case headers, three blanks between columns', () => {
    assert.deepEqual(print(REPORT, 'table').split('\n'), [
      'VIRTUALCLUSTER        NAMESPACE   CLAIM   TENANT   SUPER     VERDICT                   CAUSE                   AGE',
      'default/vc-sample-1   shop        db-0    Bound    Pending   SuperNotBound             ClaimRefStale           90s',
      'team-b/staging        shop        db-1    Bound    <none>    SuperMissing (settling)   SuperNamespaceMissing   30d',
      'team-b/staging        vc-2-shop   ghost   <none>   Lost      SuperOrphan               <none>                  <unknown>',
      '',
    ]);
  });

  it('adds volumes, their phases, the super namespace and the action when wide', () => {
    const [headers = '', first = ''] = print(REPORT, 'wide').split('\n');
    assert.match(
      headers,
      /AGE {9}TENANT VOLUME {3}PHASE {4}SUPER VOLUME {3}PHASE {4}SUPER NAMESPACE {3}ACTION$/,
    );
    assert.match(first, /90s {9}pv-1 {12}Bound {4}<none> {9}<none> {3}vc-1-shop {9}SetPhase$/);
  });

  it('leaves the headers out when asked', () => {
    assert.equal(print(REPORT, 'table', { headers: false }).split('\n').length, 4);
    assert.doesNotMatch(print(REPORT, 'table', { headers: false }), /VERDICT/);
  });

  it('is empty where there is nothing to show, headers included', () => {
    assert.equal(print(reportOf([]), 'table'), '');
  });

  it('never tells a terminal what to do', () => {
    const [item] = REPORT.items;
    assert.ok(item?.tenant);
    const evil = { ...item, tenant: { ...item.tenant, name: 'a\u001b]0;owned\u0007\u202eb\nc' } };
    const [, line = ''] = print(reportOf([evil]), 'table').split('\n');
    assert.match(line, / abc /);
  });

  it('colours verdicts without moving a column', () => {
    const colored = print(REPORT, 'table', { color: true });
    assert.equal(stripVTControlCharacters(colored), print(REPORT, 'table'));
    assert.ok(colored.includes('\u001b[31mSuperNotBound\u001b[39m'));
    assert.ok(colored.includes('\u001b[33mSuperMissing (settling)\u001b[39m'));
    assert.ok(!(colored.split('\n')[0] ?? '').includes('\u001b'));
  });
});

describe('the table on a terminal', () => {
  it('keeps both ends of a long name and whole verdicts', () => {
    const [item] = REPORT.items;
    assert.ok(item?.tenant);
    const long = { ...item, tenant: { ...item.tenant, name: `data-${'x'.repeat(80)}-web-17` } };
    const [, line = ''] = print(reportOf([long]), 'table', { width: 100 }).split('\n');
    assert.match(line, / data\S*…\S*-17 /);
    assert.match(line, / SuperNotBound /);
  });

  it('cuts between characters as a reader sees them, wide and combined ones too', () => {
    const [item] = REPORT.items;
    assert.ok(item?.tenant);
    const name = '漢'.repeat(30) + 'e\u0301'.repeat(30);
    const long = { ...item, tenant: { ...item.tenant, name } };
    const [, line = ''] = print(reportOf([long]), 'table', { width: 100 }).split('\n');
    assert.match(line, / 漢{2,}…(?:e\u0301){3,} /);
  });

  it('gives up the age and then the phases before it makes names unreadable', () => {
    assert.match(headersAt(120), /AGE$/);
    assert.doesNotMatch(headersAt(90), /AGE/);
    assert.match(headersAt(92), /TENANT +SUPER/);
    assert.doesNotMatch(headersAt(62), /TENANT|SUPER/);
    assert.match(headersAt(60), /^VIR.*VERDICT +CAUSE$/);
  });

  it('cuts nothing on a terminal that does not know its width', () => {
    assert.equal(print(REPORT, 'wide', { width: 0 }), print(REPORT, 'wide'));
  });

  it('fits every line into any width from 60 on', () => {
    fc.assert(
      fc.property(
        anyReport,
        fc.integer({ min: 60, max: 220 }),
        fc.constantFrom('table', 'wide'),
        fc.boolean(),
        (report, width, format, color) => {
          for (const line of print(report, format, { width, color }).split('\n')) {
            assert.ok(stringWidth(line) <= width, `${stringWidth(line)} columns: ${JSON.stringify(line)}`);
          }
        },
      ),
    );
  });

  it('keeps every verdict whole in any width from 60 on', () => {
    fc.assert(
      fc.property(anyReport, fc.integer({ min: 60, max: 220 }), (report, width) => {
        const [, ...lines] = print(report, 'wide', { width }).split('\n');
        for (const [index, { verdict, settling }] of report.items.entries()) {
          assert.ok(lines[index]?.includes(settling ? `${verdict} (settling)` : verdict));
        }
      }),
    );
  });
});

describe('the table in a pipe', () => {
  it('holds every name in full, one line a claim', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const [, ...lines] = print(report, 'wide').split('\n');
        assert.equal(lines.length, report.items.length === 0 ? 0 : report.items.length + 1);
        for (const [index, item] of report.items.entries()) {
          const { namespace, name } = item.virtualCluster;
          const shown = [
            `${namespace}/${name}`,
            item.tenant?.name,
            item.tenant?.volumeName,
            item.super?.volumeName,
          ];
          for (const text of shown) assert.ok(lines[index]?.includes(stripControl(text ?? '').trimEnd()));
        }
      }),
    );
  });
});
