import assert from 'node:assert/strict';
import test from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { proxyFor } from '../../../src/kube/kubeconfig/proxy.ts';

const PROXY = 'http://proxy.example:3128';

test('NO_PROXY exempts servers by the rules of Go', () => {
  const table: [server: string, noProxy: string, proxied: boolean][] = [
    ['https://api.example.com:6443', '', true],
    ['https://api.example.com:6443', 'other.com', true],
    ['https://api.example.com:6443', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://example.com', '*.example.com', true],
    ['https://api.example.com', '*.example.com', false],
    ['https://API.Example.com', ' a.com , EXAMPLE.com ,', false],
    ['https://api.example.com:6443', 'example.com:6443', false],
    ['https://api.example.com:6443', 'example.com:443', true],
    ['https://api.example.com', 'example.com:443', false],
    ['https://api.example.com', '*', false],
    ['https://api.example.com', 'a.com,*,b.com', false],
    ['https://api.example.com', 'exam*', true],
    ['https://10.1.2.3:6443', '10.0.0.0/8', false],
    ['https://11.1.2.3:6443', '10.0.0.0/8', true],
    ['https://10.1.2.3:6443', '10.1.2.3', false],
    ['https://10.1.2.3:6443', '10.1.2.3:443', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
    ['https://10.1.2.3:6443', '10.0.0.0/99', true],
    ['https://10.1.2.3:6443', '2.3', true],
    ['https://[2001:db8::1]:6443', '2001:db8::/32', false],
    ['https://[2001:db8::1]:6443', '2001:db8:0::1', false],
    ['https://[2001:db8::1]:6443', '[2001:db8::1]:6443', false],
    ['https://[2001:db8::1]:6443', '[2001:db8::1]:443', true],
    ['https://[2001:db8::1]:6443', '::/0:1', true],
    ['https://bücher.example', 'bücher.example', false],
    ['https://localhost:6443', '', false],
    ['https://127.0.0.1:6443', '', false],
    ['https://127.9.9.9:6443', '', false],
    ['https://[::1]:6443', '', false],
    ['https://[::ffff:127.0.0.1]:6443', '', false],
    ['https://sub.localhost', '', true],
    ['https://api.example.com', ':443', true],
  ];
  for (const [server, noProxy, proxied] of table) {
    const proxy = proxyFor(server, '', 'c', { HTTPS_PROXY: PROXY, NO_PROXY: noProxy });
    assert.equal(proxy, proxied ? PROXY : null, `${server} with NO_PROXY=${noProxy}`);
  }
});

test('the scheme of the server says which variable counts, upper case before lower case', () => {
  const env = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2', http_proxy: 'c:3', HTTP_PROXY: '' };
  assert.equal(proxyFor('https://x.example', '', 'c', env), 'http://a:1');
  assert.equal(proxyFor('http://x.example', '', 'c', env), 'http://c:3');
  assert.equal(proxyFor('https://x.example', '', 'c', { ALL_PROXY: 'http://a:1' }), null);
  assert.equal(
    proxyFor('https://x.example', '', 'c', { https_proxy: 'http://b:2', no_proxy: 'example' }),
    null,
  );
});

test('HTTP_PROXY is not believed in a CGI program', () => {
  assert.equal(proxyFor('http://x.example', '', 'c', { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' }), null);
  assert.equal(proxyFor('https://x.example', '', 'c', { HTTPS_PROXY: PROXY, REQUEST_METHOD: 'GET' }), PROXY);
});

test("a cluster's proxy-url counts before the environment, and NO_PROXY does not touch it", () => {
  const env = { HTTPS_PROXY: PROXY, NO_PROXY: '*' };
  assert.equal(proxyFor('https://x.example', 'socks5://s:1080', 'c', env), 'socks5://s:1080');
  assert.equal(proxyFor('https://127.0.0.1', 'socks5h://s:1080', 'c', env), 'socks5h://s:1080');
});

test('a proxy of another scheme, or none, is refused without telling its password', () => {
  for (const address of ['ftp://user:secret@proxy:21', 'proxy', 'http://', 'https://user:secret@:x']) {
    assert.throws(
      () => proxyFor('https://x.example', address, 'context "a"', {}),
      (error) =>
        error instanceof UserError &&
        error.message.startsWith('cannot use proxy-url of context "a"') &&
        !error.message.includes('secret'),
      address,
    );
  }
  assert.throws(
    () => proxyFor('https://x.example', '', 'c', { HTTPS_PROXY: 'ftp://p' }),
    /^UserError: cannot use HTTPS_PROXY: its scheme is "ftp"/,
  );
});
