/** Which of the VirtualClusters that can be seen are to be looked at. */
import { UserError } from '../errors.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { Skipped } from '../reconcile/report.ts';

export interface Selection {
  readonly running: readonly VirtualCluster[];
  readonly skipped: readonly Skipped[];
}

/**
 * Only Running VirtualClusters are synced, so only they have anything to compare; the others are told.
 * @param visible those of the namespace asked for, or of all
 * @param names NAME or NAMESPACE/NAME; empty for all
 * @throws UserError for a name that none has, or several have.
 */
export function selectVirtualClusters(
  visible: readonly VirtualCluster[],
  names: readonly string[],
): Selection {
  const chosen = names.length === 0 ? visible : [...new Set(names.map((name) => findOne(visible, name)))];
  return {
    running: chosen.filter(({ phase }) => phase === 'Running'),
    skipped: chosen
      .filter(({ phase }) => phase !== 'Running')
      .map(({ namespace, name, phase }) => ({
        virtualCluster: { namespace, name },
        reason: `phase ${phase || '<none>'}, only Running VirtualClusters are synced`,
      })),
  };
}

function findOne(visible: readonly VirtualCluster[], wanted: string): VirtualCluster {
  const found = visible.filter(({ namespace, name }) => wanted === name || wanted === `${namespace}/${name}`);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  const known = (found.length > 1 ? found : visible).map(({ namespace, name }) => `${namespace}/${name}`);
  const listed =
    known.length > 8 ? `${known.slice(0, 8).join(', ')} and ${known.length - 8} more` : known.join(', ');
  if (found.length > 1) {
    throw new UserError(`VirtualCluster ${wanted} is ambiguous: ${listed}; name it as NAMESPACE/NAME`);
  }
  throw new UserError(
    `VirtualCluster ${wanted || '""'} not found${known.length === 0 ? ': no VirtualCluster is visible here' : `; visible are ${listed}`}`,
  );
}
