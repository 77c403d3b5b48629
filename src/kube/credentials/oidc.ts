import { ClientSecretBasic, None, customFetch, discovery, refreshTokenGrant } from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { Agent, fetch } from 'undici';
import { oneLine } from '../../errors.ts';
import type { UserError } from '../../errors.ts';
import { readCredentialFile } from './read-file.ts';

export interface OidcTokens {
  readonly idToken: string;
  /** '' where the old one stays valid. */
  readonly refreshToken: string;
}

/**
 * Asks the issuer for a new ID token.
 * @param config of the kubeconfig's auth-provider: idp-issuer-url, client-id, client-secret,
 *   idp-certificate-authority(-data)
 * @throws what `failure` makes of a reason.
 */
export async function refreshIdToken(
  config: Readonly<Record<string, string>>,
  refreshToken: string,
  failure: (reason: string) => UserError,
): Promise<OidcTokens> {
  const { 'idp-issuer-url': issuer = '', 'client-id': clientId = '', 'client-secret': secret = '' } = config;
  const authority = await issuerAuthority(config);
  try {
    const client = await discovery(
      new URL(issuer),
      clientId,
      undefined,
      secret === '' ? None() : ClientSecretBasic(secret),
      authority === null ? {} : { [customFetch]: trusting(authority) },
    );
    const tokens = await refreshTokenGrant(client, refreshToken);
    if (tokens.id_token === undefined)
      throw new Error('the answer has no id_token (was the scope "openid" asked for?)');
    return { idToken: tokens.id_token, refreshToken: tokens.refresh_token ?? '' };
  } catch (error) {
    throw failure(
      `issuer ${oneLine(issuer)}: ${oneLine(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

/** PEM; null for the system's roots. */
async function issuerAuthority(config: Readonly<Record<string, string>>): Promise<string | null> {
  const data = config['idp-certificate-authority-data'] ?? '';
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const path = config['idp-certificate-authority'] ?? '';
  return path === '' ? null : readCredentialFile(path, 'the CA of the OIDC issuer');
}

function trusting(ca: string): CustomFetch {
  const dispatcher = new Agent({ connect: { ca } });
  // The platform's fetch takes no dispatcher of another undici than its own.
  return (url, options) => fetch(url, { ...options, dispatcher } as Parameters<typeof fetch>[1]);
}
