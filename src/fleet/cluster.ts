/** What a comparison reads from one cluster, be it live or recorded. */
import type { Claim, Evidence } from '../reconcile/model.ts';
import type { Needs } from '../reconcile/needs.ts';

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
}
