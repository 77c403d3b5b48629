import type { User } from '../kubeconfig/model.ts';
import type { CredentialSource, Credentials } from '../settings.ts';
import { authProviderSource } from './auth-provider.ts';
import { authorizationBasic, bearer } from './authorization.ts';
import { certificateSource } from './client-certificate.ts';
import { ExecPlugin } from './exec-plugin.ts';
import type { ExecCluster } from './exec-info.ts';
import { tokenFileSource } from './token-file.ts';

/** What credentials depend on besides the user's entry. */
export interface CredentialDependencies {
  /** Names the user in an error, for example `user "admin"`. */
  readonly who: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The environment that an exec plugin inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: () => boolean;
}

/**
 * What proves to a cluster that we are this user. Nothing is read or run before the first `current()`.
 *
 * Which of several kinds counts is as in client-go: a token or password silences an auth provider and an exec plugin,
 * a client certificate silences an exec plugin (plugin/pkg/client/auth/exec/exec.go UpdateTransportConfig) and goes
 * along with the others.
 * @param cluster what an exec plugin may be told, with provideClusterInfo
 * @throws UserError for an auth provider that client-go no longer has.
 */
export function credentialSource(
  user: User,
  cluster: ExecCluster,
  dependencies: CredentialDependencies,
): CredentialSource {
  const certificate = certificateSource(user, dependencies);
  // Made even where it is not used: client-go refuses one that it does not have whatever else the user has.
  const provider = user.authProvider === null ? null : authProviderSource(user.authProvider, dependencies);
  const authorization = authorizationSource(user, dependencies) ?? provider;
  if (authorization !== null) return combine(certificate, authorization);
  if (certificate !== null) return certificate;
  return user.exec === null ? constant({}) : new ExecPlugin(user.exec, cluster, dependencies);
}

function authorizationSource(user: User, dependencies: CredentialDependencies): CredentialSource | null {
  if (user.tokenFile !== '') return tokenFileSource(user.tokenFile, user.token, dependencies);
  if (user.token !== '') return constant(bearer(user.token, `the token of ${dependencies.who}`));
  if (user.username === '' && user.password === '') return null;
  return constant(authorizationBasic(user.username, user.password));
}

function constant(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), invalidate: () => false };
}

function combine(first: CredentialSource | null, second: CredentialSource): CredentialSource {
  if (first === null) return second;
  return {
    current: async () => ({ ...(await first.current()), ...(await second.current()) }),
    invalidate: () => [first.invalidate(), second.invalidate()].includes(true),
  };
}
