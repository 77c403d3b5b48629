/** What is taken from a tenant's kubeconfig, and what is refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.ts';
import { inlineSettings } from '../../../src/virtualcluster/inline-settings.ts';
import { createAuthority } from '../../control-plane/certificates.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function kubeconfig(cluster: object, user: object, more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  });
}

const BROKEN_PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

const settingsOf = (text: string) => inlineSettings(text, 'Secret root/admin-kubeconfig', 'tenant a/b');

describe('a tenant kubeconfig', () => {
  test('with inline certificates is taken as it is', async () => {
    const authority = await createAuthority();
    const client = await authority.client('admin', ['system:masters']);
    const settings = settingsOf(
      kubeconfig(
        { 'certificate-authority-data': base64(authority.certificate) },
        { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) },
      ),
    );
    assert.equal(settings.certificateAuthority, authority.certificate);
    const credentials = await settings.credentials.current();
    assert.equal(credentials.clientCertificate, client.certificate);
    assert.equal(credentials.clientKey, client.key);
  });

  test('with a token gives a bearer token', async () => {
    const credentials = await settingsOf(kubeconfig({}, { token: 'secret-token' })).credentials.current();
    assert.equal(credentials.authorization, 'Bearer secret-token');
  });

  test('without current-context, its only context counts', () => {
    assert.equal(
      settingsOf(kubeconfig({}, { token: 't' }, { 'current-context': '' })).server,
      'https://10.0.0.1:6443',
    );
  });

  const SERVERS: readonly (readonly [string, string])[] = [
    [
      'https://[apiserver-svc.default-6177e3-vc-sample-1]:6443',
      'https://apiserver-svc.default-6177e3-vc-sample-1:6443',
    ],
    ['https://apiserver-svc.x:6443/', 'https://apiserver-svc.x:6443'],
    ['https://[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ];
  for (const [written, meant] of SERVERS) {
    test(`with server ${written} means ${meant}`, () => {
      assert.equal(settingsOf(kubeconfig({ server: written }, { token: 't' })).server, meant);
    });
  }

  const REFUSED: readonly (readonly [string, object, object, RegExp])[] = [
    [
      'an exec plugin',
      {},
      { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } },
      /holds an exec plugin/,
    ],
    ['an auth-provider', {}, { 'auth-provider': { name: 'oidc' } }, /holds an auth-provider/],
    ['a token file', {}, { tokenFile: '/etc/passwd' }, /holds a file path \(tokenFile\)/],
    ['a certificate file', {}, { 'client-certificate': '/x' }, /holds a file path \(client-certificate\)/],
    ['a key file', {}, { 'client-key': '/x' }, /holds a file path \(client-key\)/],
    ['a CA file', { 'certificate-authority': '/x' }, {}, /holds a file path \(certificate-authority\)/],
    ['a proxy', { 'proxy-url': 'http://evil:1' }, {}, /holds a proxy-url/],
    ['impersonation', {}, { token: 't', as: 'root' }, /holds impersonation/],
    ['impersonation of nobody but extra', {}, { token: 't', 'as-user-extra': { a: ['b'] } }, /impersonation/],
    ['impersonation of a uid', {}, { token: 't', 'as-uid': '1' }, /holds impersonation/],
    ['impersonation of groups', {}, { token: 't', 'as-groups': ['system:masters'] }, /holds impersonation/],
    ['no TLS verification', { 'insecure-skip-tls-verify': true }, {}, /holds insecure-skip-tls-verify/],
    ['a CA that is none', { 'certificate-authority-data': base64('x') }, {}, /cannot be read/],
    ['a broken CA', { 'certificate-authority-data': base64(BROKEN_PEM) }, {}, /cannot be read/],
    ['bad base64', { 'certificate-authority-data': 'x%' }, {}, /certificate-authority-data is not base64/],
    ['a name to check that is none', { 'tls-server-name': 'a b' }, {}, /tls-server-name is no host name/],
    ['a token and a password', {}, { token: 't', username: 'u' }, /exclude each other/],
    ['a key without its certificate', {}, { 'client-key-data': base64('x') }, /must both be there/],
    ['an empty query in the server', { server: 'https://10.0.0.1/?' }, { token: 't' }, /must be https/],
    ['a fragment in the server', { server: 'https://10.0.0.1/#' }, { token: 't' }, /must be https/],
    ['plain http', { server: 'http://10.0.0.1:80' }, { token: 't' }, /server must be https/],
    ['credentials in the server', { server: 'https://u:p@10.0.0.1' }, { token: 't' }, /server must be https/],
    ['a query in the server', { server: 'https://10.0.0.1/?x=1' }, { token: 't' }, /server must be https/],
    ['a server that is none', { server: 'https://' }, { token: 't' }, /is no URL/],
    ['a certificate without its key', {}, { 'client-certificate-data': base64('x') }, /must both be there/],
    [
      'a certificate that is none',
      {},
      { 'client-certificate-data': base64('x'), 'client-key-data': base64('y') },
      /cannot be read/,
    ],
  ];
  for (const [what, cluster, user, message] of REFUSED) {
    test(`with ${what} is refused in one line`, () => {
      assert.throws(
        () => settingsOf(kubeconfig(cluster, user)),
        (error: Error) => {
          assert.ok(error instanceof UserError);
          assert.match(error.message, message);
          assert.ok(!error.message.includes('\n'));
          return true;
        },
      );
    });
  }

  test('of any text is taken or refused with a UserError that keeps its secrets', () => {
    const secret = 'VERY-SECRET-5f1c';
    const value = fc.oneof(
      fc.constant(secret),
      fc.string(),
      fc.constant(null),
      fc.integer(),
      fc.constant([]),
    );
    const user = fc.dictionary(
      fc.constantFrom('token', 'password', 'client-key-data', 'username', 'tokenFile', 'exec', 'x'),
      value,
    );
    const cluster = fc.dictionary(
      fc.constantFrom('server', 'certificate-authority-data', 'tls-server-name'),
      fc.string(),
    );
    fc.assert(
      fc.property(cluster, user, (c, u) => {
        try {
          settingsOf(kubeconfig(c, u));
        } catch (error) {
          assert.ok(error instanceof UserError, String(error));
          assert.ok(!error.message.includes(secret), error.message);
        }
      }),
      { numRuns: 3000 },
    );
  });

  const LEAKS: readonly (readonly [string, string])[] = [
    ['an alias', 'users: [{name: u, user: {password: *VERY-SECRET}}]'],
    ['a tag', 'users: [{name: u, user: {password: !VERY-SECRET x}}]'],
    ['broken YAML', 'users:\n- token: "VERY-SECRET\n'],
    ['a server that is no URL', kubeconfig({ server: 'https://u:VERY-SECRET@ x' }, {})],
    ['a token with a line break', kubeconfig({}, { token: 'VERY-SECRET\n' })],
  ];
  for (const [what, text] of LEAKS) {
    test(`with ${what} is refused without a word of the secret in it`, () => {
      assert.throws(
        () => settingsOf(text),
        (error) => error instanceof UserError && !error.message.includes('VERY-SECRET'),
      );
    });
  }

  test('that would unfold to gigabytes, or nests without end, is refused at once', () => {
    const keys = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join(', ');
    for (const text of [`a: &a {${keys}}\nb:\n${'- {<<: *a}\n'.repeat(900)}`, '['.repeat(500_000)]) {
      assert.throws(() => settingsOf(text), UserError);
    }
  });

  test('of more than 1 MiB is refused', () => {
    assert.throws(() => settingsOf(`# ${'x'.repeat(1024 * 1024)}`), /a kubeconfig of more than 1 MiB/);
  });

  test('that is not even YAML is refused with a UserError', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.throws(() => settingsOf(text), UserError);
      }),
    );
  });
});
