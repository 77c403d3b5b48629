/** What has to be read, besides the claims, to tell the causes of some pairs and the phases of their volumes. */
import { causeSide } from './cause.ts';
import type { Pair, Verdict } from './model.ts';

/** What is needed from one cluster. */
export interface Needs {
  /** Volumes by name. */
  readonly volumes: Set<string>;
  /** All volumes: only they show whether any names a claim. */
  allVolumes: boolean;
  storageClasses: boolean;
  namespaces: boolean;
}

/** Nothing needed yet. */
export function noNeeds(): Needs {
  return { volumes: new Set(), allVolumes: false, storageClasses: false, namespaces: false };
}

/**
 * Adds what one pair needs.
 * @param needs what is needed from the tenant and from the super cluster so far; both are added to
 */
export function addNeeds(needs: { tenant: Needs; super: Needs }, pair: Pair, verdict: Verdict): void {
  const names = [pair.tenant?.volumeName ?? '', pair.super?.volumeName ?? ''].filter((name) => name !== '');
  for (const name of names) {
    if (pair.tenant !== null) needs.tenant.volumes.add(name);
    needs.super.volumes.add(name);
  }
  const side = causeSide(pair, verdict);
  if (side === null || verdict === 'OwnerMismatch') return;
  if (pair.super === null) {
    needs.super.namespaces = true;
    needs.super.allVolumes = true;
    return;
  }
  const claim = side === 'tenant' ? pair.tenant : pair.super;
  if (claim !== null && claim.volumeName === '' && claim.storageClass !== '')
    needs[side].storageClasses = true;
}
