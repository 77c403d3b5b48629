/** The software bill of materials, as CycloneDX JSON: what is in a binary, for those who watch for its weaknesses. */
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { Part } from './parts.ts';
import type { Project } from './project.ts';

/**
 * @param parts the packages in the bundle, and those that carry Node
 * @returns JSON; the same for the same parts, so it has no serial number
 */
export function makeSbom(project: Project, parts: readonly Part[]): string {
  const plugin = new Models.Component(Enums.ComponentType.Application, 'kubectl-vc-pvc', {
    version: project.version,
    licenses: licences('Apache-2.0'),
    bomRef: 'kubectl-vc-pvc',
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ timestamp: project.date, component: plugin }),
  });
  for (const part of parts) {
    const component = asComponent(part);
    bom.components.add(component);
    plugin.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function asComponent({ name, version, license, integrity }: Part): Models.Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return new Models.Component(Enums.ComponentType.Library, name, {
    version,
    purl,
    bomRef: purl,
    licenses: licences(license),
    hashes: new Models.HashDictionary([
      [
        Enums.HashAlgorithm['SHA-512'],
        Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
      ],
    ]),
  });
}

/** @param expression an SPDX identifier, or an expression of several */
function licences(expression: string): Models.LicenseRepository {
  const simple = /^[\w.+-]+$/.test(expression);
  return new Models.LicenseRepository([
    simple ? new Models.SpdxLicense(expression) : new Models.LicenseExpression(expression),
  ]);
}
