/** A fake API server: for answers that a real one cannot be made to give on demand. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionSettings } from './connection-settings.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FakeApiServer {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  readonly connection: ApiConnection;
  readonly close: () => Promise<void>;
}

/** Serves `answer` on a free port of this machine, without TLS. */
export async function fakeApiServer(answer: Answer, requestTimeout = 0): Promise<FakeApiServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const connection = new ApiConnection(connectionSettings(url, { description: 'the fake', requestTimeout }));
  return {
    url,
    requests,
    connection,
    close: async () => {
      await connection.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
