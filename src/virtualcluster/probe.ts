/** Whether anything listens at an address. */
import { connect } from 'node:net';
import { oneLine } from '../errors.ts';
import type { Address } from './address.ts';

/** A host that does not answer a TCP connection by then is taken for unreachable. Milliseconds. */
const TIMEOUT = 3_000;

/**
 * Opens a TCP connection and closes it.
 * @param signal ends the attempt
 * @returns null where a connection is accepted, else in a few words why not. Never throws.
 */
export function whyUnreachable({ host, port }: Address, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const finish = (why: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(why);
    };
    const timer = setTimeout(() => finish(`no answer within ${TIMEOUT / 1000} s`), TIMEOUT);
    socket.once('connect', () => finish(null));
    // Not once: what follows on a destroyed socket must not end the process.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(WHY[error.code ?? ''] ?? (oneLine(error.code ?? error.message) || 'no connection')),
    );
  });
}

const WHY: Readonly<Record<string, string>> = {
  ABORT_ERR: 'cancelled',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ETIMEDOUT: 'no answer',
};
