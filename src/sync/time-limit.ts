import { UserError } from '../errors.ts';

/** One request of sync: a tenant that does not answer must not hold the others up. Milliseconds. */
const LIMIT = 30_000;

/**
 * A signal for one request: aborted after a fixed time, and with the given one. For writes none is given, so that what
 * is under way is finished when the command is ended.
 */
export function timeLimit(signal?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new UserError(`no complete answer within ${LIMIT / 1000}s`));
  }, LIMIT);
  timer.unref();
  return signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
}
