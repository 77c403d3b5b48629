/** The flags of `sync`. */
import type { Argv } from 'yargs';
import type { SyncFlags } from '../commands/sync.ts';
import { UserError } from '../errors.ts';
import { flag, text, valued } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import { FAILURES, RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags, virtualClusters } from './scope.ts';

/** What no other command has. */
export const SYNC_OPTIONS: OptionTable = {
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
    ...valued('client: print what would be written; server: ask the API servers whether they would take it'),
    choices: ['none', 'client', 'server'],
    default: 'none',
  },
};

/** Adds what `sync` takes. */
export function syncOptions(parser: Argv): Argv {
  return virtualClusters(parser)
    .options({ ...SCOPE_OPTIONS, ...SYNC_OPTIONS, ...RESULT_OPTIONS })
    .example('$0 sync --dry-run=client', 'what would be written, and nothing else')
    .example('$0 sync --hold', "show the super claims' phases in all tenants, and keep them shown")
    .example('$0 sync team-b/staging', 'one tenant; claims that are Bound again are released')
    .example('$0 sync --release-all team-b/staging', 'leave the tenant as if we had never been there')
    .epilogue(
      `Exit codes: 0 all done or nothing to do, 1 something was reverted, refused or (with --hold) not kept, ${FAILURES}`,
    );
}

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
