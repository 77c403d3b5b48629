import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { parseOutputFormat } from '../../../src/output/format.ts';
import { printReport } from '../../../src/output/print-report.ts';
import { NOW, REPORT, reportOf } from './reports.ts';

function print(template: string, report = REPORT): string {
  const options = { headers: true, sortBy: null, color: false, width: null, now: NOW };
  return printReport(report, { format: parseOutputFormat(`jsonpath=${template}`), ...options });
}

/** What client-go v0.37.2 util/jsonpath prints for the same template and report, missing keys allowed. */
const AS_KUBECTL: readonly (readonly [template: string, printed: string])[] = [
  ['{.kind}', 'ClaimReport'],
  ['{$.kind}{@.kind}', 'ClaimReportClaimReport'],
  ['{ .kind }', 'ClaimReport'],
  ["{['kind']}", 'ClaimReport'],
  ['kind: {.kind}!', 'kind: ClaimReport!'],
  ['{.items[*].verdict}', 'SuperNotBound SuperMissing SuperOrphan'],
  ['{.items[0].verdict}', 'SuperNotBound'],
  ['{.items[-1].verdict}', 'SuperOrphan'],
  ['{.items[-2].verdict}', 'SuperMissing'],
  ['{.items[0:2].verdict}', 'SuperNotBound SuperMissing'],
  ['{.items[::2].verdict}', 'SuperNotBound SuperOrphan'],
  ['{.items[-2:].verdict}', 'SuperMissing SuperOrphan'],
  ['{.items[0, 2].verdict}', 'SuperNotBound SuperOrphan'],
  ["{.items[0]['verdict','action']}", 'SuperNotBound SetPhase'],
  [
    '{range .items[*]}{.verdict}{"\\t"}{.cause.code}{"\\n"}{end}',
    'SuperNotBound\tClaimRefStale\nSuperMissing\tSuperNamespaceMissing\nSuperOrphan\t\n',
  ],
  [
    '{range .items[*]}{.tenant.name}{range .virtualCluster} <{.name}>{end}{"\\n"}{end}',
    'db-0 <vc-sample-1>\ndb-1 <staging>\n <staging>\n',
  ],
  ['{range .skipped[*]}x{end}y', 'y'],
  ['{range .items[*]}{.verdict}', 'SuperNotBoundSuperMissingSuperOrphan'],
  ['{range .items[*].verdict}{@}{";"}{end}', 'SuperNotBound;SuperMissing;SuperOrphan;'],
  ['{.items[?(@.verdict=="SuperMissing")].tenant.name}', 'db-1'],
  ["{.items[?( @.verdict != 'SuperMissing' )].verdict}", 'SuperNotBound SuperOrphan'],
  ['{.items[?(.verdict=="SuperMissing")].tenant.name}', 'db-1'],
  ['{.items[?(@.cause.code=="ClaimRefStale")].tenant.name}', 'db-0'],
  ['{.items[?(@.tenant.phase=="Bound")].tenant.name}', 'db-0 db-1'],
  ['{.items[?(@.settling==true)].tenant.name}', 'db-1'],
  ['{.items[?(@.settling)].verdict}', 'SuperNotBound SuperMissing SuperOrphan'],
  ['{.items[?(@.verdict=="a)]b")].verdict}', ''],
  ['{.items[*].virtualCluster..name}', 'vc-sample-1 staging staging'],
  ['{.items[0].cause}', '{"code":"ClaimRefStale","message":"volume pv-1 names another uid"}'],
  ['{.items[2].cause}', 'null'],
  ['{.summary.claims}', '12'],
  ['{.nope.more}', ''],
  ['{true}{1}{1.5}{-1}', 'true11.5-1'],
];

describe('-o jsonpath', () => {
  for (const [template, printed] of AS_KUBECTL) {
    it(`prints for ${template} what kubectl prints`, () => {
      assert.equal(print(template), printed);
    });
  }

  it('takes a path without braces', () => {
    assert.equal(print('.items[*].verdict'), 'SuperNotBound SuperMissing SuperOrphan');
    assert.equal(print('summary.claims'), '12');
  });

  it('takes an escaped dot and a quoted key as one name', () => {
    assert.equal(print(String.raw`{.items\.x}{['items.x']}`), '');
    assert.equal(print(String.raw`{.summar\y.claims}{.summary['claims']}`), '1212');
  });

  it('prints nothing for an index that does not exist, so that an empty report is no error', () => {
    assert.equal(print('{.items[0].verdict}', reportOf([])), '');
    assert.equal(print('{.items[7]}{.items[-7]}{.items[1:9].verdict}'), 'SuperMissing SuperOrphan');
  });

  it('counts null as missing in a filter', () => {
    assert.equal(print('{.items[?(@.cause)].verdict}'), 'SuperNotBound SuperMissing');
    assert.equal(print('{.items[?(@.action=="SetPhase")].verdict}'), 'SuperNotBound');
  });

  it('finds only what a report holds, never what its objects inherit', () => {
    assert.equal(print('{.constructor}{.__proto__}{.items.length}{.kind.length}'), '');
  });

  it('never runs an expression', () => {
    for (const code of ['process.exit(9)', '(() => 1)()', '@.constructor.constructor("return 1")()']) {
      assert.throws(() => print(`{.items[?(${code})]}`), UserError);
      assert.throws(() => print(`{.items[(${code})]}`), UserError);
    }
  });

  it('takes what a terminal would obey out of the data, not out of the template', () => {
    const evil = reportOf([], { errors: [{ virtualCluster: null, message: 'a\u001b[31mb\u202e' }] });
    assert.equal(print('{"\\x1b[1m"}{.errors[0].message}', evil), '\u001b[1mab');
    assert.equal(print('{.errors[0]}', evil), '{"virtualCluster":null,"message":"a\\u001b[31mb\\u202e"}');
  });

  for (const [template, why] of [
    ['{.kind', /unclosed brace at character 1$/],
    ['{.items[}', /is expected at character 9$/],
    ['{.items[x]}', /is expected at character 9$/],
    ['{.items[0:1:0]}', /is expected at character 9$/],
    ['{.items[?(@.x}', /"\)\]" is missing at character 14$/],
    ['{.items[?(@.x=~"a")]}', /unknown operator = at character 15$/],
    ['{.items[?(@.x==)]}', /nothing stands after == at character 16$/],
    ['{"abc}', /unclosed quote at character 2$/],
    ['a{end}', /\{end\} without \{range\} at character 2$/],
    ['{foo}', /unexpected "f" \(a field begins with a dot\) at character 2$/],
    ['{.kind[0]}', /"ClaimReport" is not a list/],
    ['{.summary[?(@.claims>1)]}', /is not a list and cannot be filtered$/],
    ['{.items[?(@.settling=="x")]}', /cannot compare false == "x"$/],
    ['{.items[?(@.virtualCluster.*=="x")]}', /can only compare one value with one value$/],
  ] as const) {
    it(`refuses ${template} in one line that says what is wrong`, () => {
      assert.throws(
        () => print(template),
        (error) => {
          assert.ok(error instanceof UserError);
          assert.match(error.message, why);
          return !error.message.includes('\n');
        },
      );
    });
  }
});
