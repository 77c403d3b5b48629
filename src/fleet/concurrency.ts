/**
 * Applies an asynchronous function to every element, at most `limit` at a time, and gives the results in order.
 * The first failure ends the whole; calls under way are not awaited.
 */
export async function mapConcurrently<T, R>(
  elements: readonly T[],
  limit: number,
  apply: (element: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(elements.length);
  const entries = elements.entries();
  const work = async (): Promise<void> => {
    // The workers share one iterator: each takes the next element that none has taken.
    for (const [index, element] of entries) results[index] = await apply(element);
  };
  await Promise.all(Array.from({ length: Math.min(limit, elements.length) }, work));
  return results;
}
