/** A super cluster and two tenants, all FAKE, and a watch of them. */
import { ApiConnection } from '../../src/kube/connection.ts';
import { claimFromJson, volumeFromJson } from '../../src/kube/objects/from-json.ts';
import { namespaceLookup, volumeLookup } from '../../src/reconcile/evidence.ts';
import { judge } from '../../src/reconcile/judge.ts';
import type { Judgement } from '../../src/reconcile/judge.ts';
import { indexSuperClaims, pairClaims } from '../../src/reconcile/pair.ts';
import type { Evidence } from '../../src/reconcile/model.ts';
import { soleOwnership } from '../../src/replicas/ownership.ts';
import type { Ownership } from '../../src/replicas/ownership.ts';
import { LiveCluster } from '../../src/fleet/live-cluster.ts';
import { FleetWatch } from '../../src/watch/fleet-watch.ts';
import type { RowEvent, WatchObserver } from '../../src/watch/observer.ts';
import type { Json } from '../control-plane/api.ts';
import { eventually } from '../control-plane/eventually.ts';
import { connectionSettings } from './connection-settings.ts';
import { FakeCluster } from './fake-cluster.ts';

export const CLAIMS = 'persistentvolumeclaims';
export const VOLUMES = 'persistentvolumes';
export const TENANTS = ['first', 'second'] as const;
export type TenantName = (typeof TENANTS)[number];

/** The cluster key of a tenant. */
export function keyOf(tenant: TenantName): string {
  return `team-${tenant}`;
}

export class FakeWatchedFleet {
  readonly super: FakeCluster;
  readonly tenants: Readonly<Record<TenantName, FakeCluster>>;
  /** Everything that was told of rows. */
  readonly events: RowEvent[] = [];
  readonly troubles: string[] = [];
  /** How many writes were found undone. */
  reverts = 0;
  /** How often a claim was looked at. */
  looks = 0;
  readonly watch: FleetWatch;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  private constructor(
    superCluster: FakeCluster,
    tenants: Readonly<Record<TenantName, FakeCluster>>,
    sync: boolean,
    grace: number,
    ownership: Ownership,
  ) {
    this.super = superCluster;
    this.tenants = tenants;
    this.watch = new FleetWatch({
      superApi: superCluster.server.connection,
      open: ({ name }) => {
        const cluster = tenants[name as TenantName];
        const api = new ApiConnection(connectionSettings(cluster.server.url));
        const reader = new LiveCluster(api, { signal: this.#ending.signal });
        return Promise.resolve({ api, reader, close: () => api.close() });
      },
      namespace: null,
      only: null,
      tenantNamespaces: [],
      selector: null,
      sync: sync ? { hold: false } : null,
      grace,
      tenantTimeout: 10_000,
      concurrency: 4,
      now: Date.now,
      ownership,
      observer: this.#observer(),
    });
    this.#running = this.watch.run(this.#ending.signal);
  }

  /** @param pace milliseconds before each event of each watch @param grace milliseconds */
  static async start(
    pace: () => number,
    sync: boolean,
    grace = 0,
    ownership = soleOwnership(),
  ): Promise<FakeWatchedFleet> {
    const [superCluster, first, second] = await Promise.all([0, 1, 2].map(() => FakeCluster.start(pace)));
    if (superCluster === undefined || first === undefined || second === undefined) throw new Error('three');
    for (const tenant of TENANTS) {
      superCluster.put('virtualclusters', {
        metadata: { namespace: 'team', name: tenant, uid: `uid-of-${tenant}` },
        status: { phase: 'Running', clusterNamespace: keyOf(tenant) },
      });
    }
    return new FakeWatchedFleet(superCluster, { first, second }, sync, grace, ownership);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the test is over'));
    try {
      await this.#running;
    } finally {
      await Promise.all([this.super, ...Object.values(this.tenants)].map((cluster) => cluster.close()));
    }
  }

  /** What `judge` says of the objects as the servers hold them: what is not Consistent, by tenant and claim. */
  judgements(): Map<string, Judgement> {
    const index = indexSuperClaims(this.super.all(CLAIMS).map(claimFromJson));
    const found = new Map<string, Judgement>();
    for (const tenant of TENANTS) {
      const claims = this.tenants[tenant].all(CLAIMS).map(claimFromJson);
      const evidence = { tenant: evidenceOf(this.tenants[tenant]), super: evidenceOf(this.super) };
      for (const pair of pairClaims(keyOf(tenant), claims, index)) {
        const judgement = judge(pair, evidence);
        const name = `team/${tenant} ${pair.owner.namespace}/${pair.tenant?.name}`;
        if (judgement.verdict !== 'Consistent') found.set(name, judgement);
      }
    }
    return found;
  }

  /** What the watch shows, in the same form: verdict, cause, phases and versions of both claims. */
  shown(): Map<string, string> {
    const shown = new Map<string, string>();
    for (const { state } of this.watch.tenants()) {
      for (const [key, { item }] of state.book.rows) {
        const phases = `${item.tenant?.phase} ${item.super?.phase ?? '-'}`;
        shown.set(`${state.id} ${key}`, `${item.verdict} ${item.cause?.code ?? '-'} ${phases}`);
      }
    }
    return shown;
  }

  /** Waits until a description of both is the same. @throws Error with both where they never are */
  async untilShown(expected: () => Map<string, string>): Promise<void> {
    const text = (map: Map<string, string>): string => JSON.stringify([...map].map(String).sort(), null, 1);
    await eventually(
      'the rows to be those of the objects',
      () => {
        if (this.watch.isSettled && text(this.shown()) === text(expected())) return Promise.resolve(true);
        throw new Error(`shown ${text(this.shown())}\nexpected ${text(expected())}`);
      },
      20_000,
    );
  }

  #observer(): WatchObserver {
    return {
      row: (event) => this.events.push(event),
      health: () => {},
      superHealth: () => {},
      left: () => {},
      wrote: () => {},
      reverted: () => void (this.reverts += 1),
      reconciled: () => void (this.looks += 1),
      trouble: (_virtualCluster, message) => this.troubles.push(message),
    };
  }
}

/** A claim that any grace period has left behind, with a volume named after it. */
export function claimObject(
  namespace: string,
  name: string,
  uid: string,
  phase: string,
  annotations: Json = {},
): Json {
  return {
    metadata: { namespace, name, uid, creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    spec: { volumeName: `pv-${name}`, accessModes: ['ReadWriteOnce'] },
    status: { phase },
  };
}

/** The marks of a super claim that was made for a tenant claim, and bound once. */
export function marksOf(tenant: TenantName, namespace: string, ownerUid: string): Json {
  return {
    'tenancy.x-k8s.io/cluster': keyOf(tenant),
    'tenancy.x-k8s.io/namespace': namespace,
    'tenancy.x-k8s.io/uid': ownerUid,
    'pv.kubernetes.io/bind-completed': 'yes',
  };
}

/** A judgement as `shown` describes it. */
export function described({ verdict, cause, pair }: Judgement): string {
  return `${verdict} ${cause?.code ?? '-'} ${pair.tenant?.phase} ${pair.super?.phase ?? '-'}`;
}

function evidenceOf(cluster: FakeCluster): Evidence {
  const namespaces = cluster
    .all('namespaces')
    .map(({ metadata }: Json) => ({ name: metadata.name, owner: null }));
  return {
    volumes: volumeLookup(cluster.all(VOLUMES).map(volumeFromJson), true),
    storageClasses: new Map(),
    namespaces: namespaceLookup(namespaces),
  };
}
