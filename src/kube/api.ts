import type { ConnectionSettings } from './settings.ts';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /**
   * Default true: an answer that says when to come again (429, or 5xx with Retry-After) is waited for. false: it is
   * an error like any other, which says when.
   */
  readonly waits?: boolean;
}

/** A request that changes something. */
export interface Write extends Omit<RequestOptions, 'waits'> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Content type of the body; plain JSON where absent. A PATCH must say which kind it is. */
  readonly type?: string;
  /** Called right before it is sent, each time that it is; what it throws keeps it from being sent. */
  readonly beforeSending?: () => void;
  /**
   * Default false. true: neither an answer that says when to come again nor a connection that was closed has it sent once
   * more, for by then what it says may not be true any more.
   */
  readonly once?: boolean;
}

/** k8s.io/apimachinery pkg/types/patch.go. */
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** The part of an API server connection that reads single objects and small lists as JSON. */
export interface ApiReader {
  readonly settings: ConnectionSettings;
  /** GET path -> parsed JSON. @throws StatusError for an answer that is not 2xx, UserError where there is no answer. */
  getJson(path: string, options?: RequestOptions): Promise<unknown>;
}
