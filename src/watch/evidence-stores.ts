/** What causes rest on, as one cluster holds it now: volumes, classes and, in the super cluster, namespaces. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { ReflectorSink } from '../kube/reflector.ts';
import { NAMESPACES, STORAGE_CLASSES, VOLUMES } from '../kube/resources.ts';
import type { Resource } from '../kube/resources.ts';
import { namespaceLookup } from '../reconcile/evidence.ts';
import type { Evidence, Namespace, NamespaceLookup, StorageClass, Volume } from '../reconcile/model.ts';
import { ObjectStore } from './object-store.ts';
import { reflected } from './reflected.ts';
import type { Reflected } from './reflected.ts';
import { VolumeStore } from './volume-store.ts';

/** What has changed since it was last told. */
export interface EvidenceChange {
  /** Names of volumes. */
  readonly volumes: ReadonlySet<string>;
  /** `<namespace>/<name>` of claims that a changed volume names, or named. */
  readonly claims: ReadonlySet<string>;
  /** A volume without claimRef came, changed or went: a claim that names no volume may take it. */
  readonly unclaimed: boolean;
  /** Namespaces of the super cluster came or went. */
  readonly namespaces: boolean;
  /** Classes, or a kind became known. */
  readonly rest: boolean;
}

interface PendingChange {
  readonly volumes: Set<string>;
  readonly claims: Set<string>;
  unclaimed: boolean;
  namespaces: boolean;
  rest: boolean;
}

/** Changes come in bursts; a cause may be told this much later. Milliseconds. */
const BURST = 50;

export class EvidenceStores {
  readonly #changed: (change: EvidenceChange) => void;
  readonly #volumes: VolumeStore;
  readonly #classes: ObjectStore<StorageClass>;
  readonly #namespaces: ObjectStore<Namespace> | null;
  /** Kinds of which a list has been seen, in this session with the cluster or an earlier one. */
  readonly #known = new Set<'volumes' | 'classes' | 'namespaces'>();
  #started = false;
  #lookup: NamespaceLookup | null = null;
  #pending: PendingChange | null = null;

  /** @param withNamespaces the super cluster's */
  constructor(withNamespaces: boolean, changed: (change: EvidenceChange) => void) {
    this.#changed = changed;
    this.#volumes = new VolumeStore((before, after) => this.#noteVolumes(before, after));
    this.#classes = new ObjectStore<StorageClass>(() => this.#noteRest());
    this.#namespaces = withNamespaces
      ? new ObjectStore<Namespace>(() => {
          this.#lookup = null;
          this.#note().namespaces = true;
        })
      : null;
  }

  /** Whether `start` has been called. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** A kind that is not there (yet, or for want of a permission) is null. */
  get evidence(): Evidence {
    return {
      volumes: this.#known.has('volumes') ? this.#volumes : null,
      storageClasses: this.#known.has('classes') ? (this.#classes.byPlace.get('') ?? NO_CLASSES) : null,
      namespaces: this.#known.has('namespaces') ? this.#namespaceLookup() : null,
    };
  }

  /** @returns once every kind is there, or has failed for the first time; it goes on until the signal is aborted */
  async start(connection: ApiConnection, signal: AbortSignal): Promise<void> {
    this.#started = true;
    const options = { namespace: null, signal };
    const follow = <T>(
      kind: 'volumes' | 'classes' | 'namespaces',
      resource: Resource<T>,
      sink: ReflectorSink<T>,
    ): Promise<void> => {
      const one: Reflected = reflected(connection, resource, sink, options, () => {
        if (one.ready) this.#known.add(kind);
        this.#noteRest();
      });
      // Causes do without what cannot be had, so a failure ends nothing; one that is no UserError is a mistake of ours.
      one.run().catch(throwUnlessUser);
      return one.settled;
    };
    await Promise.all([
      follow('volumes', VOLUMES, this.#volumes.sink),
      follow('classes', STORAGE_CLASSES, this.#classes.sink(null)),
      ...(this.#namespaces === null ? [] : [follow('namespaces', NAMESPACES, this.#namespaces.sink(null))]),
    ]);
  }

  #namespaceLookup(): NamespaceLookup {
    this.#lookup ??= namespaceLookup(this.#namespaces ?? []);
    return this.#lookup;
  }

  #noteVolumes(before: Volume | null, after: Volume | null): void {
    const pending = this.#note();
    for (const volume of [before, after]) {
      if (volume === null) continue;
      pending.volumes.add(volume.name);
      if (volume.claimRef === null) pending.unclaimed = true;
      else pending.claims.add(`${volume.claimRef.namespace}/${volume.claimRef.name}`);
    }
  }

  #noteRest(): void {
    this.#note().rest = true;
  }

  #note(): PendingChange {
    if (this.#pending !== null) return this.#pending;
    const pending = {
      volumes: new Set<string>(),
      claims: new Set<string>(),
      unclaimed: false,
      namespaces: false,
      rest: false,
    };
    this.#pending = pending;
    setTimeout(() => {
      this.#pending = null;
      this.#changed(pending);
    }, BURST).unref();
    return pending;
  }
}

const NO_CLASSES: ReadonlyMap<string, StorageClass> = new Map();

function throwUnlessUser(error: unknown): void {
  if (!(error instanceof UserError)) throw error;
}
