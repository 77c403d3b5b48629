/** The super cluster as a watch sees it: VirtualClusters, claims, what causes rest on, and kubeconfigs that change. */
import { UserError } from '../errors.ts';
import { VIRTUAL_CLUSTERS } from '../fleet/virtual-clusters.ts';
import type { ApiConnection } from '../kube/connection.ts';
import { CLAIMS, SECRET_METADATA } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim, Evidence, VirtualCluster } from '../reconcile/model.ts';
import { CachedCluster } from './cached-cluster.ts';
import { EvidenceStores } from './evidence-stores.ts';
import type { EvidenceChange } from './evidence-stores.ts';
import { ObjectStore } from './object-store.ts';
import { reflected } from './reflected.ts';
import type { Reflected } from './reflected.ts';
import type { SuperView } from './reconciler.ts';
import { SuperClaimStore } from './super-claim-store.ts';

export interface SuperListener {
  virtualCluster(before: VirtualCluster | null, after: VirtualCluster | null): void;
  claim(before: Claim | null, after: Claim | null): void;
  evidence(change: EvidenceChange): void;
  /** The Secret with a tenant's kubeconfig was changed. @param rootNamespace its namespace, the tenant's cluster key */
  kubeconfig(rootNamespace: string): void;
  /** `isUp` or `error` has changed. */
  health(): void;
}

/** Where the tenants' kubeconfigs are, unless their VirtualCluster says otherwise (virtualcluster/kubeconfig-source.ts). */
const KUBECONFIG_SECRET = 'metadata.name=admin-kubeconfig';

export class SuperWatch implements SuperView {
  readonly claims: SuperClaimStore;
  readonly virtualClusters: ObjectStore<VirtualCluster>;
  readonly reader: CachedCluster;
  readonly #connection: ApiConnection;
  readonly #signal: AbortSignal;
  readonly #listener: SuperListener;
  readonly #evidence: EvidenceStores;
  readonly #needed: readonly Reflected[];

  /** @param namespace of the VirtualClusters in view; null for all */
  constructor(
    connection: ApiConnection,
    namespace: string | null,
    listener: SuperListener,
    signal: AbortSignal,
  ) {
    this.#connection = connection;
    this.#signal = signal;
    this.#listener = listener;
    this.claims = new SuperClaimStore((before, after) => listener.claim(before, after));
    this.virtualClusters = new ObjectStore((before, after) => listener.virtualCluster(before, after));
    this.#evidence = new EvidenceStores(true, (change) => listener.evidence(change));
    this.reader = new CachedCluster(connection, this.#evidence, signal);
    const told = (): void => listener.health();
    const claims: Reflected = reflected(
      connection,
      CLAIMS,
      this.claims.sink,
      { namespace: null, signal, giveUpOn: () => !claims.ready },
      told,
    );
    const virtualClusters: Reflected = reflected(
      connection,
      VIRTUAL_CLUSTERS,
      this.virtualClusters.sink(null),
      { namespace, signal, giveUpOn: () => !virtualClusters.ready },
      told,
    );
    this.#needed = [virtualClusters, claims];
  }

  get evidence(): Evidence {
    return this.#evidence.evidence;
  }

  /** VirtualClusters and claims are known, and changes are told. */
  get isUp(): boolean {
    return this.#needed.every(({ ready, error }) => ready && error === null);
  }

  get error(): UserError | null {
    return this.#needed.find(({ error }) => error !== null)?.error ?? null;
  }

  /** Milliseconds since the epoch of the last word of the server, 0 before the first. */
  get lastHeard(): number {
    return Math.max(...this.#needed.map(({ lastHeard }) => lastHeard));
  }

  /** Resolves once VirtualClusters, claims and evidence are known; a kind of evidence that is not to be had is done without. */
  async known(): Promise<void> {
    await Promise.all([
      ...this.#needed.map(({ settled }) => settled),
      this.#evidence.start(this.#connection, this.#signal),
    ]);
  }

  /** Watches until the signal is aborted. @throws UserError where the first list of what is needed cannot be had */
  async run(): Promise<void> {
    void this.#watchKubeconfigs();
    await Promise.all(this.#needed.map((one) => one.run()));
  }

  /** Only that they have changed: their content never comes this way. Without the permission a refused credential tells. */
  async #watchKubeconfigs(): Promise<void> {
    let listed = false;
    const changed = ({ namespace }: { readonly namespace: string }): void => {
      if (listed) this.#listener.kubeconfig(namespace);
    };
    const seen = new ObjectStore<{ namespace: string; name: string; uid: string; resourceVersion: string }>(
      (_before, after) => {
        if (after !== null) changed(after);
      },
    );
    const one = reflected(
      this.#connection,
      SECRET_METADATA,
      seen.sink(null),
      {
        namespace: null,
        fieldSelector: KUBECONFIG_SECRET,
        signal: this.#signal,
        giveUpOn: (error) => error instanceof StatusError && error.code === 403,
      },
      () => {
        listed ||= one.ready;
      },
    );
    await one.run().catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
    });
  }
}
