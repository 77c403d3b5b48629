import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Takes connections, and never says a word. */
export class SilentServer {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => void this.#sockets.delete(socket));
  });

  static async start(): Promise<SilentServer> {
    const silent = new SilentServer();
    await new Promise<void>((resolve) => silent.#server.listen(0, '127.0.0.1', resolve));
    return silent;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections. */
  get open(): number {
    return this.#sockets.size;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
