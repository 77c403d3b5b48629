/** What --metrics-bind-address takes. */
import { isIP } from 'node:net';
import { UserError, oneLine } from '../errors.ts';

/** Where to listen. */
export interface BindAddress {
  /** null: all addresses of the machine, IPv6 and IPv4. */
  readonly host: string | null;
  /** 0: one that is free. */
  readonly port: number;
}

const FORM = /^(?:\[(?<six>[^[\]]*)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/;
/** A DNS name or an IPv4 address; whether it is one of this machine shows when listening. */
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const LARGEST_PORT = 65_535;

/**
 * `HOST:PORT`, `[IPv6]:PORT` or `:PORT`; `0` and nothing mean off, as in controller-runtime
 * (sigs.k8s.io/controller-runtime pkg/metrics/server/server.go).
 * @returns null for off @throws UserError for anything else
 */
export function parseBindAddress(text: string, flag: string): BindAddress | null {
  if (text === '' || text === '0') return null;
  const { six, host, port = '' } = FORM.exec(text)?.groups ?? {};
  const named = six ?? host ?? '';
  const valid = six === undefined ? named === '' || HOST_NAME.test(named) : isIP(six) === 6;
  if (port === '' || !valid || Number(port) > LARGEST_PORT) {
    throw new UserError(
      `${flag}=${oneLine(text)}: give HOST:PORT, [IPv6]:PORT or :PORT (127.0.0.1:8080, [::1]:8080, :8080), or 0 for off`,
    );
  }
  return { host: named === '' ? null : named, port: Number(port) };
}
