/** What a build says about itself: the version, the commit, and one time for everything that carries a time. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A zip's time begins with 1980, in whatever zone it is read. */
const EARLIEST = 315_532_800;

export interface Project {
  /** As in package.json, without a "v". */
  readonly version: string;
  /** The commit; ends in "-dirty" where the tree has changes that are in no commit, "unknown" outside of a checkout. */
  readonly commit: string;
  /** When the commit was made, or SOURCE_DATE_EPOCH: two builds of one commit give the same bytes. */
  readonly date: Date;
  /** The packages that carry Node, and their exact versions. */
  readonly nodeVersions: Readonly<Record<string, string>>;
}

/** @throws Error with what git says of a checkout that it cannot read, or for a SOURCE_DATE_EPOCH that is no time */
export function readProject(): Project {
  const { version, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    optionalDependencies: Record<string, string>;
  };
  // An archive of the sources has no .git, and a repository around it is another's.
  const isCheckout = existsSync(join(ROOT, '.git'));
  return {
    version,
    commit: isCheckout ? git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') : 'unknown',
    date: new Date(1000 * buildSeconds(isCheckout)),
    nodeVersions: optionalDependencies,
  };
}

/** Since 1970. In an archive by git every file has the time of the commit. */
function buildSeconds(isCheckout: boolean): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) {
    if (/^\d{1,11}$/.test(given) && Number(given) >= EARLIEST) return Number(given);
    throw new Error(`SOURCE_DATE_EPOCH=${given}: give seconds since 1970, ${EARLIEST} (1980) at least`);
  }
  if (isCheckout) return Number(git('log', '-1', '--no-show-signature', '--format=%ct'));
  return Math.floor(statSync(join(ROOT, 'package.json')).mtimeMs / 1000);
}

/** What git says of this checkout, whatever repository the variables of a hook name. */
function git(...args: readonly string[]): string {
  const ours = Object.entries(process.env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE)$/.test(name));
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', env: Object.fromEntries(ours) }).trim();
}
