/** Which proxy leads to a server: the cluster's own, else what the environment says by the rules of Go's httpproxy. */
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { UserError, oneLine } from '../../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What client-go accepts, and socks5h, which Go treats as socks5. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

/**
 * @param server the base URL to reach
 * @param configured the cluster's proxy-url, '' where none
 * @param of names the cluster in an error
 * @returns null for a direct connection
 * @throws UserError for an address that is no URL or has another scheme. It is not told: it may hold a password.
 */
export function proxyFor(server: string, configured: string, of: string, env: Environment): string | null {
  if (configured !== '') return checked(configured, `proxy-url of ${of}`);
  const url = new URL(server);
  // golang.org/x/net/http/httpproxy: in a CGI program the client could set HTTP_PROXY by a header.
  const cgi = (env['REQUEST_METHOD'] ?? '') !== '';
  const secure = url.protocol === 'https:';
  const [name, address] = first(env, secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']);
  if (address === '' || (cgi && !secure) || !isProxied(url, first(env, ['NO_PROXY', 'no_proxy'])[1]))
    return null;
  return checked(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`, name);
}

function first(env: Environment, names: readonly string[]): [name: string, value: string] {
  const name = names.find((candidate) => (env[candidate] ?? '') !== '') ?? '';
  return [name, env[name] ?? ''];
}

function checked(address: string, what: string): string {
  const url = URL.parse(address);
  if (url !== null && url.host !== '' && SCHEMES.has(url.protocol)) return url.href.replace(/\/$/, '');
  throw new UserError(
    `cannot use ${what}: ${url === null || url.host === '' ? 'it is no URL' : `its scheme is "${oneLine(url.protocol.slice(0, -1))}"`}; give http://, https:// or socks5://HOST:PORT`,
  );
}

/** What one element of NO_PROXY exempts. */
type Exemption = (host: Host) => boolean;

interface Host {
  readonly name: string;
  readonly port: string;
  /** 4 or 6 for an address, 0 for a name. */
  readonly family: number;
}

function isProxied(url: URL, noProxy: string): boolean {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const host: Host = {
    name,
    port: url.port || (url.protocol === 'https:' ? '443' : '80'),
    family: isIP(name),
  };
  if (name === 'localhost' || contains(LOOPBACK, host)) return false;
  return !noProxy
    .split(',')
    .map((element) => element.trim().toLowerCase())
    .some((element) => element !== '' && exemption(element)(host));
}

function exemption(element: string): Exemption {
  if (element === '*') return () => true;
  const [, network = '', bits = ''] = /^(.+)\/(\d+)$/.exec(element) ?? [];
  if (isIP(network) !== 0 && Number(bits) <= (isIP(network) === 4 ? 32 : 128)) {
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family(network));
    return (host) => contains(list, host);
  }
  // HOST:PORT; what does not split, such as an IPv6 address, is a host as it stands.
  const [, bracketed, plain, port = ''] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(element) ?? [];
  const name = bracketed ?? plain ?? element;
  const exempts = isIP(name) === 0 ? domain(name) : singleAddress(name);
  return (host) => exempts(host) && (port === '' || port === host.port);
}

function singleAddress(ip: string): Exemption {
  const list = new BlockList();
  list.addAddress(ip, family(ip));
  return (host) => contains(list, host);
}

/** "example.com" is the name and all below it; ".example.com" and "*.example.com" only what is below. */
function domain(pattern: string): Exemption {
  const suffix = pattern.replace(/^\*\./, '.');
  const below = suffix.startsWith('.') ? suffix : `.${suffix}`;
  const ascii = domainToASCII(below.slice(1)) || below.slice(1);
  return ({ name, family: kind }) =>
    kind === 0 &&
    pattern !== '' &&
    (name.endsWith(`.${ascii}`) || (!suffix.startsWith('.') && name === ascii));
}

function contains(list: BlockList, host: Host): boolean {
  return host.family !== 0 && list.check(host.name, family(host.name));
}

function family(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 6 ? 'ipv6' : 'ipv4';
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');
