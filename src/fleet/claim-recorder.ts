/** Reads claims as a comparison does, and remembers of each what was read last. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import { claimFromJson } from '../kube/objects/from-json.ts';
import { CLAIMS, objectPath } from '../kube/resources.ts';
import type { Resource } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import { recordClaim } from '../snapshot/record.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';
import type { ClaimReader } from './cluster.ts';
import { CommonParts } from '../kube/objects/common-parts.ts';
import { RecordStore } from './record-store.ts';

interface Read {
  readonly claim: Claim;
  /** Of its record in the store; null for one that is not wanted. */
  readonly number: number | null;
}

export class ClaimRecorder implements ClaimReader {
  /** All that remembered claims name, or have named. */
  readonly volumeNames = new Set<string>();
  readonly #api: ApiConnection;
  readonly #reads: Resource<Read> = {
    ...CLAIMS,
    fromJson: (value) => this.#read(value, this.#wanted),
    decoder: null,
  };
  readonly #wanted: (claim: Claim) => boolean;
  readonly #onClaims: (more: number) => void;
  readonly #store = new RecordStore();
  /** Namespace, then name. */
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #common = new CommonParts();

  /** @param wanted which of the listed claims are remembered; one that is read by its name always is */
  constructor(api: ApiConnection, wanted: (claim: Claim) => boolean, onClaims: (more: number) => void) {
    this.#api = api;
    this.#wanted = wanted;
    this.#onClaims = onClaims;
  }

  async claims(namespace: string | null, signal: AbortSignal): Promise<Claim[]> {
    let told = 0;
    const reads = await listAll(this.#api, this.#reads, {
      namespace,
      signal,
      onProgress: (count) => {
        this.#onClaims(count - told);
        told = count;
      },
    });
    if (namespace === null) this.#numbers.clear();
    else this.#numbers.delete(namespace);
    return reads.map((read) => {
      this.#remember(read);
      return read.claim;
    });
  }

  async claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | null> {
    try {
      const read = this.#read(
        await this.#api.getJson(objectPath(CLAIMS, namespace, name), { signal }),
        () => true,
      );
      this.#remember(read);
      return read.claim;
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      this.#numbers.get(namespace)?.delete(name);
      return null;
    }
  }

  /** Whether a claim is among the records. */
  has(namespace: string, name: string): boolean {
    return this.#numbers.get(namespace)?.has(name) ?? false;
  }

  /** The claims as they were read last. */
  *records(): Generator<RecordedObject> {
    for (const numbers of this.#numbers.values()) yield* this.#store.read(numbers.values());
  }

  #read(value: unknown, wanted: (claim: Claim) => boolean): Read {
    const claim = this.#common.claim(claimFromJson(value));
    return { claim, number: wanted(claim) ? this.#store.add(recordClaim(value)) : null };
  }

  #remember({ claim: { namespace, name, volumeName }, number }: Read): void {
    if (number === null) return;
    const numbers = this.#numbers.get(namespace) ?? new Map<string, number>();
    this.#numbers.set(namespace, numbers.set(name, number));
    if (volumeName !== '') this.volumeNames.add(volumeName);
  }
}
