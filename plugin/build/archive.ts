/** Archives whose bytes depend on nothing but what is in them: names in order, one time, no owner. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';

export interface ArchivedFile {
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

/** A .tar.gz at `path`. @param date of every file in it */
export async function writeTarball(path: string, files: readonly ArchivedFile[], date: Date): Promise<void> {
  const tarball = pack();
  const writing = pipeline(tarball, createGzip({ level: 9 }), createWriteStream(path));
  for (const { name, content, executable } of sorted(files)) {
    tarball.entry({ name, mode: executable ? 0o755 : 0o644, mtime: date, uid: 0, gid: 0 }, content);
  }
  tarball.finalize();
  await writing;
}

/** A .zip at `path`. @param date of every file in it */
export async function writeZip(path: string, files: readonly ArchivedFile[], date: Date): Promise<void> {
  const zip = new ZipFile();
  for (const { name, content, executable } of sorted(files)) {
    zip.addBuffer(content, name, {
      mode: executable ? 0o100755 : 0o100644,
      mtime: inUtc(date),
      forceDosTimestamp: true,
      compressionLevel: 9,
    });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

function sorted(files: readonly ArchivedFile[]): ArchivedFile[] {
  return files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** A zip's time has no zone and is the local one: shifted, so that it is the same wherever it was built. */
function inUtc(date: Date): Date {
  return new Date(date.getTime() + date.getTimezoneOffset() * 60_000);
}
