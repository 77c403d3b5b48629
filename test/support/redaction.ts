/** Compares a recording with the same fleet's recording under other names, object by object and as `check` sees both. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { virtualClusterFromJson } from '../../src/kube/objects/from-json.ts';
import { clusterKey } from '../../src/reconcile/mapping.ts';
import type { ClaimReport, ReportItem, ReportedClaim } from '../../src/reconcile/report.ts';
import type { Json } from '../control-plane/api.ts';
import { runInProcess } from './run-in-process.ts';

const WELL_KNOWN = new Set(['', 'default', 'kube-node-lease', 'kube-public', 'kube-system']);
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** One kind of name to what stands for it: the same always for the same, and different for different ones. */
class Renaming {
  readonly #kind: string;
  readonly #to = new Map<string, string>();
  readonly #from = new Map<string, string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(original: string | undefined, redacted: string | undefined): void {
    if (original === undefined) {
      assert.equal(redacted, undefined);
      return;
    }
    assert.ok(redacted !== undefined, `${this.#kind} ${original} has no other name`);
    assert.equal(
      this.#to.get(original) ?? redacted,
      redacted,
      `${this.#kind} ${original} has two other names`,
    );
    assert.equal(this.#from.get(redacted) ?? original, original, `two ${this.#kind}s became ${redacted}`);
    this.#to.set(original, redacted);
    this.#from.set(redacted, original);
  }

  of(original: string): string {
    const redacted = this.#to.get(original);
    // A name that only a computation gives: no object has it.
    return redacted ?? `unknown ${this.#kind}`;
  }

  originals(): readonly string[] {
    return [...this.#to.keys()];
  }
}

class Renamings {
  readonly namespace = new Renaming('tenant namespace');
  readonly superNamespace = new Renaming('super namespace');
  readonly virtualCluster = new Renaming('VirtualCluster');
  readonly claim = new Renaming('claim');
  readonly volume = new Renaming('volume');
  readonly storageClass = new Renaming('class');
  readonly uid = new Renaming('uid');

  addObject(original: Json, redacted: Json, side: 'tenant' | 'super'): void {
    const namespaces = side === 'tenant' ? this.namespace : this.superNamespace;
    assert.equal(redacted.kind, original.kind);
    assert.equal(redacted.metadata.creationTimestamp, original.metadata.creationTimestamp);
    assert.equal(redacted.metadata.deletionTimestamp, original.metadata.deletionTimestamp);
    assert.equal(redacted.metadata.resourceVersion, original.metadata.resourceVersion);
    this.uid.add(original.metadata.uid, redacted.metadata.uid);
    const kinds: Readonly<Record<string, Renaming>> = {
      Namespace: namespaces,
      PersistentVolume: this.volume,
      PersistentVolumeClaim: this.claim,
      StorageClass: this.storageClass,
      VirtualCluster: this.virtualCluster,
    };
    kinds[original.kind]?.add(original.metadata.name, redacted.metadata.name);
    // A VirtualCluster's own namespace is no tenant's, but a namespace of that name has one other name everywhere.
    const own = original.kind === 'VirtualCluster' ? this.namespace : namespaces;
    own.add(original.metadata.namespace, redacted.metadata.namespace);
    if (original.status?.clusterNamespace !== undefined) {
      this.superNamespace.add(original.status.clusterNamespace, redacted.status.clusterNamespace);
      assert.equal(isComputed(redacted), isComputed(original));
    }
    this.storageClass.add(original.spec?.storageClassName, redacted.spec?.storageClassName);
    this.volume.add(original.spec?.volumeName, redacted.spec?.volumeName);
    const [ref, redactedRef] = [original.spec?.claimRef, redacted.spec?.claimRef];
    assert.equal(redactedRef === undefined, ref === undefined);
    if (ref === undefined) return;
    namespaces.add(ref.namespace, redactedRef.namespace);
    this.claim.add(ref.name, redactedRef.name);
    this.uid.add(ref.uid, redactedRef.uid);
  }

  /** A report as it must be under the other names; messages are left out. */
  report(report: ClaimReport): unknown {
    const items = report.items.map((item) => ({
      ...item,
      virtualCluster: {
        namespace: this.namespace.of(item.virtualCluster.namespace),
        name: this.virtualCluster.of(item.virtualCluster.name),
      },
      tenant: item.tenant && this.#claim(item.tenant, this.namespace),
      super: item.super && this.#claim(item.super, this.superNamespace),
      cause: item.cause?.code ?? null,
    }));
    return { items: items.toSorted(byPlace), summary: report.summary };
  }

  #claim(claim: ReportedClaim, namespaces: Renaming): ReportedClaim {
    return {
      ...claim,
      namespace: namespaces.of(claim.namespace),
      name: this.claim.of(claim.name),
      uid: claim.uid === '' ? '' : this.uid.of(claim.uid),
      volumeName: claim.volumeName && this.volume.of(claim.volumeName),
    };
  }
}

/** Whether a VirtualCluster's root namespace has the name that upstream gives it. */
function isComputed({ metadata, status }: Json): boolean {
  const { namespace, name, uid } = metadata;
  const computed = clusterKey(virtualClusterFromJson({ metadata: { namespace, name, uid } }));
  return status.clusterNamespace === computed;
}

type Place = Pick<ReportItem, 'virtualCluster' | 'tenant' | 'super'>;

function byPlace(a: Place, b: Place): number {
  const place = (item: Place): string => JSON.stringify([item.virtualCluster, item.tenant, item.super]);
  return place(a) < place(b) ? -1 : 1;
}

function itemsOf(directory: string, file: string): readonly Json[] {
  return (load(readFileSync(join(directory, file), 'utf8')) as { items: Json[] }).items;
}

/**
 * Asserts that both recordings hold the same objects, that names were replaced consistently by valid ones, that no
 * original one is left, and that `check` says the same of both.
 */
export async function assertRedacted(plain: string, redacted: string): Promise<void> {
  const renamings = new Renamings();
  let text = '';
  const compareFiles = (file: string, redactedFile: string, side: 'tenant' | 'super'): readonly Json[] => {
    const [before, after] = [itemsOf(plain, file), itemsOf(redacted, redactedFile)];
    assert.equal(after.length, before.length);
    before.forEach((object, index) => renamings.addObject(object, after[index], side));
    for (const { metadata } of after) {
      assert.match(metadata.name, LABEL);
      if (metadata.namespace !== undefined) assert.match(metadata.namespace, LABEL);
      assert.ok((metadata.namespace ?? '').length <= 63);
    }
    text += readFileSync(join(redacted, redactedFile), 'utf8');
    return before;
  };
  const virtualClusters = compareFiles('super.yaml', 'super.yaml', 'super').filter(
    ({ kind, status }) => kind === 'VirtualCluster' && status?.phase === 'Running',
  );
  for (const { metadata } of virtualClusters) {
    const { namespace, name } = metadata;
    const other = `${renamings.namespace.of(namespace)}/${renamings.virtualCluster.of(name)}`;
    compareFiles(`tenants/${namespace}/${name}.yaml`, `tenants/${other}.yaml`, 'tenant');
  }

  const [before, after] = await Promise.all([plain, redacted].map(reportOn));
  assert.ok(before !== undefined && after !== undefined);
  const shown = {
    ...after,
    items: after.items.map((item) => ({ ...item, cause: item.cause?.code ?? null })),
  };
  assert.deepEqual(
    { items: shown.items.toSorted(byPlace), summary: shown.summary },
    renamings.report(before),
  );

  text += JSON.stringify(after);
  const words = new Set(text.split(/[^a-zA-Z0-9.-]+/));
  for (const renaming of Object.values(renamings) as Renaming[]) {
    for (const original of renaming.originals()) {
      if (WELL_KNOWN.has(original)) continue;
      assert.ok(!words.has(original), `${original} is still there`);
      if (original.length > 8)
        assert.ok(!text.includes(original), `${original} is still a part of something`);
    }
  }
}

async function reportOn(directory: string): Promise<ClaimReport> {
  const { stdout, stderr } = await runInProcess([
    'check',
    '--from',
    directory,
    '--all',
    '--orphans',
    '-o',
    'json',
  ]);
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ClaimReport;
}
