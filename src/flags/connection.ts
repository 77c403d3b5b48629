/** The flags that name the super cluster. */
import type { ConnectionFlags } from '../kube/kubeconfig/connection-flags.ts';
import { flag, text, texts, valued } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';

/** Flags of k8s.io/cli-runtime pkg/genericclioptions/config_flags.go, same names and meaning. */
export const CONNECTION_OPTIONS: OptionTable = {
  kubeconfig: valued('Path to the kubeconfig file', 'file'),
  context: valued('The kubeconfig context of the super cluster', 'context'),
  cluster: valued('The kubeconfig cluster', 'cluster'),
  user: valued('The kubeconfig user', 'user'),
  server: { ...valued('Address and port of the API server'), alias: 's' },
  token: valued('Bearer token'),
  as: valued('User to impersonate'),
  'as-uid': valued('UID to impersonate'),
  'as-group': { ...valued('Group to impersonate; may be repeated'), array: true },
  'as-user-extra': { ...valued('Extra to impersonate, key=value; may be repeated'), array: true },
  'request-timeout': valued('Limit for one request: 30, 1m30s; 0 for none'),
  'tls-server-name': valued('Name to check the certificate against'),
  'insecure-skip-tls-verify': { type: 'boolean', description: 'Do not check the certificate' },
  'certificate-authority': valued('Path to a CA file', 'file'),
  'client-certificate': valued('Path to a client certificate file', 'file'),
  'client-key': valued('Path to a client key file', 'file'),
  'disable-compression': { type: 'boolean', description: 'Ask for uncompressed answers' },
  v: { ...valued('Verbosity: with 1 or more an error shows its stack'), alias: 'verbosity' },
};

/** The flags that name the super cluster, as the kubeconfig module takes them; absent where not given. */
export function connectionFlags(argv: Arguments): ConnectionFlags {
  const given = <K extends string>(key: K, value: string | null): Partial<Record<K, string>> =>
    value === null ? {} : ({ [key]: value } as Record<K, string>);
  return {
    ...given('kubeconfig', text(argv, 'kubeconfig')),
    ...given('context', text(argv, 'context')),
    ...given('cluster', text(argv, 'cluster')),
    ...given('user', text(argv, 'user')),
    ...given('server', text(argv, 'server')),
    ...given('token', text(argv, 'token')),
    ...given('as', text(argv, 'as')),
    ...given('asUid', text(argv, 'as-uid')),
    asGroup: texts(argv, 'as-group'),
    asUserExtra: texts(argv, 'as-user-extra'),
    ...given('requestTimeout', text(argv, 'request-timeout')),
    ...given('tlsServerName', text(argv, 'tls-server-name')),
    insecureSkipTLSVerify: flag(argv, 'insecure-skip-tls-verify'),
    ...given('certificateAuthority', text(argv, 'certificate-authority')),
    ...given('clientCertificate', text(argv, 'client-certificate')),
    ...given('clientKey', text(argv, 'client-key')),
    disableCompression: flag(argv, 'disable-compression'),
  };
}
