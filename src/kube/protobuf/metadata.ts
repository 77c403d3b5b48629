/**
 * metav1.ObjectMeta, reduced to what the core needs. Field numbers: k8s.io/apimachinery
 * pkg/apis/meta/v1/generated.proto.
 */
import type { Owner } from '../../reconcile/model.ts';
import {
  BETA_STORAGE_CLASS,
  BIND_COMPLETED,
  OWNER_CLUSTER,
  OWNER_NAMESPACE,
  OWNER_UID,
  SELECTED_NODE,
  ownerOf,
} from '../objects/marks.ts';
import { FieldReader, RepeatedText } from './wire.ts';

const NAME = 1;
const NAMESPACE = 3;
const UID = 5;
const RESOURCE_VERSION = 6;
const CREATION_TIMESTAMP = 8;
const DELETION_TIMESTAMP = 9;
const ANNOTATIONS = 12;

const KEY = 1;
const VALUE = 2;
const SECONDS = 1;

const WANTED = [BIND_COMPLETED, SELECTED_NODE, BETA_STORAGE_CLASS, OWNER_CLUSTER, OWNER_NAMESPACE, OWNER_UID];
/** The wanted annotation keys, by length: most others are told apart by it alone. */
const WANTED_BY_LENGTH = new Map(WANTED.map((key) => [key.length, { key, bytes: Buffer.from(key) }]));

/** Decodes the metadata of one object after another into its fields, without an object in between. */
export class MetadataReader {
  name = '';
  namespace = '';
  uid = '';
  resourceVersion = '';
  creationTimestamp = 0;
  terminating = false;
  bindCompleted = false;
  nodeSelected = false;
  /** null where the annotation is absent: an empty one says "no class". */
  betaStorageClass: string | null = null;
  owner: Owner | null = null;
  ownerUid = '';

  readonly #message = new FieldReader();
  readonly #inner = new FieldReader();
  readonly #namespaces = new RepeatedText();
  readonly #clusterKeys = new RepeatedText();
  readonly #ownerNamespaces = new RepeatedText();
  #ownerCluster = '';
  #ownerNamespace = '';
  #lastOwner: Owner | null = null;

  /** Reads the ObjectMeta in bytes [start, end). @throws ProtobufError */
  read(bytes: Buffer, start: number, end: number): void {
    this.reset();
    const message = this.#message.open(bytes, start, end);
    while (message.next()) {
      switch (message.field) {
        case NAME:
          this.name = message.text();
          break;
        case NAMESPACE:
          this.namespace = this.#namespaces.read(message);
          break;
        case UID:
          this.uid = message.text();
          break;
        case RESOURCE_VERSION:
          this.resourceVersion = message.text();
          break;
        case CREATION_TIMESTAMP:
          this.creationTimestamp = this.#milliseconds();
          break;
        case DELETION_TIMESTAMP:
          this.terminating = true;
          break;
        case ANNOTATIONS:
          this.#annotation();
          break;
        default:
      }
    }
    this.owner = this.#sharedOwner();
  }

  /** Forgets the last object: one without metadata must not inherit it. */
  reset(): void {
    this.name = '';
    this.namespace = '';
    this.uid = '';
    this.resourceVersion = '';
    this.creationTimestamp = 0;
    this.terminating = false;
    this.bindCompleted = false;
    this.nodeSelected = false;
    this.betaStorageClass = null;
    this.owner = null;
    this.ownerUid = '';
    this.#ownerCluster = '';
    this.#ownerNamespace = '';
  }

  /** metav1.Time holds seconds (and always whole ones). A creationTimestamp that was never set has no fields. */
  #milliseconds(): number {
    const time = this.#inner.open(this.#message.bytes, this.#message.start, this.#message.finish);
    let seconds = 0;
    while (time.next()) if (time.field === SECONDS) seconds = time.value;
    return seconds * 1000;
  }

  #annotation(): void {
    const entry = this.#inner.open(this.#message.bytes, this.#message.start, this.#message.finish);
    let key: string | null = null;
    let valueSeen = false;
    while (entry.next()) {
      if (entry.field === KEY) {
        key = wantedKey(entry);
        if (key === null) return;
      } else if (entry.field === VALUE && key !== null) {
        valueSeen = true;
        this.#keep(key, entry);
      }
    }
    // A map entry may leave out an empty value.
    if (key !== null && !valueSeen) this.#keep(key, entry.open(this.#message.bytes, 0, 0));
  }

  #keep(key: string, value: FieldReader): void {
    switch (key) {
      case BIND_COMPLETED:
        this.bindCompleted = true;
        break;
      case SELECTED_NODE:
        this.nodeSelected = true;
        break;
      case BETA_STORAGE_CLASS:
        this.betaStorageClass = value.text();
        break;
      case OWNER_CLUSTER:
        this.#ownerCluster = this.#clusterKeys.read(value);
        break;
      case OWNER_NAMESPACE:
        this.#ownerNamespace = this.#ownerNamespaces.read(value);
        break;
      default:
        this.ownerUid = value.text();
    }
  }

  /** Neighbours in a list mostly have the same owner: they share one object. */
  #sharedOwner(): Owner | null {
    const last = this.#lastOwner;
    if (last?.clusterKey === this.#ownerCluster && last.namespace === this.#ownerNamespace) return last;
    this.#lastOwner = ownerOf(this.#ownerCluster, this.#ownerNamespace);
    return this.#lastOwner;
  }
}

function wantedKey(entry: FieldReader): string | null {
  const wanted = WANTED_BY_LENGTH.get(entry.finish - entry.start);
  return wanted !== undefined && entry.is(wanted.bytes) ? wanted.key : null;
}
