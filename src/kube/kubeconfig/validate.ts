/** What client-go refuses (tools/clientcmd/validation.go, transport/transport.go), before anything is connected to. */
import { UserError, oneLine } from '../../errors.ts';
import type { Cluster, ExecConfig, User } from './model.ts';

/**
 * @param of names the cluster in an error
 * @throws UserError for settings that contradict each other.
 */
export function checkCluster(cluster: Cluster, of: string): void {
  const { certificateAuthority: file, certificateAuthorityData: data, insecureSkipTLSVerify } = cluster;
  if (file !== '' && data !== '') {
    throw new UserError(`cannot use ${of}: it has both certificate-authority and certificate-authority-data`);
  }
  if (insecureSkipTLSVerify && (file !== '' || data !== '')) {
    throw new UserError(
      `cannot use ${of}: insecure-skip-tls-verify and a certificate authority exclude each other`,
    );
  }
}

/**
 * @param who names the user in an error
 * @throws UserError for settings that contradict each other or are incomplete.
 */
export function checkUser(user: User, who: string): void {
  const problem =
    certificateProblem(user) ?? methodProblem(user) ?? impersonationProblem(user) ?? execProblem(user);
  if (problem !== null) throw new UserError(`cannot use ${who}: ${problem}`);
}

function certificateProblem(user: User): string | null {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (clientCertificate === '' && clientCertificateData === '') return null;
  if (clientCertificate !== '' && clientCertificateData !== '') {
    return 'it has both client-certificate and client-certificate-data';
  }
  if (clientKey !== '' && clientKeyData !== '') return 'it has both client-key and client-key-data';
  return clientKey === '' && clientKeyData === '' ? 'it has a client certificate without client-key' : null;
}

function methodProblem(user: User): string | null {
  const token = user.token !== '' || user.tokenFile !== '';
  const basic = user.username !== '' || user.password !== '';
  return token && basic ? 'a token and a username with password exclude each other' : null;
}

function impersonationProblem(user: User): string | null {
  const { impersonate, impersonateUid, impersonateGroups, impersonateUserExtra } = user;
  const more =
    impersonateUid !== '' || impersonateGroups.length > 0 || Object.keys(impersonateUserExtra).length > 0;
  return more && impersonate === ''
    ? 'a uid, group or extra is impersonated without a user; give --as too'
    : null;
}

function execProblem({ exec, authProvider }: User): string | null {
  if (exec === null) return null;
  if (authProvider !== null) return 'it has both exec and auth-provider';
  return execConfigProblem(exec);
}

function execConfigProblem({ command, apiVersion, env, interactiveMode }: ExecConfig): string | null {
  if (command === '') return 'its exec plugin has no command';
  if (apiVersion === '') return 'its exec plugin has no apiVersion';
  if (env.some(({ name }) => name === '')) return 'an environment variable of its exec plugin has no name';
  if (['Never', 'IfAvailable', 'Always'].includes(interactiveMode)) return null;
  return `interactiveMode of its exec plugin is "${oneLine(interactiveMode)}", not Never, IfAvailable or Always`;
}
