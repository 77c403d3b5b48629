/** Lookups over objects that were read, as the causes ask for them. */
import { FirstFits } from './first-fit.ts';
import type { Evidence, Namespace, NamespaceLookup, Volume, VolumeLookup } from './model.ts';
import { ownerKey } from './pair.ts';

/**
 * @param all whether these are all volumes of their cluster, or only some that were asked for by name
 */
export function volumeLookup(volumes: Iterable<Volume>, all: boolean): VolumeLookup {
  const byName = new Map<string, Volume>();
  for (const volume of volumes) byName.set(volume.name, volume);
  if (!all) return { byName, byClaim: null, firstFit: null };
  const fits = new FirstFits(grouped(byName, classOfUnclaimed));
  return { byName, byClaim: grouped(byName, claimOf), firstFit: (claim) => fits.of(claim) };
}

/** The volumes of these names alone, which is all that a report shows: what else was read can be let go of. */
export function onlyVolumes({ volumes }: Evidence, names: Iterable<string>): Evidence {
  const found = Iterator.from(names)
    .map((name) => volumes?.byName.get(name))
    .filter((one) => one !== undefined);
  return { volumes: volumes && volumeLookup(found, false), storageClasses: null, namespaces: null };
}

/** Volumes by a key of theirs, each group in the order of names, so that the order of reading is no matter. */
function grouped(
  byName: ReadonlyMap<string, Volume>,
  keyOf: (volume: Volume) => string | null,
): ReadonlyMap<string, readonly Volume[]> {
  const groups = new Map<string, Volume[]>();
  for (const volume of byName.values()) {
    const key = keyOf(volume);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [volume]);
    else group.push(volume);
  }
  for (const group of groups.values()) group.sort((a, b) => (a.name < b.name ? -1 : 1));
  return groups;
}

function claimOf({ claimRef }: Volume): string | null {
  return claimRef === null ? null : `${claimRef.namespace}/${claimRef.name}`;
}

function classOfUnclaimed(volume: Volume): string | null {
  return volume.claimRef === null ? volume.storageClass : null;
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
