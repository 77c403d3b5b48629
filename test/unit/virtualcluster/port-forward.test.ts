/**
 * The last way to a tenant: a port-forward through the super API server. There is no kubelet in the tests, so a fake
 * one speaks its protocol (v4.channel.k8s.io) and leads to a real TLS server.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { ApiConnection } from '../../../src/kube/connection.ts';
import type { ConnectionSettings } from '../../../src/kube/settings.ts';
import { portForwardStream } from '../../../src/virtualcluster/port-forward.ts';
import type { Socket } from '../../../src/virtualcluster/port-forward.ts';
import { reachable } from '../../../src/virtualcluster/reach.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import type { Authority } from '../../control-plane/certificates.ts';
import { freePort } from '../../control-plane/processes.ts';
import {
  PORT_FORWARD_PATH,
  ROOT,
  portOf,
  settingsOf,
  startFakeSuper,
  startTenant,
  stopAll,
} from './fake-super.ts';

describe('a port-forward', () => {
  test('reaches a tenant that nothing else leads to, its certificate checked by name', async (t) => {
    const authority = await createAuthority();
    const body = { kind: 'Status', message: 'x'.repeat(300_000) };
    const tenant = await startTenant(authority, [`apiserver-svc.${ROOT}`], body);
    t.after(() => stopAll([tenant], []));
    const { found, forwarded } = await search(t, authority, portOf(tenant));

    assert.deepEqual(await opened(t, found).getJson('/version'), body);
    assert.equal(forwarded[0], `${PORT_FORWARD_PATH}?ports=6443 Bearer t`);
    const { certificate } = await createAuthority();
    const wrongAuthority = opened(t, { ...found, certificateAuthority: certificate });
    await assert.rejects(wrongAuthority.getJson('/version'), /certificate/);
    const wrongName = opened(t, { ...found, tlsServerName: 'apiserver-svc.another' });
    await assert.rejects(wrongName.getJson('/version'), /apiserver-svc\.another/);
  });

  test('to a port where nothing listens fails with what the kubelet says', async (t) => {
    const { found } = await search(t, await createAuthority(), await freePort());
    await assert.rejects(
      opened(t, found).getJson('/version'),
      /port-forward to pod .*\/apiserver-0: error forwarding port: .*ECONNREFUSED/,
    );
  });
});

/** The settings that a search ends with where there is nothing but a port-forward, which leads to `target`. */
async function search(t: TestContext, authority: Authority, target: number) {
  const fake = await startFakeSuper({}, target);
  t.after(() => fake.stop());
  const settings = settingsOf(`https://apiserver-svc.${ROOT}:6443`, authority);
  const found = await reachable(settings, ROOT, fake.api, AbortSignal.timeout(20_000));
  return { found, forwarded: fake.forwarded };
}

function opened(t: TestContext, settings: ConnectionSettings): ApiConnection {
  const connection = new ApiConnection(settings);
  t.after(() => connection.close());
  return connection;
}

describe('the stream of a port-forward', () => {
  test('gives up on a server that never opens it', async () => {
    const { socket, closed } = socketOf();
    await assert.rejects(
      portForwardStream(socket, 'port-forward to pod a/b', 20),
      new UserError('port-forward to pod a/b: no answer within 0.02 s'),
    );
    assert.equal(closed(), 1);
  });

  test('is refused where the socket closes before it opens', async () => {
    const { socket, target } = socketOf();
    const opening = portForwardStream(socket, 'port-forward to pod a/b');
    target.dispatchEvent(new Event('close'));
    await assert.rejects(opening, new UserError('port-forward to pod a/b was refused'));
  });

  test('carries bytes both ways without the channel and the port', async () => {
    const { socket, target, sent, receive } = socketOf();
    const opening = portForwardStream(socket, 'p');
    target.dispatchEvent(new Event('open'));
    const stream = await opening;
    receive([0, 0x2b, 0x19]);
    receive([1, 0x2b, 0x19]);
    receive([0, 7, 8]);
    receive([9, 1, 2, 3]);
    receive([]);
    receive([0, 9]);
    target.dispatchEvent(new Event('close'));
    stream.write(Buffer.from([5, 6]));
    assert.deepEqual(Buffer.concat(await stream.toArray()), Buffer.from([7, 8, 9]));
    assert.deepEqual(sent, [Buffer.from([0, 5, 6])]);
  });

  test('ends with the error of the error channel, made fit for a terminal', async () => {
    const { socket, target, receive } = socketOf();
    const opening = portForwardStream(socket, 'p');
    target.dispatchEvent(new Event('open'));
    const stream = await opening;
    const failed = once(stream, 'error');
    receive([1, 0x2b, 0x19]);
    receive([1, ...Buffer.from('no\nsuch \u001b[31mport')]);
    assert.deepEqual(await failed, [new UserError('p: no such port')]);
  });
});

/** A socket whose events the test makes. */
function socketOf() {
  const target = new EventTarget();
  const sent: Buffer[] = [];
  let closes = 0;
  const socket: Socket = {
    binaryType: 'blob',
    send: (data) => void sent.push(Buffer.from(data)),
    close: () => {
      closes += 1;
    },
    addEventListener: target.addEventListener.bind(target) as Socket['addEventListener'],
  };
  const receive = (bytes: readonly number[]): void =>
    void target.dispatchEvent(new MessageEvent('message', { data: new Uint8Array(bytes).buffer }));
  return { socket, target, sent, closed: () => closes, receive };
}
