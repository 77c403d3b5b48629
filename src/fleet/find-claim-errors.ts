/** What is said where a claim is not found, or found too often. */
import { UserError, oneLine } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Claim, VirtualCluster } from '../reconcile/model.ts';

interface Asked {
  readonly virtualCluster: string | null;
  readonly namespace: string;
  readonly name: string;
}

/** Where a claim is, as its tenant sees it. */
export interface Place {
  readonly virtualCluster: VirtualCluster;
  readonly namespace: string;
}

/** How many VirtualClusters were searched, of how many. */
interface Extent {
  readonly searched: number;
  readonly of: number;
}

/** More places than this help nobody. */
const MOST_PLACES = 8;

/** @param found all that the question may mean */
export function ambiguous({ namespace, name }: Asked, found: readonly Place[]): UserError {
  const places = found.map((place) => `${label(place.virtualCluster)}/${place.namespace}/${name}`);
  return new UserError(
    oneLine(
      `claim ${namespace}/${name} is in several VirtualClusters: ${listed(places)}; name it as one of these`,
    ),
  );
}

/** @param claims all there are, for the nearest name */
export function notFound(asked: Asked, claims: readonly Claim[], { searched, of }: Extent): UserError {
  const claim = `claim ${asked.namespace}/${asked.name}`;
  if (of === 0)
    return new UserError(oneLine(`${claim} not found: no Running VirtualCluster is visible here`));
  if (searched === 0) {
    return new UserError(oneLine(`${claim} not found: no VirtualCluster of ${of} could be searched`));
  }
  const unsearched = searched === of ? '' : ` (${of - searched} more could not be searched)`;
  const where =
    asked.virtualCluster === null
      ? `${searched === 1 ? 'the VirtualCluster' : `any of ${searched} VirtualClusters`}${unsearched}`
      : `VirtualCluster ${asked.virtualCluster}`;
  const known = [...new Set(claims.map(({ namespace, name }) => `${namespace}/${name}`))];
  const hint = nearest(`${asked.namespace}/${asked.name}`, known) || relatedPlaces(asked, known);
  return new UserError(oneLine(`${claim} not found in ${where}${hint}`));
}

/** The name may be right and the namespace wrong altogether, or the other way round. */
function relatedPlaces({ namespace, name }: Asked, known: readonly string[]): string {
  const sameName = known.filter((place) => place.endsWith(`/${name}`));
  const places = sameName.length > 0 ? sameName : known.filter((place) => place.startsWith(`${namespace}/`));
  return places.length === 0 ? '' : `; there is ${listed(places)}`;
}

/** NAMESPACE/NAME. */
export function label({ namespace, name }: Pick<VirtualCluster, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function listed(places: readonly string[]): string {
  const more = places.length - MOST_PLACES;
  return more > 0 ? `${places.slice(0, MOST_PLACES).join(', ')} and ${more} more` : places.join(', ');
}
