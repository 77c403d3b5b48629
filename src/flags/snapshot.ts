/** The flags of `snapshot`. */
import type { SnapshotFlags } from '../commands/snapshot.ts';
import { parseDuration } from '../duration.ts';
import { UserError } from '../errors.ts';
import { flag, text, texts, wholeNumber } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { SCOPE_OPTIONS, scopeOf, someOf } from './scope.ts';

/** What `check` takes and a recording cannot be made with. */
const REFUSED: Readonly<Record<string, string>> = {
  selector:
    '-l cannot be used with snapshot: a recording is compared as a whole, and without a tenant claim its super claim looks orphaned; --tenant-namespace narrows it',
  from: '--from cannot be used with snapshot: it records live clusters; check --from reads what it wrote',
};

export const SNAPSHOT: CommandForm = {
  name: 'snapshot',
  usage: 'DIRECTORY [VIRTUALCLUSTER...]',
  words: ['directory', 'virtualcluster'],
  mostWords: Number.POSITIVE_INFINITY,
  short: 'Record live clusters, without secrets, for --from',
  long: [
    'Write what check --from and explain --from read: the claims and all that they depend on, and no secret. DIRECTORY must not exist yet; it is written as a whole or not at all.',
    'Exit codes: 0 all written, 2 an error, or written without some tenant that could not be read.',
  ],
  examples: [
    {
      comment: 'Record every VirtualCluster that can be seen',
      line: 'kubectl vc-pvc snapshot ./recording',
    },
    {
      comment: 'Record one with other names, for a bug report',
      line: 'kubectl vc-pvc snapshot ./recording team-b/staging --redact',
    },
    {
      comment: 'See what a recording says, without any cluster',
      line: 'kubectl vc-pvc check --from ./recording',
    },
  ],
  options: {
    ...someOf(SCOPE_OPTIONS, [
      'namespace',
      'all-namespaces',
      'tenant-namespace',
      'tenant-kubeconfig',
      'tenant-timeout',
      'concurrency',
    ]),
    redact: { type: 'boolean', description: 'Replace every name by another, the same one everywhere' },
  },
  refused: REFUSED,
};

/** @throws UserError for a value that cannot be. */
export function snapshotFlags(argv: Arguments): SnapshotFlags {
  const [directory, ...names] = argv.words;
  if (directory === undefined) {
    throw new UserError('snapshot needs the directory to write: kubectl vc-pvc snapshot DIR');
  }
  return {
    directory,
    virtualClusters: names,
    namespace: scopeOf(argv).namespace,
    tenantNamespaces: [...new Set(texts(argv, 'tenant-namespace'))],
    redact: flag(argv, 'redact'),
    tenantTimeout: parseDuration(text(argv, 'tenant-timeout') ?? '30s', '--tenant-timeout'),
    concurrency: wholeNumber(text(argv, 'concurrency') ?? '16', '--concurrency'),
  };
}
