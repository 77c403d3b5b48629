/** `explain`: what is wrong with one claim, whether its data is in danger, and what mends it. */
import { UserError, oneLine } from '../errors.ts';
import { Deadline } from '../fleet/deadline.ts';
import type { Fleet } from '../fleet/each-tenant.ts';
import { eventHints } from '../fleet/event-hints.ts';
import { findClaim } from '../fleet/find-claim.ts';
import type { ClaimQuery, FoundClaim } from '../fleet/find-claim.ts';
import { readScene } from '../fleet/scene.ts';
import type { SceneOptions } from '../fleet/scene.ts';
import { wantsColor } from '../output/color.ts';
import type { ColorMode } from '../output/color.ts';
import { UNKNOWN_CONTEXT } from '../output/explanation-text.ts';
import { EXPLANATION_FORMATS, printExplanation } from '../output/print-explanation.ts';
import { nearest } from '../nearest.ts';
import { explain as explainScene } from '../reconcile/explain/explain.ts';
import type { EventHint } from '../reconcile/explain/explanation.ts';
import type { Scene } from '../reconcile/explain/scene.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import { parseTenantKubeconfigFlags } from '../virtualcluster/tenant-kubeconfig-flag.ts';
import type { Surroundings } from './check.ts';
import type { FleetSource } from './source.ts';

export interface ExplainFlags {
  readonly claim: ClaimQuery;
  readonly output: string;
  /** Draw with ASCII characters only. */
  readonly ascii: boolean;
  readonly color: ColorMode;
  /** Milliseconds. */
  readonly grace: number;
  /** Milliseconds, 0 for none. */
  readonly tenantTimeout: number;
  readonly concurrency: number;
  /** Flags that lead kubectl to the super cluster, without --context. */
  readonly kubectlFlags: readonly string[];
  /** --context as it was given, null where not. */
  readonly context: string | null;
  /** Each VIRTUALCLUSTER=FILE. */
  readonly tenantKubeconfigs: readonly string[];
}

/** @returns the exit code: 0 nothing wrong with the claim, 1 a mismatch. @throws UserError where it cannot be told */
export async function explain(
  flags: ExplainFlags,
  source: FleetSource,
  surroundings: Surroundings,
): Promise<number> {
  const format = EXPLANATION_FORMATS.find((known) => known === flags.output);
  if (format === undefined) {
    throw new UserError(
      `-o ${oneLine(flags.output)}: unknown output format${nearest(flags.output, EXPLANATION_FORMATS)}; allowed are ${EXPLANATION_FORMATS.join(', ')}`,
    );
  }
  const { stdout, stderr, signal } = surroundings;
  const warn = (why: string): void => void stderr.write(`warning: ${oneLine(why)}\n`);
  const opened = await source(signal);
  let found: FoundClaim | null = null;
  try {
    const { fleet, live, superCluster } = opened;
    found = await findClaim(flags.claim, fleet, opened.virtualClusters, {
      ...flags,
      tenantTimeout: live ? flags.tenantTimeout : 0,
      signal,
      onUnsearched: ({ namespace, name }, why) => warn(`${namespace}/${name} was not searched: ${why}`),
    });
    const settling = live ? { now: surroundings.now(), grace: flags.grace } : null;
    const { scene, events } = await read(found, fleet, { settling, signal, onUnread: warn }, flags);
    const explanation = explainScene(scene);
    stdout.write(
      printExplanation({ ...explanation, events }, format, {
        ascii: flags.ascii,
        color: wantsColor(flags.color, stdout.isTTY, surroundings.environment),
        width: stdout.isTTY ? stdout.columns : null,
        now: surroundings.now(),
        kubectl: {
          super: superFlags(flags, superCluster === null ? UNKNOWN_CONTEXT : superCluster.contextName),
          tenant: tenantFlags(flags, found.virtualCluster),
        },
        superCluster: superCluster?.description ?? null,
      }),
    );
    return explanation.mismatch && !explanation.settling ? 1 : 0;
  } finally {
    await found?.tenant.close();
    await opened.close();
  }
}

/** Within one tenant's time, as everywhere: a tenant that hangs must not hang the command. */
async function read(
  found: FoundClaim,
  fleet: Fleet,
  options: SceneOptions,
  { tenantTimeout }: ExplainFlags,
): Promise<{ scene: Scene; events: EventHint[] }> {
  const deadline = new Deadline(tenantTimeout, options.signal);
  const { signal } = deadline;
  try {
    const scene = await deadline.bound(readScene(found, fleet, { ...options, signal }));
    const readers = { tenant: found.tenant.reader, super: fleet.super };
    const events = await deadline.bound(eventHints(scene, readers, signal, options.onUnread));
    return { scene, events };
  } finally {
    deadline.clear();
  }
}

/** The context is always named: what is current may be another one when the command is run. */
function superFlags({ kubectlFlags, context }: ExplainFlags, current: string): string[] {
  if (current === UNKNOWN_CONTEXT && kubectlFlags.length > 0) return [...kubectlFlags];
  const name = context ?? current;
  return [...kubectlFlags, ...(name === '' ? [] : ['--context', name])];
}

/** null where the user named no file that leads to the tenant. */
function tenantFlags({ tenantKubeconfigs }: ExplainFlags, virtualCluster: VirtualCluster): string[] | null {
  const file = parseTenantKubeconfigFlags(tenantKubeconfigs).find(virtualCluster);
  return file === null ? null : ['--kubeconfig', file];
}
