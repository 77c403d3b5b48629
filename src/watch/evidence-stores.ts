/** What causes rest on, as one cluster holds it now: volumes, classes and, in the super cluster, namespaces. */
import { UserError } from '../errors.ts';
import type { ApiConnection } from '../kube/connection.ts';
import type { ReflectorSink } from '../kube/reflector.ts';
import { NAMESPACES, STORAGE_CLASSES, VOLUMES } from '../kube/resources.ts';
import type { Resource } from '../kube/resources.ts';
import type { Claim, Evidence, Namespace, StorageClass, Volume } from '../reconcile/model.ts';
import { ownerKey } from '../reconcile/pair.ts';
import { NamespaceStore } from './namespace-store.ts';
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
  /** Volumes without claimRef as they came, and as they were before: the PV controller may bind such a one to a claim. */
  readonly unclaimed: readonly Volume[];
  /** As VolumeLookup, with the volumes of now. */
  readonly firstFit: (claim: Claim) => Volume | undefined;
  /** Names and marks (ownerKey) of namespaces of the super cluster that came, changed or went. */
  readonly namespaces: ReadonlySet<string>;
  /** Classes, or a kind became known. */
  readonly rest: boolean;
}

interface PendingChange {
  readonly volumes: Set<string>;
  readonly claims: Set<string>;
  readonly unclaimed: Volume[];
  readonly firstFit: EvidenceChange['firstFit'];
  readonly namespaces: Set<string>;
  rest: boolean;
}

/** Changes come in bursts; a cause may be told this much later. Milliseconds. */
const BURST = 50;

export class EvidenceStores {
  readonly #changed: (change: EvidenceChange) => void;
  readonly #volumes: VolumeStore;
  readonly #classes: ObjectStore<StorageClass>;
  readonly #namespaces: NamespaceStore | null;
  /** Kinds of which a list has been seen, in this session with the cluster or an earlier one. */
  readonly #known = new Set<'volumes' | 'classes' | 'namespaces'>();
  #started = false;
  #pending: PendingChange | null = null;

  /** @param withNamespaces the super cluster's */
  constructor(withNamespaces: boolean, changed: (change: EvidenceChange) => void) {
    this.#changed = changed;
    this.#volumes = new VolumeStore((before, after) => this.#noteVolumes(before, after));
    this.#classes = new ObjectStore<StorageClass>(() => this.#noteRest());
    this.#namespaces = withNamespaces
      ? new NamespaceStore((before, after) => this.#noteNamespaces(before, after))
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
      namespaces: this.#known.has('namespaces') ? this.#namespaces : null,
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
      ...(this.#namespaces === null ? [] : [follow('namespaces', NAMESPACES, this.#namespaces.sink)]),
    ]);
  }

  #noteVolumes(before: Volume | null, after: Volume | null): void {
    const pending = this.#note();
    for (const volume of [before, after]) {
      if (volume === null) continue;
      pending.volumes.add(volume.name);
      if (volume.claimRef !== null)
        pending.claims.add(`${volume.claimRef.namespace}/${volume.claimRef.name}`);
      else if (!this.#isDelayed(volume.storageClass)) pending.unclaimed.push(volume);
    }
  }

  #noteNamespaces(before: Namespace | null, after: Namespace | null): void {
    const { namespaces } = this.#note();
    for (const namespace of [before, after]) {
      if (namespace === null) continue;
      namespaces.add(namespace.name);
      if (namespace.owner !== null) namespaces.add(ownerKey(namespace.owner));
    }
  }

  /** Of such a class the scheduler chooses the volumes: no cause rests on those that are free. What changes it concerns all. */
  #isDelayed(storageClass: string): boolean {
    return this.#classes.get('', storageClass)?.volumeBindingMode === 'WaitForFirstConsumer';
  }

  #noteRest(): void {
    this.#note().rest = true;
  }

  #note(): PendingChange {
    if (this.#pending !== null) return this.#pending;
    const pending = {
      volumes: new Set<string>(),
      claims: new Set<string>(),
      unclaimed: [],
      firstFit: (claim: Claim) => this.#volumes.firstFit(claim),
      namespaces: new Set<string>(),
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
