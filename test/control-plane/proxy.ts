/**
 * Fakes of what stands between the program and a real API server, whose faults can be switched while they run: a
 * network (bytes, TLS untouched) and a gateway (HTTP, with a certificate of its own).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent, createServer as createHttpsServer, request as forward } from 'node:https';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from './control-plane.ts';

/**
 * pass: as it should be. stall: what either side sends is taken and never delivered, on the same connection not even
 * later, as where a router has forgotten it. drip: the server's bytes arrive a few at a time. refuse: every new
 * connection is reset as soon as it is open.
 */
export type NetworkFault = 'pass' | 'stall' | 'drip' | 'refuse';

const DRIP = { bytes: 7, every: 2 };

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  /** Something was lost on it: whatever came later would make no sense. */
  lost: boolean;
}

export class FakeNetwork {
  readonly port: number;
  fault: NetworkFault = 'pass';
  /** Connections that were opened through it so far. */
  opened = 0;
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  /** How many of the server's bytes still pass before every connection is cut; null for no limit. */
  #left: number | null = null;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near: Socket) => this.#open(near, target));
  }

  /** @param target a port of this machine */
  static async start(target: number): Promise<FakeNetwork> {
    const server = createServer({ noDelay: true });
    await listen(server);
    return new FakeNetwork(server, target);
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#lines.size;
  }

  /** Ends all connections, as a restarted router does. */
  cut(): void {
    for (const { near, far } of this.#lines) {
      near.destroy();
      far.destroy();
    }
  }

  /** Resets all connections (TCP RST). */
  reset(): void {
    for (const { near, far } of this.#lines) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Cuts all connections once the server has sent so many bytes more: in the middle of a frame, most often. */
  cutAfter(bytes: number): void {
    this.#left = bytes;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #open(near: Socket, target: number): void {
    this.opened += 1;
    near.on('error', () => {});
    if (this.fault === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true }).on('error', () => {});
    const line: Line = { near, far, lost: false };
    this.#lines.add(line);
    const ended = (): void => {
      this.#lines.delete(line);
      near.destroy();
      far.destroy();
    };
    near.on('close', ended);
    far.on('close', ended);
    near.on('data', (bytes: Buffer) => {
      if (this.#loses(line)) return;
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => void this.#deliver(line, bytes));
  }

  #loses(line: Line): boolean {
    line.lost ||= this.fault === 'stall';
    return line.lost;
  }

  async #deliver(line: Line, bytes: Buffer): Promise<void> {
    const { near, far } = line;
    if (this.#loses(line)) return;
    if (this.#left !== null) {
      this.#left -= bytes.length;
      if (this.#left <= 0) {
        const rest = bytes.subarray(0, bytes.length + this.#left);
        this.#left = null;
        near.end(rest, () => this.cut());
        return;
      }
    }
    if (this.fault === 'pass') {
      near.write(bytes);
      return;
    }
    far.pause();
    for (let start = 0; start < bytes.length && !near.destroyed; start += DRIP.bytes) {
      near.write(bytes.subarray(start, start + DRIP.bytes));
      await delay(DRIP.every);
    }
    far.resume();
  }
}

/** What a gateway answers in the API server's place. */
export interface Refusal {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A metav1.Status reason. */
  readonly reason?: string;
}

/** Ends TLS itself and asks the API server as administrator, whoever asks it. */
export class FakeGateway {
  readonly port: number;
  /** null: every request is passed on. */
  refuse: ((path: string) => Refusal | null) | null = null;
  /** Requests that were refused so far. */
  refused = 0;
  /** Told of each request, refused or not. @param path with its query */
  heard: (method: string, path: string) => void = () => {};
  readonly #server: Server;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, agent: Agent, target: number) {
    this.#server = server;
    this.#agent = agent;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response, target),
    );
  }

  /** @param http2 false: it speaks HTTP/1.1 only */
  static async start(plane: ControlPlane, http2 = true): Promise<FakeGateway> {
    const [{ certificate, key }, admin] = await Promise.all([
      plane.authority.server(['127.0.0.1']),
      plane.authority.client('admin', ['system:masters']),
    ]);
    const tls = { cert: certificate, key };
    const server = http2 ? createSecureServer({ ...tls, allowHTTP1: true }) : createHttpsServer(tls);
    await listen(server);
    const agent = new Agent({
      ca: plane.authority.certificate,
      cert: admin.certificate,
      key: admin.key,
      keepAlive: true,
    });
    return new FakeGateway(server, agent, plane.port);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, target: number): void {
    this.heard(request.method ?? '', request.url ?? '');
    const refusal = this.refuse?.(request.url ?? '') ?? null;
    if (refusal !== null) {
      this.refused += 1;
      const { code, headers = {}, reason = '' } = refusal;
      response.writeHead(code, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', code, reason, message: 'refused' }));
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && name !== 'host'),
    );
    const upstream = forward(
      {
        host: '127.0.0.1',
        port: target,
        method: request.method,
        path: request.url,
        headers,
        agent: this.#agent,
      },
      (answer) => {
        const { connection: _c, 'transfer-encoding': _t, 'keep-alive': _k, ...passed } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, passed);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}
