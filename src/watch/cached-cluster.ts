/** A cluster of which evidence is at hand, and claims are read as they are at the moment. */
import type { ClusterReader, EventSource, ObjectKind } from '../fleet/cluster.ts';
import { LiveCluster } from '../fleet/live-cluster.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { Claim, Evidence } from '../reconcile/model.ts';
import type { EvidenceStores } from './evidence-stores.ts';

export class CachedCluster implements ClusterReader {
  readonly #live: LiveCluster;
  readonly #stores: EvidenceStores;

  constructor(connection: ApiConnection, stores: EvidenceStores, signal: AbortSignal) {
    this.#live = new LiveCluster(connection, { signal });
    this.#stores = stores;
  }

  claims(namespace: string | null, signal: AbortSignal): Promise<Claim[]> {
    return this.#live.claims(namespace, signal);
  }

  claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | null> {
    return this.#live.claim(namespace, name, signal);
  }

  object(kind: ObjectKind, namespace: string | null, name: string, signal: AbortSignal): Promise<unknown> {
    return this.#live.object(kind, namespace, name, signal);
  }

  events(object: EventSource, signal: AbortSignal): Promise<readonly unknown[]> {
    return this.#live.events(object, signal);
  }

  evidence(): Promise<Evidence> {
    return Promise.resolve(this.#stores.evidence);
  }
}
