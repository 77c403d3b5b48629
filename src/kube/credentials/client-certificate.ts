import { createSecureContext } from 'node:tls';
import { UserError, oneLine } from '../../errors.ts';
import type { User } from '../kubeconfig/model.ts';
import type { CredentialSource, Credentials } from '../settings.ts';
import { readCredentialFile } from './read-file.ts';
import { RotatingCredentials } from './rotating.ts';

/** As client-go transport/cert_rotation.go CertCallbackRefreshDuration. Milliseconds. */
const PERIOD = 5 * 60_000;

/** The client certificate of a user, embedded or in files that may be renewed; null where there is none. */
export function certificateSource(
  user: User,
  { who, now }: { who: string; now: () => number },
): CredentialSource | null {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (clientCertificate === '' && clientCertificateData === '') return null;
  const read = async (): Promise<Credentials> =>
    keyPair(
      clientCertificateData ||
        (await readCredentialFile(clientCertificate, `the client certificate of ${who}`)),
      clientKeyData || (await readCredentialFile(clientKey, `the client key of ${who}`)),
      `the client certificate of ${who}`,
    );
  const constant = clientCertificateData !== '' && clientKeyData !== '';
  return new RotatingCredentials({
    read,
    period: constant ? Number.POSITIVE_INFINITY : PERIOD,
    fallback: null,
    now,
  });
}

/**
 * A certificate with its key, both PEM.
 * @param what names them in an error
 * @throws UserError where they are no PEM, or do not belong together.
 */
export function keyPair(clientCertificate: string, clientKey: string, what: string): Credentials {
  try {
    createSecureContext({ cert: clientCertificate, key: clientKey });
  } catch (error) {
    // OpenSSL names what it could not parse, never the key.
    throw new UserError(
      `cannot use ${what}: ${oneLine(error instanceof Error ? error.message : String(error))}`,
    );
  }
  return { clientCertificate, clientKey };
}
