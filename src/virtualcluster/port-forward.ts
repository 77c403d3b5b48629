/**
 * A byte stream to a pod's port through the API server of its cluster: WebSocket protocol v4.channel.k8s.io of
 * k8s.io/cri-streaming pkg/streaming/portforward/websocket.go. Each message starts with its channel, 0 for data and 1
 * for errors; the first on each channel repeats the port in two bytes.
 */
import { Duplex } from 'node:stream';
import { UserError, oneLine } from '../errors.ts';

/** The part of a WHATWG WebSocket that is used. */
export interface Socket {
  binaryType: string;
  send(data: Uint8Array): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

const DATA = 0;
const FAILURE = 1;
const PORT_BYTES = 2;

/** API server, kubelet and container runtime take part in opening it. Milliseconds. */
const OPEN_TIMEOUT = 10_000;

/** The protocol to ask for. */
export const PORT_FORWARD_PROTOCOL = 'v4.channel.k8s.io';

/**
 * @param what names the stream in an error
 * @param openTimeout milliseconds
 * @returns the stream once it is open
 * @throws UserError where the server refuses it or does not answer in time. Once open, the stream ends with an error
 *   where the pod's port cannot be reached.
 */
export function portForwardStream(socket: Socket, what: string, openTimeout = OPEN_TIMEOUT): Promise<Duplex> {
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const stream = streamOver(socket);
    let open = false;
    const timer = setTimeout(() => {
      reject(new UserError(`${what}: no answer within ${openTimeout / 1000} s`));
      socket.close();
    }, openTimeout);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      open = true;
      resolve(stream);
    });
    // Before it opens nobody listens to the stream: an error on it would end the process.
    const broken = (): void => {
      clearTimeout(timer);
      if (open) stream.destroy(new UserError(`${what} broke`));
      else reject(new UserError(`${what} was refused`));
    };
    socket.addEventListener('error', broken);
    socket.addEventListener('close', () => {
      if (open) stream.push(null);
      else broken();
    });
    socket.addEventListener('message', receiver(stream, what));
  });
}

function streamOver(socket: Socket): Duplex {
  return new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      socket.send(Buffer.concat([Buffer.of(DATA), chunk]));
      done();
    },
    final: (done) => {
      socket.close();
      done();
    },
    destroy: (error, done) => {
      socket.close();
      done(error);
    },
  });
}

function receiver(stream: Duplex, what: string): (event: { readonly data: unknown }) => void {
  const greeted = new Set<number>();
  return ({ data }) => {
    if (!(data instanceof ArrayBuffer) || data.byteLength === 0) return;
    const bytes = Buffer.from(data);
    const channel = bytes[0] ?? DATA;
    const payload = bytes.subarray(greeted.has(channel) ? 1 : 1 + PORT_BYTES);
    greeted.add(channel);
    if (payload.length === 0) return;
    if (channel === DATA) stream.push(payload);
    if (channel === FAILURE) stream.destroy(new UserError(`${what}: ${oneLine(payload.toString('utf8'))}`));
  };
}
