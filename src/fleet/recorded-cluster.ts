import type { Claim, Evidence } from '../reconcile/model.ts';
import type { RecordedCluster } from '../snapshot/snapshot.ts';
import type { ClusterReader } from './cluster.ts';

/** Reads from a snapshot that is already in memory. */
export function recordedReader(cluster: RecordedCluster): ClusterReader {
  const { claims, evidence, objects } = cluster;
  return {
    claims: (namespace: string | null): Promise<Claim[]> =>
      Promise.resolve(claims.filter((claim) => namespace === null || claim.namespace === namespace)),
    claim: (namespace: string, name: string): Promise<Claim | null> =>
      Promise.resolve(claims.find((claim) => claim.namespace === namespace && claim.name === name) ?? null),
    evidence: (): Promise<Evidence> => Promise.resolve(evidence),
    object: (kind, namespace, name) => {
      if (objects === null) throw new TypeError('the recording was read without its objects');
      const found = objects[kind].find((object) => {
        const { metadata } = object as { metadata: { namespace?: unknown; name: unknown } };
        return metadata.name === name && (metadata.namespace ?? null) === namespace;
      });
      return Promise.resolve(found ?? null);
    },
    events: () => Promise.resolve([]),
  };
}
