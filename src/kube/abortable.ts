/**
 * Waits for something that heeds no signal.
 * @param aborted makes the error it rejects with where the signal is aborted first
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | null, aborted: () => Error): Promise<T> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(aborted());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
