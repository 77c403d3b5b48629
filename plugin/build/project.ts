/** What a build says about itself: the version, the commit, and one time for everything that carries a time. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Project {
  /** As in package.json, without a "v". */
  readonly version: string;
  /** The commit; ends in "-dirty" where the tree has changes that are in no commit. */
  readonly commit: string;
  /** When the commit was made, or SOURCE_DATE_EPOCH: two builds of one commit give the same bytes. */
  readonly date: Date;
  /** The packages that carry Node, and their exact versions. */
  readonly nodeVersions: Readonly<Record<string, string>>;
}

/** @throws Error where this is no git checkout */
export function readProject(): Project {
  const { version, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    optionalDependencies: Record<string, string>;
  };
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct');
  return {
    version,
    commit: git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'),
    date: new Date(Number(seconds) * 1000),
    nodeVersions: optionalDependencies,
  };
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
