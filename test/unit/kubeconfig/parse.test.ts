import assert from 'node:assert/strict';
import test from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { parseKubeconfigText } from '../../../src/kube/kubeconfig/parse.ts';

const SOURCE = 'kubeconfig "x"';

function refusal(text: string): string {
  try {
    parseKubeconfigText(text, SOURCE);
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error.message;
  }
  return assert.fail('it was accepted');
}

test('a text without content is a config without entries', () => {
  for (const text of ['', '\n', '# comment', '---\n', '--- # comment\n# more\n', 'null', '{}']) {
    const config = parseKubeconfigText(text, SOURCE);
    assert.deepEqual(
      [config.clusters.size, config.users.size, config.contexts.size, config.currentContext],
      [0, 0, 0, ''],
    );
  }
});

test('only the first document is read, as kubectl does', () => {
  const config = parseKubeconfigText('---\ncurrent-context: a\n---\ncurrent-context: [broken\n', SOURCE);
  assert.equal(config.currentContext, 'a');
});

test('broken YAML is told with its line and without its content', () => {
  const message = refusal('users:\n- name: a\n  user:\n    token: secret-token\n  broken: [\n');
  assert.match(message, /^cannot read kubeconfig "x": line \d+: /);
  assert.doesNotMatch(message, /secret|\n/);
});

test('a wrong type is told by the place of the field, never by its value', () => {
  assert.equal(
    refusal('users:\n- name: a\n  user: {token: 424242}\n'),
    'cannot read kubeconfig "x": users[0].user.token must be a string (put it in quotes), not a number',
  );
  assert.equal(refusal('clusters: {}'), 'cannot read kubeconfig "x": clusters must be a list, not an object');
  assert.equal(refusal('text'), 'cannot read kubeconfig "x": the file must be an object, not a string');
  assert.match(
    refusal('clusters: [{cluster: {insecure-skip-tls-verify: "yes"}}]'),
    /must be true or false, not a string/,
  );
  assert.match(
    refusal('users: [{user: {client-key-data: "c2VjcmV0*"}}]'),
    /users\[0\]\.user\.client-key-data is not base64$/,
  );
});

test('a name that stands twice in one file is refused', () => {
  assert.match(refusal('clusters: [{name: a}, {name: a}]'), /clusters\[1\]: the name "a" stands twice/);
  assert.match(refusal('users: [{}, {}]'), /users\[1\]: the name "" stands twice/);
});

test('another kind of object is refused', () => {
  assert.match(refusal('kind: Secret\napiVersion: v1\n'), /it is a "Secret" of "v1", not a "Config" of "v1"/);
});

test('names of Object.prototype are names like any other', () => {
  const config = parseKubeconfigText(
    '{"users":[{"name":"__proto__","user":{"as-user-extra":{"__proto__":["x"]}}}]}',
    SOURCE,
  );
  assert.deepEqual(Object.keys(config.users.get('__proto__')?.impersonateUserExtra ?? {}), ['__proto__']);
  assert.equal(config.clusters.has('constructor'), false);
});

test('a chain of aliases that would grow without end is refused', () => {
  const levels = Array.from(
    { length: 200 },
    (_, level) =>
      `l${level + 1}: &l${level + 1} [${'*l' + level + ',*l' + level + ',*l' + level + ',*l' + level + ',*l' + level + ',*l' + level}]`,
  );
  assert.match(refusal(['l0: &l0 x', ...levels].join('\n')), /^cannot read kubeconfig "x"/);
});

test('a key may be any scalar except null', () => {
  assert.equal(parseKubeconfigText('1: 2\ntrue: 3\ncurrent-context: a\n', SOURCE).currentContext, 'a');
  assert.match(
    refusal('current-context: a\nnull: 4\n'),
    /^cannot read kubeconfig "x": line 2: a key is null/,
  );
});
