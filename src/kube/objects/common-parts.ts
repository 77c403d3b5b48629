import type { Claim, Owner, Volume } from '../../reconcile/model.ts';
import { NO_LABELS } from './marks.ts';

/** Keeps one copy of what many objects have in common: a parser of JSON makes one for each. */
export class CommonParts {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();
  readonly #owners = new Map<string, Owner>();

  /** The same claim, with the common parts of those before it. */
  claim(claim: Claim): Claim {
    const { owner, accessModes } = claim;
    return {
      ...claim,
      namespace: this.#text(claim.namespace),
      phase: this.#text(claim.phase),
      storageClass: this.#text(claim.storageClass),
      volumeAttributesClass: this.#text(claim.volumeAttributesClass),
      volumeMode: this.#text(claim.volumeMode),
      requestedStorage: this.#text(claim.requestedStorage),
      accessModes: first(this.#lists, JSON.stringify(accessModes), accessModes),
      owner: owner && first(this.#owners, JSON.stringify([owner.clusterKey, owner.namespace]), owner),
    };
  }

  /** The same volume, likewise. */
  volume(volume: Volume): Volume {
    const { accessModes, claimRef } = volume;
    return {
      ...volume,
      labels: volume.labels.size === 0 ? NO_LABELS : volume.labels,
      phase: this.#text(volume.phase),
      claimRef: claimRef && { ...claimRef, namespace: this.#text(claimRef.namespace) },
      storageClass: this.#text(volume.storageClass),
      volumeAttributesClass: this.#text(volume.volumeAttributesClass),
      volumeMode: this.#text(volume.volumeMode),
      accessModes: first(this.#lists, JSON.stringify(accessModes), accessModes),
      capacity: this.#text(volume.capacity),
      reclaimPolicy: this.#text(volume.reclaimPolicy),
    };
  }

  #text(text: string): string {
    return first(this.#texts, text, text);
  }
}

/** What came first under this key. */
function first<T>(parts: Map<string, T>, key: string, part: T): T {
  const present = parts.get(key);
  if (present !== undefined) return present;
  parts.set(key, part);
  return part;
}
