/**
 * The explanation that every output format prints: plain data, with the names that docs/explain.md publishes. A field
 * without a value is null, never absent.
 */
import type { CauseCode, Verdict } from '../model.ts';
import type { REPORT_API_VERSION, ReportedClaim, VirtualClusterName } from '../report.ts';
import type { ClusterSide } from './scene.ts';

export type NodeId = 'tenantClaim' | 'tenantVolume' | 'superVolume' | 'superClaim';

export interface ChainNode {
  readonly id: NodeId;
  readonly cluster: ClusterSide;
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume';
  /** null for volumes. */
  readonly namespace: string | null;
  /** "" where nothing names such an object. */
  readonly name: string;
  readonly present: boolean;
  /** null where the object is absent. */
  readonly phase: string | null;
  readonly reclaimPolicy: string | null;
  readonly terminating: boolean;
}

export interface ChainLink {
  readonly from: NodeId;
  readonly to: NodeId;
  /** absent: there is nothing to link yet, and nothing wrong with that. */
  readonly state: 'ok' | 'broken' | 'absent';
  /** What is wrong with it, in one sentence; "" where it is not broken. */
  readonly problem: string;
}

/** One field of one object, and what it would have to be. */
export interface Fact {
  readonly cluster: ClusterSide;
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume' | 'StorageClass' | 'Namespace';
  readonly namespace: string | null;
  readonly name: string;
  readonly field: string;
  /** null: the field, or the object, is not there. */
  readonly value: string | null;
  /** What it would be were the claim Bound; null where the value itself tells. */
  readonly expected: string | null;
  /** null where nothing is expected. */
  readonly ok: boolean | null;
}

export interface DataSafety {
  /** safe: nothing is about to destroy it. none: there is no disk yet. unknown: the objects do not tell. */
  readonly state: 'safe' | 'danger' | 'unknown' | 'none';
  readonly text: string;
  /** What would destroy the data. */
  readonly destroyedBy: readonly string[];
}

/** RFC 6902. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string };

/** One JSON patch of one object. It begins with tests, so that it is refused where the object has changed. */
export interface Step {
  readonly cluster: ClusterSide;
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume';
  readonly namespace: string | null;
  readonly name: string;
  readonly patch: readonly PatchOperation[];
  /** What it does, in a few words. */
  readonly purpose: string;
}

export interface Remedy {
  /**
   * mend: the claim is Bound afterwards. protect: only keeps the disk. sync: for this tool's own command. wait: nothing
   * to do. none: nothing is safe.
   */
  readonly kind: 'mend' | 'protect' | 'sync' | 'wait' | 'none';
  /** What the steps do, or why there are none. */
  readonly text: string;
  /** In order; none is taken unless the one before it succeeded. */
  readonly steps: readonly Step[];
  readonly risk: { readonly level: 'low' | 'high'; readonly text: string } | null;
  /** To be taken later, where what a step changed shall not stay. */
  readonly afterwards: readonly Step[];
}

/** What a controller once said. A hint: events expire, and anyone who may write them can make them up. */
export interface EventHint {
  readonly cluster: ClusterSide;
  /** `claim` or `volume`. */
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339, null where the event has none. */
  readonly lastSeen: string | null;
}

export interface Explanation {
  readonly apiVersion: typeof REPORT_API_VERSION;
  readonly kind: 'ClaimExplanation';
  readonly virtualCluster: VirtualClusterName;
  readonly tenant: ReportedClaim | null;
  readonly super: ReportedClaim | null;
  readonly verdict: Verdict;
  readonly mismatch: boolean;
  readonly settling: boolean;
  readonly cause: { readonly code: CauseCode; readonly message: string; readonly reference: string } | null;
  /** The answer in a few sentences. */
  readonly summary: string;
  readonly chain: { readonly nodes: readonly ChainNode[]; readonly links: readonly ChainLink[] };
  readonly data: DataSafety;
  readonly remedy: Remedy;
  /** What the VirtualCluster syncer will do next. */
  readonly syncer: string;
  readonly facts: readonly Fact[];
}
