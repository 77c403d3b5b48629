import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, nanosOf } from '../../../src/reconcile/quantity.ts';

const SIZES: readonly (readonly [string, bigint | null])[] = [
  ['', 0n],
  ['0', 0n],
  ['10', 10n],
  ['1Ki', 1024n],
  ['1Gi', 1_073_741_824n],
  ['1.5Gi', 1_610_612_736n],
  ['1G', 1_000_000_000n],
  ['1E', 1_000_000_000_000_000_000n],
  ['1e3', 1000n],
  ['1E3', 1000n],
  ['15e-1', 2n],
  ['1500m', 2n],
  ['1n', 1n],
  ['.5', 1n],
  ['5.', 5n],
  ['+7', 7n],
  ['-1500m', -2n],
  ['8Ei', 9_223_372_036_854_775_808n],
  ['ten', null],
  ['.', null],
  ['1KiB', null],
];

for (const [text, bytes] of SIZES) {
  test(`the quantity "${text}" is ${bytes === null ? 'none' : `${bytes} bytes`}`, () => {
    assert.equal(bytesOf(text), bytes);
  });
}

const EXACT: readonly (readonly [string, bigint | null])[] = [
  ['', 0n],
  ['1', 1_000_000_000n],
  ['1073741823500m', 1_073_741_823_500_000_000n],
  ['1n', 1n],
  ['0.1n', 1n],
  ['-1.5', -1_500_000_000n],
  ['1Ki', 1_024_000_000_000n],
  ['ten', null],
];

for (const [text, nanos] of EXACT) {
  test(`the quantity "${text}" is exactly ${nanos === null ? 'none' : `${nanos} billionths`}`, () => {
    assert.equal(nanosOf(text), nanos);
  });
}
