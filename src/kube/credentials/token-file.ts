import { UserError, oneLine } from '../../errors.ts';
import type { CredentialSource } from '../settings.ts';
import { bearer } from './authorization.ts';
import { readCredentialFile } from './read-file.ts';
import { RotatingCredentials } from './rotating.ts';

/**
 * client-go transport/token_source.go takes a token for valid for a minute and reads the file again 10 s before that:
 * the kubelet renews a projected token of 10 minutes after 8. Milliseconds.
 */
const PERIOD = 50_000;

/**
 * @param token the kubeconfig's own token, used as long as the file cannot be read; '' where none
 */
export function tokenFileSource(
  path: string,
  token: string,
  { who, now }: { who: string; now: () => number },
): CredentialSource {
  const what = `the token of ${who}`;
  return new RotatingCredentials({
    read: async () => {
      const text = (await readCredentialFile(path, what)).trim();
      if (text === '') throw new UserError(`cannot read ${what}: "${oneLine(path)}" is empty`);
      return bearer(text, what);
    },
    period: PERIOD,
    fallback: token === '' ? null : bearer(token, what),
    now,
  });
}
