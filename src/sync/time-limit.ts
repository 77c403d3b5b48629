import { UserError } from '../errors.ts';

/** One request of sync: a tenant that does not answer must not hold the others up. Milliseconds. */
const LIMIT = 30_000;

/**
 * Does something with a signal that is aborted after a fixed time, and with the given one. For writes none is given, so
 * that what is under way is finished when the command is ended. Nothing of it is left once the work is done: a watch
 * makes hundreds of requests a second, for months.
 * @param limit milliseconds
 * @throws what the work throws
 */
export async function withTimeLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  limit = LIMIT,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new UserError(`no complete answer within ${limit / 1000}s`));
  }, limit);
  timer.unref();
  try {
    return await work(
      signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    );
  } finally {
    clearTimeout(timer);
  }
}
