/** `node build.ts [OS/ARCH ...]` builds a release into dist/: of all platforms, or of those named. */
import { join } from 'node:path';
import process from 'node:process';
import { PLATFORMS, platformNamed } from './platforms.ts';
import { ROOT } from './project.ts';
import { buildRelease } from './release.ts';

const named = process.argv.slice(2);
try {
  await buildRelease(named.length > 0 ? named.map(platformNamed) : PLATFORMS, join(ROOT, 'dist'), (line) =>
    process.stdout.write(`${line}\n`),
  );
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
