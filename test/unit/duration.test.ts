import assert from 'node:assert/strict';
import test from 'node:test';
import { UserError } from '../../src/errors.ts';
import { parseDuration } from '../../src/duration.ts';

test('--request-timeout takes seconds and Go durations', () => {
  const table: [string, number][] = [
    ['0', 0],
    ['0s', 0],
    ['30', 30_000],
    ['+5', 5000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['250ms', 250],
    ['1ns', 1],
    ['1500µs', 2],
    ['99999h', 2 ** 31 - 1],
  ];
  for (const [text, milliseconds] of table)
    assert.equal(parseDuration(text, '--request-timeout'), milliseconds, text);
});

test('--request-timeout refuses what is no time', () => {
  for (const text of ['', '-1', '-5s', 'soon', '1.5', '5d', '1m 30s', 's', '10 ', '1_000', '٣']) {
    assert.throws(() => parseDuration(text, '--request-timeout'), UserError, text);
  }
});
