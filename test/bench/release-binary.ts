/** The binary that users run, built for this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryName, thisPlatform } from '../../plugin/build/platforms.ts';
import { buildRelease } from '../../plugin/build/release.ts';

/** Builds it in a new temporary directory, which is removed when `work` is over. */
export async function withReleaseBinary(work: (binary: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'release-'));
  try {
    await buildRelease([thisPlatform()], directory, () => {});
    await work(join(directory, binaryName(thisPlatform())));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
