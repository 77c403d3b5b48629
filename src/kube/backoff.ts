/** As client-go tools/cache/reflector.go, defaultBackoffInit. Milliseconds. */
const FIRST = 800;
/** defaultBackoffMax there; with the jitter a wait is at most twice as long. Milliseconds. */
const LONGEST = 30_000;

/**
 * How long to wait after failures in a row: client-go's reflector's, doubled with each, up to twice as long by chance
 * so that many clients of a server that comes back do not all come at once.
 * @param failures 1 or more
 * @param random as Math.random
 * @returns milliseconds
 */
export function backoff(failures: number, random: () => number): number {
  return Math.min(FIRST * 2 ** (failures - 1), LONGEST) * (1 + random());
}
