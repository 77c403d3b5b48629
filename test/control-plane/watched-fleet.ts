/** What the tests of watch share: a fleet without controllers, whose claims have the phases that a test writes. */
import { claimSpec, createClass, createNamespace, paths } from './syncer.ts';
import { RunningCli } from '../support/running-cli.ts';
import { runCli } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';
import { createPair } from './bulk.ts';
import { createVirtualCluster, startFleet, storeKubeconfig, writeKubeconfig } from './fleet.ts';
import type { Fleet, Tenant } from './fleet.ts';

/** The tenant namespace in which everything happens. */
export const NAMESPACE = 'shop';
const KINDS = '/apis/tenancy.x-k8s.io/v1alpha1';

/** One line of `watch -o json --output-watch-events`, as far as tests look at it. */
export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: {
    readonly time: string;
    readonly virtualCluster: { readonly namespace: string; readonly name: string };
    readonly tenant: { readonly namespace: string; readonly name: string; readonly phase: string };
    readonly super: { readonly phase: string; readonly creationTimestamp: string } | null;
    readonly verdict: string;
    readonly cause: { readonly code: string; readonly message: string } | null;
    readonly settling: boolean;
    readonly gone: boolean;
    readonly outcome: string | null;
    readonly message: string;
  };
}

export class WatchedFleet {
  readonly fleet: Fleet;
  readonly tenants: readonly [Tenant, Tenant];

  private constructor(fleet: Fleet, tenants: readonly [Tenant, Tenant]) {
    this.fleet = fleet;
    this.tenants = tenants;
  }

  /** Two VirtualClusters, each with a control plane of its own. */
  static async start(): Promise<WatchedFleet> {
    const fleet = await startFleet({
      tenants: ['default/first', 'team-b/second'],
      controllerManagers: false,
    });
    const [first, second] = fleet.tenants;
    if (first === undefined || second === undefined) throw new Error('two tenants');
    for (const plane of [fleet.super, first.plane, second.plane]) await createClass(plane);
    for (const tenant of [first, second]) await createNamespace(fleet, tenant, NAMESPACE);
    return new WatchedFleet(fleet, [first, second]);
  }

  stop(): Promise<void> {
    return this.fleet.stop();
  }

  /** Starts `watch` with no grace for young claims, unless the arguments say otherwise. */
  watch(...args: readonly string[]): RunningCli {
    return new RunningCli(['watch', '--grace=0', ...args], { KUBECONFIG: this.fleet.kubeconfig });
  }

  run(...args: readonly string[]): Promise<Finished> {
    return runCli(args, { KUBECONFIG: this.fleet.kubeconfig });
  }

  /** A pair that is Bound in the tenant, and in the super cluster Bound or Lost. */
  pair(tenant: Tenant, name: string, superPhase: 'Bound' | 'Lost', namespace = NAMESPACE): Promise<void> {
    return createPair(this.fleet, tenant, namespace, name, superPhase === 'Lost');
  }

  async superPhase(tenant: Tenant, name: string, phase: string, namespace = NAMESPACE): Promise<void> {
    const at = paths(tenant, namespace, name);
    await this.fleet.super.api.patch(`${at.super}/status`, { status: { phase } });
  }

  /** A VirtualCluster more, which is reached by a kubeconfig of another one's API server, or by any other text. */
  async addVirtualCluster(name: string, kubeconfig: string): Promise<{ readonly key: string }> {
    const { status } = await createVirtualCluster(this.fleet.super, 'default', name);
    const key = status.clusterNamespace as string;
    await storeKubeconfig(this.fleet.super, key, kubeconfig);
    return { key };
  }

  async setVirtualClusterPhase(name: string, phase: string): Promise<void> {
    await this.fleet.super.api.patch(virtualClusterPath(name), { status: { phase } });
  }

  async removeVirtualCluster(name: string): Promise<void> {
    await this.fleet.super.api.delete(virtualClusterPath(name));
  }

  /** Puts another kubeconfig in the place of the one that is there. */
  async renewKubeconfig(key: string, text: string): Promise<void> {
    await this.fleet.super.api.patch(`/api/v1/namespaces/${key}/secrets/admin-kubeconfig`, {
      data: { 'admin-kubeconfig': Buffer.from(text).toString('base64') },
    });
  }

  /** A tenant claim that the syncer has not sent down. */
  async unsynced({ plane }: Tenant, name: string, labels: Record<string, string> = {}): Promise<void> {
    const list = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
    await plane.api.create(list, { metadata: { name, labels }, spec: claimSpec() });
  }

  /** Runs the command line with a kubeconfig of another user's. */
  async asUser(name: string, text: string, ...args: readonly string[]): Promise<Finished> {
    return runCli(args, { KUBECONFIG: await writeKubeconfig(this.fleet.storage, name, text) });
  }

  /** Lets a user of the super cluster do something. */
  async grant(user: string, rules: readonly object[]): Promise<void> {
    const path = '/apis/rbac.authorization.k8s.io/v1';
    const { api } = this.fleet.super;
    await api.create(`${path}/clusterroles`, { metadata: { name: user }, rules });
    await api.create(`${path}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
}

function virtualClusterPath(name: string): string {
  return `${KINDS}/namespaces/default/virtualclusters/${name}`;
}

/** Whether a line is about a claim, and of this kind. */
export function tells(
  name: string,
  type: WatchLine['type'],
  verdict: string | null = null,
): (line: WatchLine) => boolean {
  return (line) =>
    line.object.tenant.name === name &&
    line.type === type &&
    (verdict === null || line.object.verdict === verdict);
}
