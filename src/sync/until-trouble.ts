import { UserError } from '../errors.ts';
import { mapConcurrently } from '../fleet/concurrency.ts';

/**
 * Writes one claim after the other, several at a time, until one fails for want of a permission or of an answer: then no
 * other would do better. What was done until then is kept.
 * @param onTrouble told of the failure, and of how many were left
 * @returns the results of those that did not fail
 */
export async function untilTrouble<T, R>(
  elements: readonly T[],
  limit: number,
  apply: (element: T) => Promise<R>,
  onTrouble: (error: UserError) => void,
): Promise<R[]> {
  let left = 0;
  const done: R[] = [];
  await mapConcurrently(elements, limit, async (element) => {
    if (left === 0) {
      try {
        done.push(await apply(element));
        return;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        onTrouble(error);
      }
    }
    left += 1;
  });
  if (left > 0) onTrouble(new UserError(`${left} of ${elements.length} claims were not written`));
  return done;
}
