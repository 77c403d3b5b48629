/**
 * A folder that is there as a whole or not at all. It is written under another name beside its place, everything is
 * brought to the disk, and then it is renamed.
 */
import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { fileErrorReason } from './file-error.ts';

const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;
/** It says by itself what it is when a killed process leaves it behind. */
const UNFINISHED = '.vc-pvc-snapshot-unfinished-';

export class NewFolder {
  /** As the user gave it, for messages. */
  readonly #given: string;
  readonly #place: string;
  readonly #unfinished: string;
  readonly #directories: Set<string>;
  readonly #removeOnExit: () => void;
  #completed = false;

  private constructor(given: string, place: string, unfinished: string) {
    this.#given = given;
    this.#place = place;
    this.#unfinished = unfinished;
    this.#directories = new Set([unfinished]);
    // A second Ctrl-C ends the process at once; then nobody calls close().
    this.#removeOnExit = () => rmSync(unfinished, { recursive: true, force: true });
    process.once('exit', this.#removeOnExit);
  }

  /** @throws UserError where there is something at that place, or it cannot be written there. */
  static async create(directory: string): Promise<NewFolder> {
    if (directory === '') throw new UserError('snapshot needs the name of a directory to write');
    const place = resolve(directory);
    try {
      if (await exists(place))
        throw new UserError(`${directory} exists already: name a directory that does not`);
      if (!(await exists(dirname(place)))) {
        throw new UserError(`cannot write snapshot ${directory}: directory ${dirname(place)} does not exist`);
      }
      return new NewFolder(directory, place, await mkdtemp(join(dirname(place), UNFINISHED)));
    } catch (error) {
      throw refused(directory, error);
    }
  }

  /**
   * Writes one file, and the directories that lead to it.
   * @param path below the folder, with slashes
   * @param chunks its text
   * @throws UserError; or whatever `chunks` throws
   */
  async write(path: string, chunks: Iterable<string>): Promise<void> {
    const file = join(this.#unfinished, path);
    await this.#do(() => this.#makeDirectory(dirname(file)));
    const handle = await this.#do(() => open(file, 'wx', PRIVATE_FILE));
    try {
      for (const chunk of chunks) await this.#do(() => handle.appendFile(chunk));
      await this.#do(() => handle.sync());
    } finally {
      await handle.close();
    }
  }

  /** Gives the folder its name. @throws UserError; it is still to be closed */
  async complete(): Promise<void> {
    await this.#do(async () => {
      for (const directory of this.#directories) await sync(directory);
      // rename() would replace an empty directory that was made meanwhile.
      if (await exists(this.#place))
        throw new UserError(`${this.#given} exists already: it was made meanwhile`);
      await rename(this.#unfinished, this.#place);
      this.#completed = true;
    });
    await this.#do(() => sync(dirname(this.#place)));
  }

  /** Leaves nothing behind of a folder that was not completed. */
  async close(): Promise<void> {
    if (!this.#completed) await rm(this.#unfinished, { recursive: true, force: true, maxRetries: 3 });
    process.off('exit', this.#removeOnExit);
  }

  async #makeDirectory(directory: string): Promise<void> {
    if (this.#directories.has(directory)) return;
    await this.#makeDirectory(dirname(directory));
    await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
    this.#directories.add(directory);
  }

  async #do<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw refused(this.#given, error);
    }
  }
}

function refused(directory: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(`cannot write snapshot ${directory}: ${fileErrorReason(error)}`);
}

/** A link that leads nowhere is something, too. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * What a file system answers that cannot do this with a directory, Windows for one, or does not let us: then it keeps
 * its own order of what is written.
 */
const NOT_POSSIBLE: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'ENOTSUP',
  'EPERM',
]);

/** Brings a directory's entries to the disk. */
async function sync(directory: string): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(directory, 'r');
    await handle.sync();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !NOT_POSSIBLE.has(error.code)) throw error;
  } finally {
    await handle?.close();
  }
}
