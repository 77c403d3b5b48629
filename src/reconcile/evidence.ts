/** Lookups over objects that were read, as the causes ask for them. */
import type { Namespace, NamespaceLookup, Volume, VolumeLookup } from './model.ts';
import { ownerKey } from './pair.ts';

/**
 * @param all whether these are all volumes of their cluster, or only some that were asked for by name
 */
export function volumeLookup(volumes: Iterable<Volume>, all: boolean): VolumeLookup {
  const byName = new Map<string, Volume>();
  for (const volume of volumes) byName.set(volume.name, volume);
  return { byName, byClaim: all ? volumesByClaim(byName) : null };
}

/** Of several volumes that name one claim the alphabetically first is kept, so that the order of reading is no matter. */
function volumesByClaim(byName: ReadonlyMap<string, Volume>): Map<string, Volume> {
  const byClaim = new Map<string, Volume>();
  for (const volume of byName.values()) {
    if (volume.claimRef === null) continue;
    const claim = `${volume.claimRef.namespace}/${volume.claimRef.name}`;
    const present = byClaim.get(claim);
    if (present === undefined || volume.name < present.name) byClaim.set(claim, volume);
  }
  return byClaim;
}

/** @param namespaces all namespaces of the super cluster */
export function namespaceLookup(namespaces: Iterable<Namespace>): NamespaceLookup {
  const names = new Set<string>();
  const owners = new Set<string>();
  for (const namespace of namespaces) {
    names.add(namespace.name);
    if (namespace.owner !== null) owners.add(ownerKey(namespace.owner));
  }
  return { names, owners };
}
