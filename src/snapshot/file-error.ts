import { oneLine } from '../errors.ts';

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
  EROFS: 'the file system is read-only',
};

/** What went wrong with a file, in words; the path is named by the caller. */
export function fileErrorReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? (code || oneLine(String(error)));
}
