/** A FAKE super API server over real TLS: a few objects as JSON, everything else as its test says. */
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ApiConnection } from '../../../src/kube/connection.ts';
import type { ConnectionSettings } from '../../../src/kube/settings.ts';
import { createAuthority } from '../../control-plane/certificates.ts';
import type { Authority } from '../../control-plane/certificates.ts';
import { connectionSettings } from '../../support/connection-settings.ts';
import { fakePortForward } from './fake-portforward-server.ts';

export const ROOT = 'default-6177e3-vc-sample-1';
export const SERVICE_PATH = `/api/v1/namespaces/${ROOT}/services/apiserver-svc`;
export const PORT_FORWARD_PATH = `/api/v1/namespaces/${ROOT}/pods/apiserver-0/portforward`;

export interface FakeSuper {
  readonly api: ApiConnection;
  /** Every path that was asked for, with its query. */
  readonly asked: string[];
  /** Every port-forward that was opened, with its Authorization header. */
  readonly forwarded: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * @param objects by path without a query; a number is an HTTP code to fail with, a missing one is 404
 * @param target where a port-forward leads, null to refuse every one
 */
export async function startFakeSuper(
  objects: Readonly<Record<string, unknown>>,
  target: number | null = null,
): Promise<FakeSuper> {
  const authority = await createAuthority();
  const asked: string[] = [];
  const server = await tlsServer(authority, ['127.0.0.1'], (path) => {
    asked.push(path);
    return objects[path.split('?')[0] ?? ''] ?? 404;
  });
  const forwarded = target === null ? [] : fakePortForward(server, target);
  if (target === null)
    server.on('upgrade', (_request, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  const api = new ApiConnection(settingsOf(`https://127.0.0.1:${portOf(server)}`, authority));
  return { api, asked, forwarded, stop: () => stopAll([server], [api]) };
}

/** A tenant's API server, for any GET. */
export function startTenant(authority: Authority, names: readonly string[], body: unknown): Promise<Server> {
  return tlsServer(authority, names, () => body);
}

/** @param answer the object for a path, or an HTTP code to fail with */
async function tlsServer(
  authority: Authority,
  names: readonly string[],
  answer: (path: string) => unknown,
): Promise<Server> {
  const { certificate, key } = await authority.server(names);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const found = answer(request.url ?? '');
    const code = typeof found === 'number' ? found : 200;
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(typeof found === 'number' ? { message: `refused with ${code}` } : found));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Ends everything, open connections too. */
export async function stopAll(
  servers: readonly Server[],
  connections: readonly ApiConnection[],
): Promise<void> {
  for (const connection of connections) await connection.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
}

/** With the token "t". */
export function settingsOf(server: string, authority: Authority): ConnectionSettings {
  return connectionSettings(server, {
    certificateAuthority: authority.certificate,
    credentials: { current: () => Promise.resolve({ authorization: 'Bearer t' }), invalidate: () => false },
  });
}
