/** Reads from an API server. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import { CLAIMS, NAMESPACES, STORAGE_CLASSES, VOLUMES, objectPath, pathSegment } from '../kube/resources.ts';
import type { Resource } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import { namespaceLookup, volumeLookup } from '../reconcile/evidence.ts';
import type {
  Claim,
  Evidence,
  NamespaceLookup,
  StorageClass,
  Volume,
  VolumeLookup,
} from '../reconcile/model.ts';
import type { Needs } from '../reconcile/needs.ts';
import type { ClusterReader, EventSource, ObjectKind } from './cluster.ts';
import { mapConcurrently } from './concurrency.ts';

/** Up to so many volumes are read one by one; more are listed, which then costs less. */
const MOST_SINGLE_READS = 64;
const READS_AT_ONCE = 8;

/** Events of objects without a namespace are in "default" (client-go tools/record/event.go makeEvent). */
const NAMESPACE_OF_CLUSTER_EVENTS = 'default';
/** Events of one object that are read: enough for the last few of each kind. */
const EVENTS_READ = '100';

const RESOURCES: Readonly<Record<ObjectKind, Resource<unknown>>> = {
  PersistentVolumeClaim: CLAIMS,
  PersistentVolume: VOLUMES,
  Namespace: NAMESPACES,
};

export interface LiveOptions {
  /** Ends reads that are shared: one caller's deadline must not end what others wait for. */
  readonly signal: AbortSignal;
  /** Applies to listing claims only. */
  readonly labelSelector?: string;
  /** Told how many claims more have been read. */
  readonly onClaims?: (more: number) => void;
}

/**
 * Lists of volumes, classes and namespaces are read at most once and shared, since many tenants ask the super
 * cluster for them; a failed read is not kept.
 */
export class LiveCluster implements ClusterReader {
  readonly #connection: ApiConnection;
  readonly #options: LiveOptions;
  readonly #shared = new Map<string, Promise<unknown>>();

  constructor(connection: ApiConnection, options: LiveOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  claims(namespace: string | null, signal: AbortSignal): Promise<Claim[]> {
    const { labelSelector, onClaims } = this.#options;
    let told = 0;
    return listAll(this.#connection, CLAIMS, {
      namespace,
      signal,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      onProgress: (count) => {
        onClaims?.(count - told);
        told = count;
      },
    });
  }

  claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | null> {
    return this.#get(CLAIMS, namespace, name, signal);
  }

  async object(
    kind: ObjectKind,
    namespace: string | null,
    name: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#getWhole(objectPath(RESOURCES[kind], namespace, name), signal);
  }

  async events({ namespace, uid }: EventSource, signal: AbortSignal): Promise<readonly unknown[]> {
    const path = `/api/v1/namespaces/${pathSegment(namespace ?? NAMESPACE_OF_CLUSTER_EVENTS)}/events`;
    const query = { fieldSelector: `involvedObject.uid=${uid}`, limit: EVENTS_READ };
    const found = await this.#connection.getJson(path, { query, signal });
    const items: unknown =
      typeof found === 'object' && found !== null && 'items' in found ? found.items : null;
    return Array.isArray(items) ? items : [];
  }

  async evidence(needs: Needs, signal: AbortSignal): Promise<Evidence> {
    const [volumes, storageClasses, namespaces] = await Promise.all([
      this.#volumes(needs, signal),
      needs.storageClasses ? this.#storageClasses() : null,
      needs.namespaces ? this.#namespaces() : null,
    ]);
    return { volumes, storageClasses, namespaces };
  }

  async #volumes(needs: Needs, signal: AbortSignal): Promise<VolumeLookup | null> {
    if (needs.allVolumes || needs.volumes.size > MOST_SINGLE_READS || this.#shared.has(VOLUMES.plural)) {
      return this.#once(VOLUMES, (volumes: Volume[]) => volumeLookup(volumes, true));
    }
    if (needs.volumes.size === 0) return null;
    const found = await mapConcurrently([...needs.volumes], READS_AT_ONCE, (name) =>
      this.#get(VOLUMES, null, name, signal),
    );
    return volumeLookup(
      found.filter((volume) => volume !== null),
      false,
    );
  }

  #storageClasses(): Promise<ReadonlyMap<string, StorageClass>> {
    return this.#once(STORAGE_CLASSES, (classes) => new Map(classes.map((one) => [one.name, one])));
  }

  #namespaces(): Promise<NamespaceLookup> {
    return this.#once(NAMESPACES, namespaceLookup);
  }

  async #get<T>(
    resource: Resource<T>,
    namespace: string | null,
    name: string,
    signal: AbortSignal,
  ): Promise<T | null> {
    const found = await this.#getWhole(objectPath(resource, namespace, name), signal);
    return found === null ? null : resource.fromJson(found);
  }

  /** null where there is no such object. */
  async #getWhole(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#connection.getJson(path, { signal });
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return null;
      throw error;
    }
  }

  #once<T, R>(resource: Resource<T>, look: (items: T[]) => R): Promise<R> {
    const present = this.#shared.get(resource.plural);
    if (present !== undefined) return present as Promise<R>;
    const { signal } = this.#options;
    const reading = listAll(this.#connection, resource, { namespace: null, signal }).then(look);
    this.#shared.set(resource.plural, reading);
    reading.catch(() => this.#shared.delete(resource.plural));
    return reading;
  }
}
