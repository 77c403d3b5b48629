/** The flags of `check`. */
import type { CheckFlags } from '../commands/check.ts';
import { UserError } from '../errors.ts';
import { flag, text } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { VIRTUAL_CLUSTERS } from './form.ts';
import type { CommandForm } from './form.ts';
import { FAILURES, RESULT_OPTIONS, SCOPE_OPTIONS, commonFlags } from './scope.ts';

export const CHECK: CommandForm = {
  name: 'check',
  usage: '[VIRTUALCLUSTER...]',
  ...VIRTUAL_CLUSTERS,
  short: 'Find claims whose tenant and super cluster state disagree',
  long: [
    'Compare the claims of all Running VirtualClusters that can be seen with their claims in the super cluster, and say why the two disagree. Nothing is written anywhere.',
    'VIRTUALCLUSTER is NAME or NAMESPACE/NAME.',
    `Exit codes: 0 nothing mismatched, 1 at least one mismatch, ${FAILURES}`,
  ],
  examples: [
    { comment: 'Compare every VirtualCluster that can be seen', line: 'kubectl vc-pvc check' },
    {
      comment: 'Compare one VirtualCluster, with both volumes and what sync would write',
      line: 'kubectl vc-pvc check team-b/staging -o wide',
    },
    {
      comment: 'Compare the VirtualClusters of one namespace, but only claims of tenant namespace shop',
      line: 'kubectl vc-pvc check -n default --tenant-namespace shop',
    },
    {
      comment: 'Print verdicts for a script; the exit code says whether anything is wrong',
      line: "kubectl vc-pvc check -o jsonpath='{.items[*].verdict}'",
    },
    {
      comment: 'Compare a recording, without any cluster, and show consistent claims too',
      line: 'kubectl vc-pvc check --from ./recording --all',
    },
  ],
  options: {
    ...SCOPE_OPTIONS,
    ...RESULT_OPTIONS,
    all: { type: 'boolean', description: 'Show consistent claims too' },
    orphans: { type: 'boolean', description: 'Show super claims that have no tenant claim' },
  },
};

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
