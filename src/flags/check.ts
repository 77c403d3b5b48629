/** The flags of `check`. */
import type { Argv } from 'yargs';
import type { CheckFlags } from '../commands/check.ts';
import { UserError } from '../errors.ts';
import { flag, text } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import { FAILURES, RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags, virtualClusters } from './scope.ts';

/** What no other command has. */
export const CHECK_OPTIONS: OptionTable = {
  all: { type: 'boolean', description: 'Show consistent claims too' },
  orphans: { type: 'boolean', description: 'Show super claims that have no tenant claim' },
};

/** Adds what `check` takes. */
export function checkOptions(parser: Argv): Argv {
  return virtualClusters(parser)
    .options({ ...SCOPE_OPTIONS, ...CHECK_OPTIONS, ...RESULT_OPTIONS })
    .example('$0 check', 'every VirtualCluster that can be seen')
    .example('$0 check team-b/staging -o wide', 'one, with both volumes')
    .example(
      "$0 check -o jsonpath='{.items[*].verdict}'",
      'for scripts; the exit code says whether anything is wrong',
    )
    .example('$0 check --from ./recording --all', 'offline, consistent claims too')
    .epilogue(`Exit codes: 0 nothing mismatched, 1 at least one mismatch, ${FAILURES}`);
}

/** @throws UserError for a value that cannot be. */
export function checkFlags(argv: Arguments): CheckFlags {
  const orphans = flag(argv, 'orphans');
  if (orphans && text(argv, 'selector') !== null) {
    throw new UserError(
      '--orphans cannot be used with -l: without all tenant claims every super claim may look orphaned',
    );
  }
  return { ...commonFlags(argv), all: flag(argv, 'all'), orphans };
}
