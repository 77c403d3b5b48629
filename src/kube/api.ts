import type { ConnectionSettings } from './settings.ts';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The part of an API server connection that reads single objects and small lists as JSON. */
export interface ApiReader {
  readonly settings: ConnectionSettings;
  /** GET path -> parsed JSON. @throws StatusError for an answer that is not 2xx, UserError where there is no answer. */
  getJson(path: string, options?: RequestOptions): Promise<unknown>;
}
