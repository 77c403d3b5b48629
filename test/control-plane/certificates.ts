/** A certificate authority for one test run. */
// x509's container needs it before it is loaded.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

export interface KeyPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /** A server certificate for these DNS names and IP addresses. */
  server(names: readonly string[]): Promise<KeyPair>;
  /** A client certificate: Kubernetes takes CN as the user and every O as a group. @param lifetime milliseconds */
  client(user: string, groups: readonly string[], lifetime?: number): Promise<KeyPair>;
}

/** Makes a new authority; valid for a day. */
export async function createAuthority(): Promise<Authority> {
  const keys = await generateKeys();
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=vc-pvc-test-ca',
    keys,
    ...validity,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  const issue = async (
    subject: x509.JsonName,
    extensions: x509.Extension[],
    lifetime = DAY,
  ): Promise<KeyPair> => {
    const own = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject,
      issuer: root.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      notBefore: validity.notBefore,
      notAfter: new Date(Date.now() + lifetime),
      extensions,
    });
    const key = x509.PemConverter.encode(
      await crypto.subtle.exportKey('pkcs8', own.privateKey),
      'PRIVATE KEY',
    );
    return { certificate: certificate.toString('pem'), key };
  };
  return {
    certificate: root.toString('pem'),
    server: (names) =>
      issue(
        [{ CN: ['kube-apiserver'] }],
        [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({
              type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const),
              value,
            })),
          ),
        ],
      ),
    client: (user, groups, lifetime) =>
      issue(
        [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
        lifetime,
      ),
  };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
