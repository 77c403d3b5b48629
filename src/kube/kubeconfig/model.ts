/**
 * What a kubeconfig says (k8s.io/client-go tools/clientcmd/api/v1/types.go), as plain data. As in Go, a field that
 * is absent is '' or false; certificates and keys are PEM, already decoded from base64.
 */

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly users: ReadonlyMap<string, User>;
  readonly contexts: ReadonlyMap<string, Context>;
  readonly currentContext: string;
}

export interface Cluster {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTLSVerify: boolean;
  /** A path. */
  readonly certificateAuthority: string;
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** The extension client.authentication.k8s.io/exec: any JSON, meant for the exec plugin; null where none. */
  readonly execConfig: unknown;
}

/** Every field but the paths, names and certificates is a secret. */
export interface User {
  /** A path. */
  readonly clientCertificate: string;
  readonly clientCertificateData: string;
  /** A path. */
  readonly clientKey: string;
  readonly clientKeyData: string;
  readonly token: string;
  /** A path. */
  readonly tokenFile: string;
  readonly impersonate: string;
  readonly impersonateUid: string;
  readonly impersonateGroups: readonly string[];
  readonly impersonateUserExtra: Readonly<Record<string, readonly string[]>>;
  readonly username: string;
  readonly password: string;
  readonly authProvider: AuthProvider | null;
  readonly exec: ExecConfig | null;
}

export interface AuthProvider {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface ExecConfig {
  /** A name to look for on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  /** Never, IfAvailable or Always in a valid file; checked when the user is chosen. */
  readonly interactiveMode: string;
}

export interface Context {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export const NO_CLUSTER: Cluster = {
  server: '',
  tlsServerName: '',
  insecureSkipTLSVerify: false,
  certificateAuthority: '',
  certificateAuthorityData: '',
  proxyUrl: '',
  disableCompression: false,
  execConfig: null,
};

export const NO_USER: User = {
  clientCertificate: '',
  clientCertificateData: '',
  clientKey: '',
  clientKeyData: '',
  token: '',
  tokenFile: '',
  impersonate: '',
  impersonateUid: '',
  impersonateGroups: [],
  impersonateUserExtra: {},
  username: '',
  password: '',
  authProvider: null,
  exec: null,
};
