/** When a request is worth asking again. */
import type { UserError } from '../errors.ts';
import type { RawAnswer } from './answer.ts';

/** A server may name any time to wait; longer than this is not believed. Seconds. */
const LONGEST_RETRY_AFTER = 30;

/** A header's first value, "" where there is none. @param name in lower case */
export function header(answer: RawAnswer, name: string): string {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Seconds to wait before asking again, null where the answer is final. client-go rest/with_retry.go. */
export function retryAfter(answer: RawAnswer): number | null {
  const value = header(answer, 'retry-after');
  if (answer.statusCode === 429) return Math.min(Number.parseInt(value, 10) || 1, LONGEST_RETRY_AFTER);
  if (answer.statusCode < 500 || !/^\d+$/.test(value)) return null;
  return Math.min(Number(value), LONGEST_RETRY_AFTER);
}

/** Waits, unless the signal ends it: then it fails with what `aborted` gives. */
export function pause(
  milliseconds: number,
  signal: AbortSignal | null,
  aborted: () => UserError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
