/** Settings for a server that a test runs. */
import type { ConnectionSettings } from '../../src/kube/settings.ts';

/** Nobody's credentials, the system's roots, no limits; `changes` say what a test is about. */
export function connectionSettings(
  server: string,
  changes: Partial<ConnectionSettings> = {},
): ConnectionSettings {
  return {
    description: server,
    server,
    certificateAuthority: null,
    insecureSkipTLSVerify: false,
    tlsServerName: null,
    proxyUrl: null,
    disableCompression: false,
    credentials: { current: () => Promise.resolve({}), invalidate: () => false },
    impersonation: null,
    requestTimeout: 0,
    ...changes,
  };
}
