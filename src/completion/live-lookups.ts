/** Names from the user's kubeconfig, from the super cluster and from the tenants, read as `check` reads them. */
import { homedir } from 'node:os';
import type { FleetSource, OpenFleet } from '../commands/source.ts';
import type { Deadline } from '../fleet/deadline.ts';
import { eachTenant } from '../fleet/each-tenant.ts';
import { selectVirtualClusters } from '../fleet/select.ts';
import { text } from '../flags/arguments.ts';
import { loadKubeconfig } from '../kube/kubeconfig/load.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { compareText } from '../reconcile/order.ts';
import type { Lookups } from './candidates.ts';
import { claimCandidates, claimsByKind, mayMean } from './claim-candidates.ts';
import type { TenantClaim } from './claim-candidates.ts';
import type { CompletionRequest } from './request.ts';

/** Tenants side by side, as `check` has it by default. */
const CONCURRENCY = 16;
/** Shorter than the whole may take: what the other tenants have told must still be printed. Milliseconds. */
const TENANT_LIMIT = 2_000;

/** @param deadline ends all of it; a tenant that has not answered by then is left out */
export function liveLookups(
  { command, argv }: CompletionRequest,
  source: FleetSource,
  environment: Readonly<Record<string, string | undefined>>,
  deadline: Deadline,
): Lookups {
  const virtualClusters = (): Promise<readonly VirtualCluster[]> =>
    opened(source, deadline, (fleet) => Promise.resolve(fleet.virtualClusters));
  const claims = (wanted: (label: string) => boolean): Promise<TenantClaim[]> =>
    opened(source, deadline, (fleet) =>
      tenantClaims(fleet, command?.words[0] === 'virtualcluster' ? argv.words : [], wanted, deadline),
    );
  return {
    kubeconfig: async (kind) => {
      const explicitPath = text(argv, 'kubeconfig') ?? '';
      const config = await loadKubeconfig({ explicitPath, env: environment, homeDirectory: homedir() });
      return [...{ context: config.contexts, cluster: config.clusters, user: config.users }[kind].keys()];
    },
    virtualClusters: async () =>
      (await virtualClusters()).map((one) => ({ value: labelOf(one), description: one.phase })),
    namespaces: async () => unique((await virtualClusters()).map(({ namespace }) => namespace)),
    tenantNamespaces: async () => unique((await claims(() => true)).map(({ namespace }) => namespace)),
    claims: async (typed) => {
      const found = await claims((label) => mayMean(typed, label));
      const [, kind = ''] = /^(pvc|persistentvolumeclaims?)\//.exec(typed) ?? [];
      if (kind === '') return claimCandidates(typed, found);
      return claimsByKind(kind, text(argv, 'namespace') ?? '', found);
    },
  };
}

async function opened<T>(
  source: FleetSource,
  deadline: Deadline,
  look: (fleet: OpenFleet) => Promise<T>,
): Promise<T> {
  const opening = source(deadline.signal);
  const fleet = await deadline.bound(opening).catch((error: unknown) => {
    // One that is opened after its time is closed again, or the process would go on.
    void opening.then((late) => late.close()).catch(() => {});
    throw error;
  });
  try {
    return await look(fleet);
  } finally {
    await fleet.close();
  }
}

/** The claims of those tenants that answer in time, in the order in which they do. */
async function tenantClaims(
  { fleet, virtualClusters }: OpenFleet,
  names: readonly string[],
  wanted: (label: string) => boolean,
  deadline: Deadline,
): Promise<TenantClaim[]> {
  const { running } = selectVirtualClusters(virtualClusters, names);
  const found: TenantClaim[] = [];
  await eachTenant(
    fleet,
    running.filter((one) => wanted(labelOf(one))),
    {
      concurrency: CONCURRENCY,
      tenantTimeout: TENANT_LIMIT,
      signal: deadline.signal,
      onTenantDone: () => {},
    },
    async (virtualCluster, { reader }, own) => {
      for (const { namespace, name, phase } of await own.bound(reader.claims(null, own.signal))) {
        found.push({ virtualCluster: labelOf(virtualCluster), namespace, name, phase });
      }
      return [];
    },
  );
  return found;
}

function labelOf({ namespace, name }: VirtualCluster): string {
  return `${namespace}/${name}`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted(compareText);
}
