/**
 * Names that stand for other names. The same name always gives the same one, from a key that is drawn anew for each
 * run and never leaves it, so nothing leads back. Where the syncer builds a name from others, so does this.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { clusterKey, superNamespaceName } from '../reconcile/mapping.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { bytesOf } from '../reconcile/quantity.ts';
import { PROVISIONERS, VIRTUAL_CLUSTER_PHASES } from './closed-words.ts';

/** Every cluster has them, so they tell nothing, and a report is easier to read with them. */
const WELL_KNOWN_NAMESPACES: ReadonlySet<string> = new Set([
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
]);
/** As provisioners name a volume: sigs.k8s.io/sig-storage-lib-external-provisioner, external-provisioner. */
const PROVISIONED_VOLUME = /^pvc-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const ALPHABET = '0123456789abcdefghijklmnopqrstuv';
/** Five bits a character. There are few namespaces and classes, and their names become parts of longer ones. */
const SHORT = 8;
/** Among a million claims, two get the same name with a chance of one in two thousand. */
const LONG = 10;

export class RedactedNames {
  readonly #secret = randomBytes(32);
  /** Cluster key to the redacted key. */
  readonly #keys = new Map<string, string>();
  /** Super namespace to what the syncer made it from. */
  readonly #composed = new Map<string, { readonly key: string; readonly tenantNamespace: string }>();
  /** Names that occur again and again, by kind and name. */
  readonly #repeated = new Map<string, string>();
  readonly #superNamespaces = new Map<string, string>();
  /** Longest first: one key may be the beginning of another. */
  readonly #keysByLength: readonly string[];

  /** @param virtualClusters all that can be seen, so that names made from theirs are known for what they are */
  constructor(virtualClusters: readonly VirtualCluster[]) {
    for (const one of virtualClusters) this.#keys.set(clusterKey(one), clusterKey(this.virtualCluster(one)));
    this.#keysByLength = [...this.#keys.keys()].toSorted((a, b) => b.length - a.length);
  }

  /**
   * Tells of a tenant namespace. Of a long name only a digest is left in the super namespace's, which can be
   * recognized by no other means: everything has to be told before the first super namespace is asked for.
   */
  learn(key: string, tenantNamespace: string): void {
    if (!this.#keys.has(key)) return;
    this.#composed.set(superNamespaceName(key, tenantNamespace), { key, tenantNamespace });
    this.#superNamespaces.clear();
  }

  /** A VirtualCluster with its names replaced; where its key is computed, it still is. */
  virtualCluster(virtualCluster: VirtualCluster): VirtualCluster {
    const { clusterNamespace } = virtualCluster;
    const computed = clusterKey({ ...virtualCluster, clusterNamespace: '' });
    const redacted = {
      ...virtualCluster,
      namespace: this.namespace(virtualCluster.namespace),
      name: this.virtualClusterName(virtualCluster.name),
      uid: this.uid(virtualCluster.uid),
      phase: this.word(virtualCluster.phase, VIRTUAL_CLUSTER_PHASES),
      clusterNamespace: '',
      adminKubeconfig: '',
      adminKubeconfigSecret: '',
    };
    if (clusterNamespace === '') return redacted;
    const key = clusterNamespace === computed ? clusterKey(redacted) : this.namespace(clusterNamespace);
    return { ...redacted, clusterNamespace: key };
  }

  /** Long names stay long: their length decides whether the syncer hashes what it makes of them. */
  virtualClusterName(name: string): string {
    return this.#shortName('vc', name, Math.max(SHORT, name.length - 'vc-'.length));
  }

  /** A namespace of a tenant, or one of the super cluster that no tenant's name is in. */
  namespace(name: string): string {
    if (WELL_KNOWN_NAMESPACES.has(name)) return name;
    return this.#shortName('ns', name, Math.max(SHORT, name.length - 'ns-'.length));
  }

  /** A cluster key, as the syncer's marks have it. */
  clusterKey(key: string): string {
    return this.#keys.get(key) ?? this.namespace(key);
  }

  /** A namespace of the super cluster: a root namespace, one made for a tenant's, or any other. */
  superNamespace(name: string): string {
    return getOrInsert(this.#superNamespaces, name, () => this.#superNamespace(name));
  }

  claim(name: string): string {
    return this.#name('claim', name, LONG);
  }

  /** A provisioned volume's name holds the claim's uid. */
  volume(name: string): string {
    const uid = PROVISIONED_VOLUME.exec(name)?.[1];
    return uid === undefined ? this.#name('volume', name, LONG) : `pvc-${this.uid(uid)}`;
  }

  /** A storage class or volume attributes class. */
  storageClass(name: string): string {
    return this.#shortName('class', name);
  }

  /** A provisioner or CSI driver. */
  provisioner(name: string): string {
    return PROVISIONERS.has(name) ? name : this.#shortName('provisioner', name);
  }

  /** A label's key or value. */
  label(text: string): string {
    return this.#shortName('label', text);
  }

  node(name: string): string {
    return this.#shortName('node', name);
  }

  /**
   * A word of a closed list stays; any other text is replaced, always by the same one, so that what was equal still is
   * and what was unknown still is.
   */
  word(text: string, known: ReadonlySet<string>): string {
    return known.has(text) ? text : this.#shortName('other', text);
  }

  /** A quantity stays; what is none is replaced by what is none. */
  quantity(text: string): string {
    return bytesOf(text) === null ? this.#shortName('other', text) : text;
  }

  /** A resourceVersion: a number stays, as every API server has it. */
  resourceVersion(text: string): string {
    return /^\d{1,20}$/.test(text) ? text : this.#shortName('other', text);
  }

  /** In the form of a uuid, version 4; "" stays. */
  uid(uid: string): string {
    if (uid === '') return '';
    const hex = this.#digest('uid', uid).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  #superNamespace(name: string): string {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { key, tenantNamespace } = this.#composed.get(name) ?? this.#split(name);
    if (key === undefined) return this.namespace(name);
    return superNamespaceName(this.clusterKey(key), this.namespace(tenantNamespace));
  }

  #shortName(kind: string, name: string, length = SHORT): string {
    return getOrInsert(this.#repeated, `${kind}\0${name}`, () => this.#name(kind, name, length));
  }

  #name(kind: string, name: string, length: number): string {
    if (name === '') return '';
    const bytes = this.#digest(kind, name);
    const letters = Array.from(bytes.subarray(0, length), (byte) => ALPHABET[byte % ALPHABET.length]);
    return `${kind}-${letters.join('').padEnd(length, '0')}`;
  }

  #digest(kind: string, name: string): Buffer {
    return createHmac('sha512', this.#secret).update(`${kind}\0${name}`).digest();
  }

  /** A super namespace whose tenant namespace nobody told of: deleted in the tenant, or the tenant was not read. */
  #split(name: string): { readonly key: string | undefined; readonly tenantNamespace: string } {
    const key = this.#keysByLength.find((one) => name.startsWith(`${one}-`));
    return { key, tenantNamespace: key === undefined ? '' : name.slice(key.length + 1) };
  }
}

function getOrInsert(map: Map<string, string>, key: string, make: () => string): string {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
