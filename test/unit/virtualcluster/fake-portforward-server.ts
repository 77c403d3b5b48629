/**
 * A FAKE of what a kubelet and its container runtime do for a port-forward over WebSocket (no real kubelet runs in the
 * tests): k8s.io/cri-streaming pkg/streaming/portforward/websocket.go, channel 0 for data, channel 1 for errors, the
 * first message of each the port in two bytes, little endian.
 */
import { connect } from 'node:net';
import type { Server } from 'node:https';
import { WebSocketServer } from 'ws';

/**
 * Answers every WebSocket that is opened at the server by leading it to a local TCP port.
 * @param target a port of 127.0.0.1, whatever port is asked for
 * @returns a list that grows: of each WebSocket the path with its query, and the Authorization header
 */
export function fakePortForward(server: Server, target: number): string[] {
  const asked: string[] = [];
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v4.channel.k8s.io' });
  sockets.on('connection', (socket, request) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    const port = Buffer.alloc(2);
    port.writeUInt16LE(Number(/ports?=(\d+)/.exec(request.url ?? '')?.[1] ?? 0));
    for (const channel of [0, 1]) socket.send(Buffer.concat([Buffer.of(channel), port]));
    const onward = connect(target, '127.0.0.1');
    onward.on('data', (data: Buffer) => socket.send(Buffer.concat([Buffer.of(0), data])));
    onward.on('error', (error) =>
      socket.send(Buffer.concat([Buffer.of(1), Buffer.from(`error forwarding port: ${error.message}`)])),
    );
    onward.on('close', () => socket.close());
    socket.on('message', (data: Buffer) => onward.write(data.subarray(1)));
    socket.on('close', () => onward.destroy());
  });
  return asked;
}
