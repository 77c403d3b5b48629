import { UserError } from '../errors.ts';
import { mapConcurrently } from '../fleet/concurrency.ts';

/** Writes in flight in one tenant: its API server has other work to do. */
const WRITES_AT_ONCE = 8;

/**
 * Writes claims, several at a time, until one fails for want of a permission or of an answer: then no other would do
 * better, and the tenant has trouble enough. Every claim gets its result, in order.
 * @param failed the result of one that failed, or (null) was not tried for that reason
 */
export async function untilTrouble<T, R>(
  elements: readonly T[],
  apply: (element: T) => Promise<R>,
  failed: (element: T, error: UserError | null) => R,
): Promise<R[]> {
  let trouble = false;
  return mapConcurrently(elements, WRITES_AT_ONCE, async (element) => {
    if (trouble) return failed(element, null);
    try {
      return await apply(element);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      trouble = true;
      return failed(element, error);
    }
  });
}

/** Why a claim was not tried. */
export const NOT_TRIED = 'not tried, since another claim of the tenant failed';
