/** The packages that are in the bundle, and Node: what a release has to name, with their licences. */
import type { Metafile } from 'esbuild';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.ts';

export interface Part {
  readonly name: string;
  readonly version: string;
  /** As its package.json says it: an SPDX expression. */
  readonly license: string;
  /** As package-lock.json pins the package: "sha512-" and base64. */
  readonly integrity: string;
  /** The texts of its licence and notice files, one after the other. */
  readonly texts: string;
}

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity: string;
}

const LICENSE_FILE = /^(licen[cs]e|notice|copying)/i;

/** @returns the packages of which at least one byte is in the bundle, by name @throws Error where one has no licence */
export function bundledParts(metafile: Metafile): Part[] {
  const output = Object.values(metafile.outputs)[0];
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const folders = new Set(inputs.flatMap(([file]) => packageFolder(file) ?? []));
  return [...folders].sort().map((folder) => {
    const directory = join(ROOT, folder);
    const texts = readdirSync(directory)
      .filter((file) => LICENSE_FILE.test(file))
      .sort()
      .map((file) => readFileSync(join(directory, file), 'utf8').trim());
    if (texts.length === 0) throw new Error(`${folder} holds no licence: nothing of it may be bundled`);
    return part(folder, texts.join('\n\n'));
  });
}

/** Node itself, as each npm package that carries it. @param texts Node's licence and those of what it embeds */
export function nodeParts(names: readonly string[], texts: string): Part[] {
  return names.map((name) => ({ ...part(`node_modules/${name}`, texts), license: 'MIT' }));
}

/** "node_modules/a/node_modules/@b/c/index.js" -> "node_modules/a/node_modules/@b/c" */
function packageFolder(file: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? null;
}

function part(folder: string, texts: string): Part {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const locked = lock.packages[folder];
  if (locked === undefined) throw new Error(`${folder} is not in package-lock.json`);
  const { version, license, integrity } = locked;
  if (license === undefined) throw new Error(`${folder}: package-lock.json names no licence`);
  return { name: folder.replace(/^.*node_modules\//, ''), version, license, integrity, texts };
}
