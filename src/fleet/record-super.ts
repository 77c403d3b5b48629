/** The super cluster's part of a recording. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import { NAMESPACES, STORAGE_CLASSES, VOLUMES } from '../kube/resources.ts';
import type { Claim, ClaimRef, Namespace, VirtualCluster } from '../reconcile/model.ts';
import { indexSuperClaims } from '../reconcile/pair.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import { recordNamespace, recordStorageClass, recordVolume } from '../snapshot/record.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';
import type { RedactedNames } from '../snapshot/redacted-names.ts';
import { ClaimRecorder } from './claim-recorder.ts';
import { listRecords } from './list-records.ts';
import { recordClaimants } from './record-claimants.ts';
import type { RecordScope } from './record-scope.ts';
import { claimsOfTenants } from './super-claims.ts';

export interface SuperRecorderOptions {
  readonly scope: RecordScope;
  /** Whether the claims of all namespaces are listed at once. */
  readonly everything: boolean;
  /** Told of every namespace that a super namespace was made for; null where names are not replaced. */
  readonly names: RedactedNames | null;
  readonly onClaims: (more: number) => void;
}

export class SuperRecorder {
  readonly claims: ClaimRecorder;
  readonly #api: ApiConnection;
  readonly #options: SuperRecorderOptions;

  constructor(api: ApiConnection, options: SuperRecorderOptions) {
    this.#api = api;
    this.#options = options;
    this.claims = new ClaimRecorder(api, (claim) => options.scope.hasClaim(claim), options.onClaims);
  }

  /** The claims of these tenants, to be compared with. @throws UserError */
  async index(tenants: readonly VirtualCluster[], signal: AbortSignal): Promise<SuperClaims> {
    const found = await this.#list(tenants, signal);
    for (const { owner } of found) this.#learn(owner);
    return indexSuperClaims(found);
  }

  /**
   * The rest of the super cluster, read once every tenant is: what a cause depends on must not be older than the
   * claims. @throws UserError
   */
  async objects(
    tenantVolumeNames: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Iterable<RecordedObject>> {
    const { scope } = this.#options;
    const named = this.claims.volumeNames.union(tenantVolumeNames);
    const namespaces = await listRecords(this.#api, NAMESPACES, recordNamespace, this.#admit, signal);
    const refs: ClaimRef[] = [];
    const volumes = await listRecords(
      this.#api,
      VOLUMES,
      recordVolume,
      (volume) => {
        const wanted = scope.hasVolume(volume, named);
        if (wanted && volume.claimRef !== null && this.#isForeign(volume.claimRef))
          refs.push(volume.claimRef);
        return wanted;
      },
      signal,
    );
    const claimants = await recordClaimants(this.#api, refs, signal);
    const classes = await listRecords(this.#api, STORAGE_CLASSES, recordStorageClass, () => true, signal);
    return inTurn([namespaces, this.claims.records(), claimants, volumes, classes]);
  }

  async #list(tenants: readonly VirtualCluster[], signal: AbortSignal): Promise<readonly Claim[]> {
    const namespaces = (await listAll(this.#api, NAMESPACES, { namespace: null, signal })).filter(
      this.#admit,
    );
    if (this.#options.everything) return this.claims.claims(null, signal);
    return claimsOfTenants(tenants, namespaces, this.claims, signal);
  }

  /** Whether a claim that a volume names may be there without being recorded. */
  #isForeign({ namespace, name }: ClaimRef): boolean {
    return !this.#options.scope.hasPlace(namespace) && !this.claims.has(namespace, name);
  }

  readonly #admit = (namespace: Namespace): boolean => {
    const admitted = this.#options.scope.admit(namespace);
    if (admitted) this.#learn(namespace.owner);
    return admitted;
  };

  #learn(owner: Namespace['owner']): void {
    if (owner !== null) this.#options.names?.learn(owner.clusterKey, owner.namespace);
  }
}

/** What is in one part after the other. */
export function* inTurn<T>(parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}
