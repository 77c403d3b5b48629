/** A reflector and what is to be known of it: whether its first list is there, or has failed. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { Reflector } from '../kube/reflector.ts';
import type { ReflectorOptions, ReflectorSink, ReflectorState } from '../kube/reflector.ts';
import type { Resource } from '../kube/resources.ts';

/** What one reflector tells of itself. */
export interface Reflected {
  /** Its first list is in the sink. */
  readonly ready: boolean;
  /** Resolves with its first list, or with the first failure to get one. */
  readonly settled: Promise<void>;
  /** Milliseconds since the epoch of the last word of the server, 0 before the first. */
  readonly lastHeard: number;
  /** Why it does not get on; null where it does. */
  readonly error: UserError | null;
  /** @returns once the signal has ended it. @throws UserError that `giveUpOn` chose */
  run(): Promise<void>;
}

/** @param told of each change of `ready` and `error` */
export function reflected<T>(
  connection: ApiConnection,
  resource: Resource<T>,
  sink: ReflectorSink<T>,
  options: Omit<ReflectorOptions, 'onState'>,
  told: () => void,
): Reflected {
  let ready = false;
  let error: UserError | null = null;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const onState = (state: ReflectorState): void => {
    error = state.kind === 'failing' ? state.error : null;
    if (state.kind === 'failing') settle();
    told();
  };
  const noting: ReflectorSink<T> = {
    ...sink,
    replace: (objects) => {
      sink.replace(objects);
      ready = true;
      settle();
      told();
    },
  };
  const reflector = new Reflector(connection, resource, noting, { ...options, onState });
  return {
    settled,
    get ready() {
      return ready;
    },
    get lastHeard() {
      return reflector.lastHeard;
    },
    get error() {
      return error;
    },
    run: async () => {
      try {
        await reflector.run();
      } catch (failure) {
        if (failure instanceof UserError) error = failure;
        throw failure;
      } finally {
        settle();
      }
    },
  };
}
