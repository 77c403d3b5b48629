import { UserError } from '../errors.ts';

/** One request of sync: a tenant that does not answer must not hold the others up. Milliseconds. */
const LIMIT = 30_000;

/**
 * A signal for one request: aborted after a fixed time, and with the given one. For writes none is given, so that what
 * is under way is finished when the command is ended.
 * @param limit milliseconds
 */
export function timeLimit(signal?: AbortSignal, limit = LIMIT): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new UserError(`no complete answer within ${limit / 1000}s`));
  }, limit);
  timer.unref();
  return signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
}
