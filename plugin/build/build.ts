/** `node build.ts [OS/ARCH ...]` builds a release into dist/: of all platforms, or of those named. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { makeBundle } from './bundle.ts';
import { makeExecutable } from './executable.ts';
import { PLATFORMS, binaryName, platformNamed, platformName, thisPlatform } from './platforms.ts';
import { DIST, readProject } from './project.ts';

const platforms = process.argv.length > 2 ? process.argv.slice(2).map(platformNamed) : PLATFORMS;
const project = readProject();
const bundle = await makeBundle(project);
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
for (const platform of platforms) {
  const folder = await mkdtemp(join(DIST, 'unfinished-'));
  const binary = await makeExecutable(bundle.code, platform, project, folder);
  if (platformName(platform) === platformName(thisPlatform()))
    await copyFile(binary, join(DIST, binaryName(platform)));
  await rm(folder, { recursive: true });
}
