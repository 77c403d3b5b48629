/** The Markdown files of this checkout: their headings, links, code and command lines. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Document {
  /** Its path in the checkout. */
  readonly path: string;
  /** Its lines outside of fenced blocks. */
  readonly prose: readonly string[];
  /** The lines in fenced blocks, without the indentation of a list. */
  readonly fenced: readonly string[];
}

export const DOCUMENTS: readonly Document[] = globSync(['*.md', 'docs/*.md', '.github/**/*.md'], {
  cwd: ROOT,
})
  .sort()
  .map(readDocument);

function readDocument(path: string): Document {
  const prose: string[] = [];
  const fenced: string[] = [];
  let inFence = false;
  for (const line of readFileSync(`${ROOT}${path}`, 'utf8').split('\n')) {
    if (/^\s*```/.test(line)) inFence = !inFence;
    else (inFence ? fenced : prose).push(inFence ? line.trim() : line);
  }
  return { path, prose, fenced };
}

/** What stands between backticks in a line or in two that follow each other. */
export function inlineCode({ prose }: Document): string[] {
  return [...prose.join('\n').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s*\n\s*/g, ' '),
  );
}

/** The targets of `[text](target)` and `![text](target)`. */
export function links({ prose }: Document): string[] {
  const text = prose.join('\n').replaceAll(/`[^`]*`/g, 'code');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** What GitHub names the places of a document: its headings in small letters, hyphens for spaces, no punctuation. */
export function anchors({ prose }: Document): Set<string> {
  const seen = new Map<string, number>();
  const names = prose.flatMap((line) => {
    const [, heading] = /^#{1,6} (.*)$/.exec(line) ?? [];
    if (heading === undefined) return [];
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return [before === 0 ? name : `${name}-${before}`];
  });
  return new Set(names);
}
