import type { ConnectionSettings, Credentials } from './settings.ts';

/** The headers of every request, who asks and for whom among them (k8s.io/client-go transport/round_trippers.go). */
export function requestHeaders(
  { impersonation }: Pick<ConnectionSettings, 'impersonation'>,
  accept: string,
  { authorization }: Credentials,
  compress: boolean,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    accept,
    'user-agent': 'kubectl-vc_pvc',
    'accept-encoding': compress ? 'gzip' : 'identity',
  };
  if (authorization !== undefined) headers['authorization'] = authorization;
  if (impersonation === null) return headers;
  if (impersonation.user !== '') headers['impersonate-user'] = impersonation.user;
  if (impersonation.uid !== '') headers['impersonate-uid'] = impersonation.uid;
  if (impersonation.groups.length > 0) headers['impersonate-group'] = [...impersonation.groups];
  for (const [key, values] of Object.entries(impersonation.extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  }
  return headers;
}
