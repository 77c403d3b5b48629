/** The flags of `snapshot`, as yargs is told of them and as the command takes them. */
import type { Argv } from 'yargs';
import type { SnapshotFlags } from '../commands/snapshot.ts';
import { parseDuration } from '../duration.ts';
import { UserError } from '../errors.ts';
import { flag, text, texts, wholeNumber } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import { SCOPE_OPTIONS, scopeOf, virtualClusters } from './scope.ts';

/** What no other command has. */
export const SNAPSHOT_OPTIONS: OptionTable = {
  redact: { type: 'boolean', description: 'Replace every name by another, the same one everywhere' },
};

/** Known, so that the refusal can say why. */
const REFUSED: Readonly<Record<string, string>> = {
  selector:
    '-l cannot be used with snapshot: a recording is compared as a whole, and without a tenant claim its super claim looks orphaned; --tenant-namespace narrows it',
  from: '--from cannot be used with snapshot: it records live clusters; check --from reads what it wrote',
};

/** Adds what `snapshot` takes. */
export function snapshotOptions(parser: Argv): Argv {
  return virtualClusters(
    parser.positional('directory', { type: 'string', description: 'Where to write; must not exist yet' }),
  )
    .options({ ...SCOPE_OPTIONS, ...SNAPSHOT_OPTIONS })
    .hide('selector')
    .hide('from')
    .example('$0 snapshot ./recording', 'every VirtualCluster that can be seen')
    .example('$0 snapshot ./recording team-b/staging --redact', 'one, with other names, for a bug report')
    .example('$0 check --from ./recording', 'what the recording says, without any cluster');
}

/** @throws UserError for a value that cannot be. */
export function snapshotFlags(argv: Arguments): SnapshotFlags {
  for (const [name, why] of Object.entries(REFUSED)) if (text(argv, name) !== null) throw new UserError(why);
  // What stands after `--` is left among the words behind the command.
  const words = [
    ...texts(argv, 'directory'),
    ...texts(argv, 'virtualcluster'),
    ...argv._.slice(1).map(String),
  ];
  const [directory, ...names] = words;
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
