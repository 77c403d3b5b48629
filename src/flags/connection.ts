/** The flags that name the super cluster. */
import type { Argv, Options } from 'yargs';
import type { ConnectionFlags } from '../kube/kubeconfig/connection-flags.ts';
import { flag, text, texts, valued } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';

const CONNECTION = 'Super cluster (as in kubectl):';
const connectionText = (description: string): Options => ({ ...valued(description), group: CONNECTION });
const connectionSwitch = (description: string): Options => ({
  type: 'boolean',
  description,
  group: CONNECTION,
});

/** Flags of k8s.io/cli-runtime pkg/genericclioptions/config_flags.go, same names and meaning. */
export const CONNECTION_OPTIONS: OptionTable = {
  kubeconfig: connectionText('Path to the kubeconfig file'),
  context: connectionText('The kubeconfig context of the super cluster'),
  cluster: connectionText('The kubeconfig cluster'),
  user: connectionText('The kubeconfig user'),
  server: { ...connectionText('Address and port of the API server'), alias: 's' },
  token: connectionText('Bearer token'),
  as: connectionText('User to impersonate'),
  'as-uid': connectionText('UID to impersonate'),
  'as-group': { ...connectionText('Group to impersonate; may be repeated'), array: true },
  'as-user-extra': { ...connectionText('Extra to impersonate, key=value; may be repeated'), array: true },
  'request-timeout': connectionText('Limit for one request: 30, 1m30s; 0 for none'),
  'tls-server-name': connectionText('Name to check the certificate against'),
  'insecure-skip-tls-verify': connectionSwitch('Do not check the certificate'),
  'certificate-authority': connectionText('Path to a CA file'),
  'client-certificate': connectionText('Path to a client certificate file'),
  'client-key': connectionText('Path to a client key file'),
  'disable-compression': connectionSwitch('Ask for uncompressed answers'),
  v: { ...connectionText('Verbosity: with 1 or more an error shows its stack'), alias: 'verbosity' },
};

/** Adds the flags that name the super cluster: every command takes them. */
export function connectionOptions(parser: Argv): Argv {
  return parser.options(CONNECTION_OPTIONS);
}

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
