/** auth-provider of a kubeconfig: of what client-go once had, only oidc is left. */
import { UserError, oneLine } from '../../errors.ts';
import type { AuthProvider } from '../kubeconfig/model.ts';
import type { CredentialSource, Credentials } from '../settings.ts';
import { bearer } from './authorization.ts';

/** As client-go plugin/pkg/client/auth/oidc/oidc.go expiryDelta. Milliseconds. */
const EXPIRY_DELTA = 10_000;

/**
 * @throws UserError for a provider that was removed from Kubernetes, and for an oidc one without issuer or client.
 */
export function authProviderSource(
  { name, config }: AuthProvider,
  { who, now }: { readonly who: string; readonly now: () => number },
): CredentialSource {
  if (name !== 'oidc') {
    throw new UserError(
      `cannot use auth-provider "${oneLine(name)}" of ${who}: it was removed from Kubernetes; use an exec plugin or a token`,
    );
  }
  for (const key of ['idp-issuer-url', 'client-id']) {
    if ((config[key] ?? '') === '')
      throw new UserError(`cannot use auth-provider "oidc" of ${who}: it has no ${key}`);
  }
  return new OidcSource(config, who, now);
}

/** The ID token of the kubeconfig, renewed as client-go does; the user's kubeconfig stays as it is. */
class OidcSource implements CredentialSource {
  readonly #config: Readonly<Record<string, string>>;
  readonly #who: string;
  readonly #now: () => number;
  #idToken: string;
  #refreshToken: string;
  #refreshing: Promise<void> | null = null;

  constructor(config: Readonly<Record<string, string>>, who: string, now: () => number) {
    this.#config = config;
    this.#who = who;
    this.#now = now;
    this.#idToken = config['id-token'] ?? '';
    this.#refreshToken = config['refresh-token'] ?? '';
  }

  async current(): Promise<Credentials> {
    if (this.#now() + EXPIRY_DELTA >= expiry(this.#idToken)) {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null));
      await this.#refreshing;
    }
    return bearer(this.#idToken, `the id-token of ${this.#who}`);
  }

  invalidate(): boolean {
    return false;
  }

  async #refresh(): Promise<void> {
    if (this.#refreshToken === '')
      throw this.#failure('it has expired and there is no refresh-token; log in again');
    // Imported only where it is needed: few kubeconfigs have one.
    const { refreshIdToken } = await import('./oidc.ts');
    const tokens = await refreshIdToken(this.#config, this.#refreshToken, (reason) => this.#failure(reason));
    this.#idToken = tokens.idToken;
    if (tokens.refreshToken !== '') this.#refreshToken = tokens.refreshToken;
  }

  #failure(reason: string): UserError {
    return new UserError(`cannot renew the id-token of ${this.#who}: ${reason}`);
  }
}

/** Milliseconds since the epoch; 0 where the token is none, so that it is renewed. */
function expiry(idToken: string): number {
  try {
    const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { exp } = JSON.parse(payload) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : 0;
  } catch {
    return 0;
  }
}
