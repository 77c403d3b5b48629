import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until a probe gives something truthy, and gives that.
 * @throws Error that names what was waited for, and the probe's last error
 */
export async function eventually<T>(
  description: string,
  probe: () => Promise<T | undefined | null | false>,
  timeout = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeout;
  let last: unknown = null;
  for (;;) {
    try {
      const result = await probe();
      if (result !== undefined && result !== null && result !== false) return result;
      last = null;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`waited ${timeout / 1000} s in vain for: ${description}`, { cause: last });
    }
    await delay(50);
  }
}
