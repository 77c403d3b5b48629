import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { authProviderSource } from '../../../src/kube/credentials/auth-provider.ts';
import { CERTIFICATE, KEY } from './certificate.ts';

const NOW = Date.now();

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function idToken(issuer: string, expires: number, mark: string): string {
  const claims = {
    iss: issuer,
    aud: 'client',
    sub: mark,
    iat: Math.floor(NOW / 1000),
    exp: Math.floor(expires / 1000),
  };
  return `${part({ alg: 'RS256' })}.${part(claims)}.${Buffer.from(mark).toString('base64url')}`;
}

interface Issuer {
  readonly url: string;
  /** The bodies and Authorization headers of the token requests so far. */
  readonly requests: { body: string; authorization: string | undefined }[];
}

async function startIssuer(context: TestContext): Promise<Issuer> {
  const requests: Issuer['requests'] = [];
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/.well-known/openid-configuration') {
        response.end(
          JSON.stringify({
            issuer: url,
            token_endpoint: `${url}/token`,
            authorization_endpoint: `${url}/auth`,
            jwks_uri: `${url}/keys`,
          }),
        );
        return;
      }
      requests.push({ body, authorization: request.headers.authorization });
      const id_token = idToken(url, NOW + 3_600_000, `new${requests.length}`);
      response.end(
        JSON.stringify({
          access_token: 'a',
          token_type: 'Bearer',
          id_token,
          refresh_token: `refresh-${requests.length}`,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  context.after(() => server.close());
  return { url, requests };
}

function config(url: string, token: string): Record<string, string> {
  return {
    'idp-issuer-url': url,
    'client-id': 'client',
    'client-secret': 'secret',
    'id-token': token,
    'refresh-token': 'refresh-0',
    'idp-certificate-authority-data': Buffer.from(CERTIFICATE).toString('base64'),
  };
}

test('an ID token that is still valid is used as it is', async () => {
  const token = idToken('https://unreachable.invalid', NOW + 60_000, 'old');
  const provider = { name: 'oidc', config: config('https://unreachable.invalid', token) };
  assert.deepEqual(await authProviderSource(provider, { who: 'user "a"', now: () => NOW }).current(), {
    authorization: `Bearer ${token}`,
  });
});

test('an ID token about to expire is renewed at its issuer, once for all requests, with the newest refresh token', async (context) => {
  const { url, requests } = await startIssuer(context);
  let now = NOW;
  const provider = { name: 'oidc', config: config(url, idToken(url, NOW + 5000, 'old')) };
  const source = authProviderSource(provider, { who: 'user "a"', now: () => now });
  const both = await Promise.all([source.current(), source.current()]);
  const renewed = { authorization: `Bearer ${idToken(url, NOW + 3_600_000, 'new1')}` };
  assert.deepEqual(both, [renewed, renewed]);
  now = NOW + 3_600_000;
  await source.current();
  assert.deepEqual(
    requests.map(({ body }) => new URLSearchParams(body).get('refresh_token')),
    ['refresh-0', 'refresh-1'],
  );
  assert.equal(requests[0]?.authorization, `Basic ${Buffer.from('client:secret').toString('base64')}`);
});

test('an ID token that cannot be renewed says what to do', async (context) => {
  const { url } = await startIssuer(context);
  const who = { who: 'user "a"', now: () => NOW };
  const expired = config(url, idToken(url, NOW - 1, 'old'));
  const without = { name: 'oidc', config: { ...expired, 'refresh-token': '' } };
  await assert.rejects(
    authProviderSource(without, who).current(),
    /cannot renew the id-token of user "a": it has expired .* log in again$/,
  );
  const untrusted = { name: 'oidc', config: { ...expired, 'idp-certificate-authority-data': '' } };
  await assert.rejects(
    authProviderSource(untrusted, who).current(),
    /^UserError: cannot renew the id-token of user "a": issuer https:/,
  );
  assert.throws(
    () => authProviderSource({ name: 'oidc', config: { 'client-id': 'x' } }, who),
    /it has no idp-issuer-url$/,
  );
});
