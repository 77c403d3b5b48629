import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { certificateSource } from '../../../src/kube/credentials/client-certificate.ts';
import { tokenFileSource } from '../../../src/kube/credentials/token-file.ts';
import { NO_USER } from '../../../src/kube/kubeconfig/model.ts';
import { CERTIFICATE, KEY, OTHER_KEY } from './certificate.ts';

async function directory(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'token-file-'));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

function clock(): { now: () => number; pass: (milliseconds: number) => void } {
  let time = 1_000_000;
  return { now: () => time, pass: (milliseconds) => (time += milliseconds) };
}

test('a token file is read again within a minute, and at once after a 401', async (context) => {
  const path = join(await directory(context), 'token');
  const { now, pass } = clock();
  const source = tokenFileSource(path, '', { who: 'user "a"', now });
  await writeFile(path, ' first\n');
  assert.deepEqual(await source.current(), { authorization: 'Bearer first' });
  await writeFile(path, 'second');
  pass(49_000);
  assert.deepEqual(await source.current(), { authorization: 'Bearer first' });
  pass(1000);
  assert.deepEqual(await source.current(), { authorization: 'Bearer second' });
  await writeFile(path, 'third');
  assert.equal(source.invalidate(), true);
  assert.deepEqual(await source.current(), { authorization: 'Bearer third' });
});

test('the last token stays in use while its file cannot be read', async (context) => {
  const path = join(await directory(context), 'token');
  const { now, pass } = clock();
  const source = tokenFileSource(path, '', { who: 'user "a"', now });
  await writeFile(path, 'first');
  await source.current();
  await rm(path);
  pass(60_000);
  assert.deepEqual(await source.current(), { authorization: 'Bearer first' });
});

test('a token file that cannot be read says so, unless the kubeconfig has a token besides', async (context) => {
  const path = join(await directory(context), 'token');
  const dependencies = { who: 'user "a"', ...clock() };
  await assert.rejects(
    tokenFileSource(path, '', dependencies).current(),
    /^UserError: cannot read the token of user "a" from ".*": there is no such file$/,
  );
  assert.deepEqual(await tokenFileSource(path, 'other', dependencies).current(), {
    authorization: 'Bearer other',
  });
  await writeFile(path, '\n');
  await assert.rejects(tokenFileSource(path, '', dependencies).current(), /is empty$/);
  await writeFile(path, 'sec\nret');
  await assert.rejects(
    tokenFileSource(path, '', dependencies).current(),
    (error) =>
      error instanceof UserError && /line break/.test(error.message) && !error.message.includes('sec'),
  );
});

test('certificate files are read again after five minutes', async (context) => {
  const root = await directory(context);
  const { now, pass } = clock();
  const user = { ...NO_USER, clientCertificate: join(root, 'c.crt'), clientKey: join(root, 'c.key') };
  const source = certificateSource(user, { who: 'user "a"', now });
  await writeFile(user.clientCertificate, CERTIFICATE);
  await writeFile(user.clientKey, KEY);
  assert.deepEqual(await source?.current(), { clientCertificate: CERTIFICATE, clientKey: KEY });
  await writeFile(user.clientCertificate, `${CERTIFICATE}\n`);
  pass(299_000);
  assert.equal((await source?.current())?.clientCertificate, CERTIFICATE);
  pass(1000);
  assert.equal((await source?.current())?.clientCertificate, `${CERTIFICATE}\n`);
});

test('a key that does not belong to its certificate is refused, and never told', async () => {
  const user = { ...NO_USER, clientCertificateData: CERTIFICATE, clientKeyData: OTHER_KEY };
  const source = certificateSource(user, { who: 'user "a"', ...clock() });
  await assert.rejects(
    async () => source?.current(),
    (error) =>
      error instanceof UserError &&
      error.message.startsWith('cannot use the client certificate of user "a"') &&
      !error.message.includes('PRIVATE'),
  );
  assert.equal(source?.invalidate(), false);
});
