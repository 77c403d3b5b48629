/** What is needed to speak to one API server, once kubeconfig files and flags are merged and files are read. */
import type { Duplex } from 'node:stream';

/** What proves who we are. Every field is a secret but the certificate; none is ever printed. */
export interface Credentials {
  /** The whole value of the Authorization header. */
  readonly authorization?: string;
  /** PEM. */
  readonly clientCertificate?: string;
  /** PEM. */
  readonly clientKey?: string;
}

/** Where credentials come from: constant data, a file that rotates, an exec plugin. */
export interface CredentialSource {
  /**
   * The credentials to use for a request that starts now. Cached by the source as long as they are valid.
   * @throws UserError where they cannot be had (a plugin fails, a file is missing).
   */
  current(): Promise<Credentials>;
  /**
   * Called after a 401: what was cached is worth nothing. True when asking again can give something new.
   * @param rejected what the server did not take; of many requests that fail together only the first then costs a
   *   new credential, for the others one is cached already
   */
  invalidate(rejected?: Credentials): boolean;
}

/** Impersonation as the API server takes it from the Impersonate-* headers (k8s.io/client-go transport/round_trippers.go). */
export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ConnectionSettings {
  /** What to call this cluster in a message, for example `context "prod"`. */
  readonly description: string;
  /** Base URL without a trailing slash, path prefix included. */
  readonly server: string;
  /** PEM bundle; null means the system's roots. */
  readonly certificateAuthority: string | null;
  readonly insecureSkipTLSVerify: boolean;
  /** The name the server's certificate is checked against; null means the host of `server`. */
  readonly tlsServerName: string | null;
  /** http://, https:// or socks5:// URL; null means none. Environment variables are already taken into account. */
  readonly proxyUrl: string | null;
  readonly disableCompression: boolean;
  readonly credentials: CredentialSource;
  readonly impersonation: Impersonation | null;
  /** Milliseconds for one request, 0 for no limit. */
  readonly requestTimeout: number;
  /** How to open the byte stream instead of TCP to `server`; TLS is spoken over it all the same. */
  readonly dial?: () => Promise<Duplex>;
}
