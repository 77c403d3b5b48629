import { readFile } from 'node:fs/promises';
import { UserError, oneLine } from '../../errors.ts';

/**
 * The text of a file that a kubeconfig or a flag names.
 * @param what names its purpose in an error, for example `the client certificate of user "admin"`
 * @throws UserError where it cannot be read.
 */
export async function readCredentialFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`cannot read ${what} from "${oneLine(path)}": ${REASONS[code] ?? oneLine(code)}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};
