/** Values of the Authorization header. */
import { UserError } from '../../errors.ts';
import type { Credentials } from '../settings.ts';

/**
 * @param what names the token in an error, for example `the token of user "admin"`
 * @throws UserError where a header cannot carry it (a line break at its end, most often).
 */
export function bearer(token: string, what: string): Credentials {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(token)) {
    throw new UserError(
      `cannot use ${what}: it contains a line break or another character that no HTTP header may have`,
    );
  }
  return { authorization: `Bearer ${token}` };
}

export function authorizationBasic(username: string, password: string): Credentials {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
