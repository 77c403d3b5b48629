import { oneLine } from '../errors.ts';

const TOO_LARGE = 'only one list as kubectl get prints it may be that large';
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it exists already',
  EFBIG: 'a file may not be that large',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is no directory',
  ENOTEMPTY: 'it exists already',
  EPERM: 'not permitted',
  ERR_FS_FILE_TOO_LARGE: TOO_LARGE,
  ERR_STRING_TOO_LONG: TOO_LARGE,
  EROFS: 'the file system is read-only',
};

/** What went wrong with a file, in words; the path is named by the caller. */
export function fileErrorReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? (code || oneLine(String(error)));
}
