/** The flags of `sync`. */
import type { SyncFlags } from '../commands/sync.ts';
import { UserError } from '../errors.ts';
import { flag, text, valued } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { VIRTUAL_CLUSTERS } from './form.ts';
import type { CommandForm } from './form.ts';
import { FAILURES, RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags } from './scope.ts';

export const SYNC: CommandForm = {
  name: 'sync',
  usage: '[VIRTUALCLUSTER...]',
  ...VIRTUAL_CLUSTERS,
  short: 'Make tenant claims show the phase of their super claims',
  long: [
    "Where a tenant claim reads Bound and its super claim is not, write the super claim's phase, a condition that says why, and an Event. A claim whose super claim is Bound again is given back. Nothing is written to the super cluster.",
    "Without --hold the tenant's PV controller undoes it within milliseconds, and only condition and Event stay.",
    `Exit codes: 0 all done or nothing to do, 1 something was reverted, refused or (with --hold) not kept, ${FAILURES}`,
  ],
  examples: [
    {
      comment: 'Print what would be written, and write nothing',
      line: 'kubectl vc-pvc sync --dry-run=client',
    },
    {
      comment: "Show the super claims' phases in all tenants, and keep them shown",
      line: 'kubectl vc-pvc sync --hold',
    },
    {
      comment: 'Sync one tenant; claims that are Bound again are released',
      line: 'kubectl vc-pvc sync team-b/staging',
    },
    {
      comment: 'Leave one tenant as if nothing had ever been written there',
      line: 'kubectl vc-pvc sync --release-all team-b/staging',
    },
  ],
  options: {
    ...SCOPE_OPTIONS,
    ...RESULT_OPTIONS,
    hold: {
      type: 'boolean',
      description:
        "Keep the tenant's PV controller from undoing it: installs ValidatingAdmissionPolicy vc-pvc-hold in the tenant",
    },
    'release-all': {
      type: 'boolean',
      description: 'Release every held claim, whatever its super claim is, and remove policy and Events',
    },
    'dry-run': {
      ...valued(
        'With client print what would be written, with server ask the API servers whether they would take it',
      ),
      choices: ['none', 'client', 'server'],
      default: 'none',
    },
  },
};

/** @throws UserError for a value that cannot be. */
export function syncFlags(argv: Arguments): SyncFlags {
  const common = commonFlags(argv);
  const selected = text(argv, 'selector') !== null;
  const releaseAll = flag(argv, 'release-all');
  const hold = flag(argv, 'hold');
  if (releaseAll && hold) throw new UserError('--hold and --release-all exclude each other');
  if (releaseAll && (selected || common.tenantNamespaces.length > 0)) {
    throw new UserError(
      '--release-all cannot be narrowed by -l or --tenant-namespace: it removes the policy, which holds all claims of a tenant; name VirtualClusters instead',
    );
  }
  return { ...common, selected, hold, releaseAll, dryRun: text(argv, 'dry-run') as SyncFlags['dryRun'] };
}
