import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { renderScreen } from '../../../src/output/watch-screen.ts';
import type { ScreenView, TenantLine } from '../../../src/output/watch-screen.ts';
import { healthOf, itemOf, rowOf } from '../../support/watch-rows.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const VIEW: ScreenView = {
  superCluster: 'https://super.example:6443',
  superUp: true,
  tenants: [],
  starting: false,
  sync: false,
  wide: false,
};

function lines(view: Partial<ScreenView>, width = 120, height = 24, color = false): string[] {
  return renderScreen({ ...VIEW, ...view }, { width, height, color, now: NOW });
}

function tenantOf(name: string, parts: Partial<TenantLine> & { readonly error?: string } = {}): TenantLine {
  const { error = '', ...more } = parts;
  return {
    health: healthOf({
      virtualCluster: { namespace: 'team', name },
      state: error === '' ? 'up' : 'down',
      error,
    }),
    claims: 3,
    rows: [],
    silent: 1_500,
    ...more,
  };
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('\x1b[31mred', 'a\nb', '', '漢字'.repeat(20), 'a-very-long-name-'.repeat(6)),
);
const row = fc
  .record({
    name: text,
    verdict: fc.constantFrom('SuperNotBound' as const, 'Held' as const, 'VolumeMismatch' as const),
    outcome: fc.constantFrom(null, 'Held' as const, 'Contested' as const),
    message: text,
  })
  .map(({ name, verdict, outcome, message }) => ({ item: itemOf(name, { verdict }), outcome, message }));
const tenant = fc
  .record({
    name: text,
    state: fc.constantFrom('starting' as const, 'up' as const, 'down' as const),
    error: text,
    claims: fc.nat(),
    rows: fc.array(row, { maxLength: 6 }),
    silent: fc.option(fc.nat()),
  })
  .map(({ name, state, error, ...more }) => ({
    ...more,
    health: healthOf({ virtualCluster: { namespace: 'team', name }, state, error }),
  }));
const view: fc.Arbitrary<ScreenView> = fc.record({
  superCluster: text,
  superUp: fc.boolean(),
  tenants: fc.array(tenant, { maxLength: 12 }),
  starting: fc.boolean(),
  sync: fc.boolean(),
  wide: fc.boolean(),
});

test('on a terminal of any size no line is too wide, none too many, and none does more than be shown', () => {
  fc.assert(
    fc.property(
      view,
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 100 }),
      fc.boolean(),
      (seen, width, height, color) => {
        const screen = lines(seen, width, height, color);
        assert.ok(screen.length <= height, `${screen.length} lines of ${height}`);
        for (const line of screen) {
          // oxlint-disable-next-line no-control-regex
          const unpainted = line.replaceAll(/\x1b\[\d+m/g, '');
          assert.equal(stripVTControlCharacters(unpainted), unpainted, JSON.stringify(line));
          assert.doesNotMatch(unpainted, /[\r\n]/);
          assert.ok(stringWidth(unpainted) <= width, `${stringWidth(unpainted)} of ${width}: ${line}`);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('tenants that cannot be reached come first, then those with the most mismatches', () => {
  const screen = lines({
    tenants: [
      tenantOf('calm'),
      tenantOf('one', { rows: [rowOf('a')] }),
      tenantOf('down', { error: 'connection refused' }),
      tenantOf('two', { rows: [rowOf('a'), rowOf('b')] }),
    ],
  });
  const order = screen.flatMap((line) => /^team\/(\w+)/.exec(line)?.[1] ?? []);
  assert.deepEqual(order.slice(0, 4), ['down', 'two', 'one', 'calm']);
  assert.match(screen.join('\n'), /team\/down +down .*connection refused/);
  assert.match(screen[1] ?? '', /^4 VirtualClusters, 1 not reached, 12 claims, 3 mismatches$/);
});

test('mismatches come before what is held', () => {
  const held = rowOf('held', { item: itemOf('a-held', { verdict: 'Held' }) });
  const screen = lines({ tenants: [tenantOf('vc', { rows: [held, rowOf('wrong')] })] });
  const claims = screen.flatMap((line) => /shop +(\S+)/.exec(line)?.[1] ?? []);
  assert.deepEqual(claims, ['wrong', 'a-held']);
});

test('what there is no room for is counted', () => {
  const many = Array.from({ length: 50 }, (_, index) => rowOf(`claim-${index}`));
  const screen = lines({ tenants: [tenantOf('vc', { rows: many })] }, 120, 20);
  const shown = screen.filter((line) => line.includes('claim-')).length;
  assert.ok(shown > 5, screen.join('\n'));
  assert.equal(screen.at(-1), `… and ${50 - shown} more claims`);
});

test('a super cluster that cannot be reached is said so, a fleet without mismatch too', () => {
  assert.match(lines({ superUp: false })[0] ?? '', /\(not reached\)$/);
  assert.ok(lines({ tenants: [tenantOf('vc')] }).includes('Nothing is mismatched.'));
  assert.ok(lines({}).includes('No VirtualCluster is Running here.'));
  assert.ok(lines({ starting: true }).includes('Reading claims…'));
});
