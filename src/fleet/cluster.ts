/** What a comparison reads from one cluster, be it live or recorded. */
import type { Claim, Evidence } from '../reconcile/model.ts';
import type { Needs } from '../reconcile/needs.ts';

/** Kinds of which single objects are read whole. */
export type ObjectKind = 'PersistentVolumeClaim' | 'PersistentVolume' | 'Namespace';

export interface ClaimReader {
  /**
   * All claims, or those of one namespace.
   * @param namespace null for all
   */
  claims(namespace: string | null, signal: AbortSignal): Promise<Claim[]>;
  /** One claim as it is now, null where it does not exist. */
  claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | null>;
}

export interface ClusterReader extends ClaimReader {
  /** At least what is needed. Kinds that were not read are null. */
  evidence(needs: Needs, signal: AbortSignal): Promise<Evidence>;
  /**
   * One object as it stands, null where it does not exist.
   * @param namespace null for a kind that has none
   */
  object(kind: ObjectKind, namespace: string | null, name: string, signal: AbortSignal): Promise<unknown>;
  /** The events on an object, of untrusted shape; none in a recording. */
  events(object: EventSource, signal: AbortSignal): Promise<readonly unknown[]>;
}

/** The object that events are asked for. */
export interface EventSource {
  /** null for a kind that has none. */
  readonly namespace: string | null;
  readonly uid: string;
}
