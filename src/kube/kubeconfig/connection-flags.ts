import { UserError, oneLine } from '../../errors.ts';
import type { Cluster, User } from './model.ts';

/**
 * The connection flags of kubectl (k8s.io/cli-runtime pkg/genericclioptions/config_flags.go). As there, '' and false
 * are the same as a flag that is not given.
 */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: readonly string[];
  /** Each `key=value`. */
  readonly asUserExtra?: readonly string[];
  readonly requestTimeout?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly disableCompression?: boolean;
}

/** The cluster as the flags change it: client-go tools/clientcmd/client_config.go getCluster. */
export function clusterWithFlags(cluster: Cluster, flags: ConnectionFlags): Cluster {
  const { server = '', tlsServerName = '', certificateAuthority = '', insecureSkipTLSVerify = false } = flags;
  const trust = insecureSkipTLSVerify || certificateAuthority !== '';
  return {
    ...cluster,
    server: server || cluster.server,
    disableCompression: flags.disableCompression === true || cluster.disableCompression,
    // Another server than the file's has another name.
    tlsServerName: server === '' ? tlsServerName || cluster.tlsServerName : tlsServerName,
    // One of the three given says everything of whom to trust.
    ...(trust ? { insecureSkipTLSVerify, certificateAuthority, certificateAuthorityData: '' } : {}),
  };
}

/**
 * The user as the flags change it: client-go tools/clientcmd/client_config.go getAuthInfo. In one point we do what
 * kubectl means to do: --token wins over a tokenFile of the kubeconfig.
 * @throws UserError for an --as-user-extra without "="; kubectl would impersonate without it.
 */
export function userWithFlags(user: User, flags: ConnectionFlags): User {
  const { token = '', clientCertificate = '', clientKey = '', asGroup = [] } = flags;
  return {
    ...user,
    ...(token === '' ? {} : { token, tokenFile: '' }),
    ...(clientCertificate === '' ? {} : { clientCertificate, clientCertificateData: '' }),
    ...(clientKey === '' ? {} : { clientKey, clientKeyData: '' }),
    impersonate: flags.as || user.impersonate,
    impersonateUid: flags.asUid || user.impersonateUid,
    impersonateGroups: asGroup.length > 0 ? asGroup : user.impersonateGroups,
    impersonateUserExtra: { ...user.impersonateUserExtra, ...userExtra(flags.asUserExtra ?? []) },
  };
}

function userExtra(entries: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const entry of entries) {
    const [, key, value] = /^([^=]*)=(.*)$/s.exec(entry) ?? [];
    if (key === undefined || value === undefined) {
      throw new UserError(`--as-user-extra=${oneLine(entry)}: give it as key=value`);
    }
    extra.set(key, [...(extra.get(key) ?? []), value]);
  }
  return Object.fromEntries(extra);
}
