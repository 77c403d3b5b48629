import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { load } from 'js-yaml';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { printReport } from '../../../src/output/print-report.ts';
import type { ClaimReport } from '../../../src/reconcile/report.ts';
import { NOW, REPORT, anyReport, reportOf } from './reports.ts';

function print(report: ClaimReport, format: string): string {
  const options = { headers: true, sortBy: null, color: true, width: 60, now: NOW };
  return printReport(report, { format: parseOutputFormat(format), ...options });
}

/** Whatever a terminal obeys or hides, line breaks aside. */
const OBEYED = /(?!\n)[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

describe('-o json and -o yaml', () => {
  it('print the whole report, JSON indented by four as kubectl does', () => {
    assert.deepEqual(JSON.parse(print(REPORT, 'json')), REPORT);
    assert.deepEqual(load(print(REPORT, 'yaml')), REPORT);
    assert.ok(print(REPORT, 'json').startsWith('{\n    "apiVersion": "vc-pvc.tenancy.x-k8s.io/v1alpha1",\n'));
    assert.ok(
      print(REPORT, 'yaml').startsWith('apiVersion: vc-pvc.tenancy.x-k8s.io/v1alpha1\nkind: ClaimReport\n'),
    );
  });

  it('are read back unchanged, whatever a name or message holds', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        // Through JSON, so that fast-check's objects without a prototype compare as plain ones.
        const plain: unknown = JSON.parse(JSON.stringify(report));
        assert.deepEqual(JSON.parse(print(report, 'json')), plain);
        assert.deepEqual(load(print(report, 'yaml')), plain);
      }),
    );
  });

  it('hold nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        assert.doesNotMatch(print(report, 'json'), OBEYED);
        assert.doesNotMatch(print(report, 'yaml'), OBEYED);
      }),
    );
    const message = 'left \u202e right \u009b31m';
    const report = reportOf([], { errors: [{ virtualCluster: null, message }] });
    assert.ok(print(report, 'json').includes(String.raw`left \u202e right \u009b31m`));
    assert.ok(print(report, 'yaml').includes(String.raw`left \u202e right`));
  });
});

describe('tag characters, which spell text that nobody sees', () => {
  const message = 'a\u{e0041}b\u{e007f}c';
  const report = reportOf([], { errors: [{ virtualCluster: null, message }] });

  it('are escaped as JSON escapes what lies beyond U+FFFF, and read back unchanged', () => {
    const json = print(report, 'json');
    assert.ok(json.includes(String.raw`a\udb40\udc41b\udb40\udc7fc`), json);
    assert.deepEqual(JSON.parse(json), report);
  });

  it('are escaped whole in YAML, and read back unchanged', () => {
    const yaml = print(report, 'yaml');
    assert.ok(yaml.includes(String.raw`a\U000e0041b\U000e007fc`), yaml);
    assert.deepEqual(load(yaml), report);
  });
});

describe('-o name', () => {
  it('prints one path a claim, from the VirtualCluster down', () => {
    assert.equal(
      print(REPORT, 'name'),
      'default/vc-sample-1/shop/db-0\nteam-b/staging/shop/db-1\nteam-b/staging/vc-2-shop/ghost\n',
    );
  });
});
