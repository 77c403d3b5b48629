/** What --metrics-bind-address takes and refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { parseBindAddress } from '../../../src/serve/bind-address.ts';

const parse = (text: string) => parseBindAddress(text, '--metrics-bind-address');

test('a host and a port, a port alone, an IPv6 address in brackets', () => {
  assert.deepEqual(parse('127.0.0.1:8080'), { host: '127.0.0.1', port: 8080 });
  assert.deepEqual(parse('localhost:0'), { host: 'localhost', port: 0 });
  assert.deepEqual(parse(':8080'), { host: null, port: 8080 });
  assert.deepEqual(parse('[::1]:9090'), { host: '::1', port: 9090 });
  assert.deepEqual(parse('[::]:65535'), { host: '::', port: 65535 });
});

test('0 and nothing mean off', () => {
  assert.equal(parse('0'), null);
  assert.equal(parse(''), null);
});

test('anything else is refused in one line that shows what can be given', () => {
  const wrong = [
    '8080',
    '127.0.0.1',
    '::1:8080',
    '[127.0.0.1]:80',
    ':65536',
    ':-1',
    ':',
    'a b:80',
    '[]:80',
    'x:\n1',
    'http://localhost:80',
  ];
  for (const text of wrong) {
    assert.throws(
      () => parse(text),
      (error) => {
        assert.ok(error instanceof UserError, text);
        assert.match(error.message, /^--metrics-bind-address=.*: give HOST:PORT, \[IPv6\]:PORT or :PORT/);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      },
      text,
    );
  }
});
