/** Reads claims as a comparison does, and remembers of each what was read last. */
import type { ApiConnection } from '../kube/connection.ts';
import { listAll } from '../kube/list.ts';
import { claimFromJson } from '../kube/objects/from-json.ts';
import { CLAIMS, objectPath } from '../kube/resources.ts';
import type { Resource } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import type { Claim } from '../reconcile/model.ts';
import { recordClaim } from '../snapshot/record.ts';
import type { ClaimReader } from './cluster.ts';
import type { RecordTexts } from './list-records.ts';

interface Read {
  readonly claim: Claim;
  /** Its record as JSON. */
  readonly text: string;
}

const READS: Resource<Read> = { ...CLAIMS, fromJson: readOf, decoder: null };

export class ClaimRecorder implements ClaimReader {
  /** All that remembered claims name, or have named. */
  readonly volumeNames = new Set<string>();
  readonly #api: ApiConnection;
  readonly #wanted: (claim: Claim) => boolean;
  readonly #onClaims: (more: number) => void;
  /** Namespace, then name. */
  readonly #texts = new Map<string, Map<string, string>>();

  /** @param wanted which of the listed claims are remembered; one that is read by its name always is */
  constructor(api: ApiConnection, wanted: (claim: Claim) => boolean, onClaims: (more: number) => void) {
    this.#api = api;
    this.#wanted = wanted;
    this.#onClaims = onClaims;
  }

  async claims(namespace: string | null, signal: AbortSignal): Promise<Claim[]> {
    let told = 0;
    const reads = await listAll(this.#api, READS, {
      namespace,
      signal,
      onProgress: (count) => {
        this.#onClaims(count - told);
        told = count;
      },
    });
    if (namespace === null) this.#texts.clear();
    else this.#texts.delete(namespace);
    return reads.map((read) => {
      if (this.#wanted(read.claim)) this.#remember(read);
      return read.claim;
    });
  }

  async claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | null> {
    try {
      const read = readOf(await this.#api.getJson(objectPath(CLAIMS, namespace, name), { signal }));
      this.#remember(read);
      return read.claim;
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      this.#texts.get(namespace)?.delete(name);
      return null;
    }
  }

  /** The claims as they were read last. */
  *records(): RecordTexts {
    for (const texts of this.#texts.values()) yield* texts.values();
  }

  #remember({ claim: { namespace, name, volumeName }, text }: Read): void {
    const texts = this.#texts.get(namespace) ?? new Map<string, string>();
    this.#texts.set(namespace, texts.set(name, text));
    if (volumeName !== '') this.volumeNames.add(volumeName);
  }
}

function readOf(value: unknown): Read {
  return { claim: claimFromJson(value), text: JSON.stringify(recordClaim(value)) };
}
