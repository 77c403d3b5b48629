/** What an exec plugin is told and what it answers (k8s.io/client-go pkg/apis/clientauthentication). */
import { UserError, oneLine } from '../../errors.ts';
import { Fields } from '../kubeconfig/fields.ts';
import { parseYaml } from '../kubeconfig/yaml.ts';
import type { Credentials } from '../settings.ts';
import { bearer } from './authorization.ts';
import { keyPair } from './client-certificate.ts';

/** The cluster as a plugin with provideClusterInfo is told of it; '' and false are left out. */
export interface ExecCluster {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTLSVerify: boolean;
  /** PEM. */
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** The cluster's extension client.authentication.k8s.io/exec, null where none. */
  readonly config: unknown;
}

const API_VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

/** @throws UserError for a version that client-go does not speak any more, or never did. */
export function checkApiVersion(apiVersion: string, plugin: string): void {
  if (API_VERSIONS.includes(apiVersion)) return;
  throw new UserError(
    `cannot use ${plugin}: its apiVersion "${oneLine(apiVersion)}" in the kubeconfig is none of ${API_VERSIONS.join(', ')}`,
  );
}

/** The value of KUBERNETES_EXEC_INFO. @param cluster null where the plugin is not to be told */
export function execInfo(apiVersion: string, interactive: boolean, cluster: ExecCluster | null): string {
  const spec = cluster === null ? { interactive } : { cluster: clusterInfo(cluster), interactive };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
}

function clusterInfo(cluster: ExecCluster): object {
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName || undefined,
    'insecure-skip-tls-verify': cluster.insecureSkipTLSVerify || undefined,
    'certificate-authority-data':
      Buffer.from(cluster.certificateAuthorityData).toString('base64') || undefined,
    'proxy-url': cluster.proxyUrl || undefined,
    'disable-compression': cluster.disableCompression || undefined,
    config: cluster.config,
  };
}

export interface ExecAnswer {
  readonly credentials: Credentials;
  /** Milliseconds since the epoch; infinity where the plugin does not say. */
  readonly expires: number;
}

/**
 * What a plugin printed. Nothing of it is ever told in an error but its apiVersion.
 * @param apiVersion what the kubeconfig asked for
 * @throws UserError where it is not an ExecCredential of that version with a token or a certificate and key.
 */
export function parseExecAnswer(output: string, apiVersion: string, plugin: string): ExecAnswer {
  const source = `the output of ${plugin}`;
  const answer = new Fields(parseOutput(output, source), source, '');
  if (answer.string('kind') !== 'ExecCredential') throw answer.error('it is no ExecCredential');
  const answered = answer.string('apiVersion');
  if (answered !== apiVersion) {
    throw answer.error(
      `its apiVersion is "${oneLine(answered)}" where the kubeconfig asks for "${apiVersion}"`,
    );
  }
  const status = answer.optional('status');
  if (status === null) throw answer.error('it has no status');
  return { credentials: credentialsOf(status, plugin), expires: expiry(status) };
}

function parseOutput(output: string, source: string): unknown {
  try {
    return parseYaml(output, source);
  } catch {
    // What the parser stumbled over may be a secret.
    throw new UserError(`cannot read ${source}: it is neither JSON nor YAML`);
  }
}

function credentialsOf(status: Fields, plugin: string): Credentials {
  const token = status.string('token');
  const certificate = status.string('clientCertificateData');
  const key = status.string('clientKeyData');
  if (token === '' && certificate === '' && key === '')
    throw status.error('there is neither a token nor a certificate');
  if ((certificate === '') !== (key === '')) throw status.error('there is only one of certificate and key');
  return {
    ...(token === '' ? {} : bearer(token, `the token that ${plugin} gave`)),
    ...(certificate === '' ? {} : keyPair(certificate, key, `the certificate that ${plugin} gave`)),
  };
}

function expiry(status: Fields): number {
  const text = status.string('expirationTimestamp');
  if (text === '') return Number.POSITIVE_INFINITY;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time)) throw status.error('expirationTimestamp is no RFC 3339 time');
  return time;
}
