/** Claims of others that hold a recorded volume: without them `explain` would say of a holder that it is gone. */
import type { ApiConnection } from '../kube/connection.ts';
import { CLAIMS, objectPath } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { ClaimRef } from '../reconcile/model.ts';
import { recordClaimant } from '../snapshot/record.ts';
import type { RecordedClaim } from '../snapshot/recorded.ts';
import { mapConcurrently } from './concurrency.ts';

const READS_AT_ONCE = 8;

/**
 * Reads each claim once by its name, and keeps no more than that it is there.
 * @param refs of recorded volumes, without the claims that are recorded anyway; one without a name is left out
 * @throws UserError where one cannot be read; one that is gone is left out
 */
export async function recordClaimants(
  api: ApiConnection,
  refs: readonly ClaimRef[],
  signal: AbortSignal,
): Promise<readonly RecordedClaim[]> {
  const places = new Map(
    refs
      .filter(({ namespace, name }) => namespace !== '' && name !== '')
      .map((ref) => [`${ref.namespace}/${ref.name}`, ref]),
  );
  const found = await mapConcurrently([...places.values()], READS_AT_ONCE, ({ namespace, name }) =>
    readClaimant(api, objectPath(CLAIMS, namespace, name), signal),
  );
  return found.filter((one) => one !== null);
}

async function readClaimant(
  api: ApiConnection,
  path: string,
  signal: AbortSignal,
): Promise<RecordedClaim | null> {
  try {
    return recordClaimant(await api.getJson(path, { signal }));
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return null;
    throw error;
  }
}
