/** The licences of everything in a binary, as they ask to be passed on with it. */
import type { Part } from './parts.ts';

/** @param parts those with the same text are named together above it */
export function thirdPartyLicenses(parts: readonly Part[]): string {
  const byText = Map.groupBy(parts, ({ texts }) => texts);
  const sections = [...byText].map(([texts, sharing]) => {
    const names = sharing.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${names.join('\n')}\n${'-'.repeat(80)}\n${texts.replaceAll('\r\n', '\n')}\n`;
  });
  return `This program is made of its own code (see LICENSE) and of the following.\n\n${sections.join(`\n${'='.repeat(80)}\n`)}`;
}
