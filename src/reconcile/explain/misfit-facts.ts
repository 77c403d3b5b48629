/** Where a claim and an unclaimed volume do not fit: the fields that fit.ts compares, those that differ alone. */
import { bytesOf } from '../quantity.ts';
import type { Fact } from './explanation.ts';
import { claimFact, volumeFact } from './fact.ts';
import type { Side } from './scene.ts';

/** What the claim asks for and what the volume is, field by field. */
export function misfitFacts(side: Side): Fact[] {
  const { claim, volume } = side;
  if (claim === null || volume === null) return [];
  const facts: Fact[] = [];
  const compare = (field: string, asked: string, is: string, of = field): void => {
    facts.push(claimFact(side, claim, field, asked, null), volumeFact(side, of, is, asked));
  };
  const [size, request] = [bytesOf(volume.capacity), bytesOf(claim.requestedStorage)];
  if (size !== null && request !== null && size < request) {
    facts.push(
      claimFact(side, claim, 'spec.resources.requests.storage', claim.requestedStorage, null),
      volumeFact(side, 'spec.capacity.storage', volume.capacity, `at least ${claim.requestedStorage}`),
    );
  }
  if (claim.storageClass !== volume.storageClass) {
    compare('spec.storageClassName', claim.storageClass, volume.storageClass);
  }
  if (claim.volumeMode !== volume.volumeMode) {
    compare('spec.volumeMode', claim.volumeMode, volume.volumeMode);
  }
  if (claim.volumeAttributesClass !== volume.volumeAttributesClass) {
    compare('spec.volumeAttributesClassName', claim.volumeAttributesClass, volume.volumeAttributesClass);
  }
  const lacking = claim.accessModes.filter((mode) => !volume.accessModes.includes(mode));
  if (lacking.length > 0) {
    compare('spec.accessModes', claim.accessModes.join(', '), volume.accessModes.join(', '));
  }
  if (volume.terminating) {
    facts.push(volumeFact(side, 'metadata.deletionTimestamp', volume.deletionTimestamp, 'none'));
  }
  return facts;
}
