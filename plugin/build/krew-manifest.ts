/** krew's manifest of a release, from the template krew-manifest.yaml. */
import { dump, load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { binaryName } from './platforms.ts';
import type { Platform } from './platforms.ts';
import type { Project } from './project.ts';
import { ROOT } from './project.ts';

export interface ReleasedArchive {
  readonly platform: Platform;
  /** The name of the file. */
  readonly name: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** What is in it. */
  readonly files: readonly string[];
}

interface Template {
  readonly spec: { readonly platforms: readonly [unknown] };
}

/** OWNER/NAME of the repository whose releases hold the archives; GitHub's workflows set it. */
const REPOSITORY = process.env['GITHUB_REPOSITORY'] ?? 'OWNER/kubectl-vc-pvc';

/** @param archives of the platforms that the release has; each becomes a copy of the template's one platform */
export function renderManifest(project: Project, archives: readonly ReleasedArchive[]): string {
  const template = load(readFileSync(join(ROOT, 'krew-manifest.yaml'), 'utf8')) as Template;
  const values = { VERSION: project.version, REPOSITORY };
  const [pattern] = template.spec.platforms;
  const platforms = archives.map(({ platform, name, sha256, files }) => ({
    ...(filled(pattern, {
      ...values,
      OS: platform.os,
      ARCH: platform.arch,
      ARCHIVE: name,
      SHA256: sha256,
      BINARY: binaryName(platform),
    }) as object),
    files: files.map((from) => ({ from, to: '.' })),
  }));
  const manifest = filled({ ...template, spec: { ...template.spec, platforms: [] } }, values) as Template;
  return dump({ ...manifest, spec: { ...manifest.spec, platforms } }, { lineWidth: -1, noRefs: true });
}

/** Puts values in the place of ${NAME} in every text. @throws Error for a name that has none */
function filled(node: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof node === 'string') {
    return node.replaceAll(/\$\{([A-Z0-9]+)\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`krew-manifest.yaml: nothing is known as ${whole}`);
      return value;
    });
  }
  if (Array.isArray(node)) return node.map((item) => filled(item, values));
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, filled(value, values)]));
}
