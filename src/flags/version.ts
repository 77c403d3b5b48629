/** The flags of `version`. */
import type { VersionFlags } from '../commands/version.ts';
import { parseDuration } from '../duration.ts';
import { UserError, oneLine } from '../errors.ts';
import { flag, text, valued, wholeNumber } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { SCOPE_OPTIONS, someOf } from './scope.ts';

const FORMATS = ['json', 'yaml'];

/** As of kubectl pkg/cmd/version/version.go, with the tenants. */
export const VERSION: CommandForm = {
  name: 'version',
  usage: '',
  words: [],
  mostWords: 0,
  short: 'Print the versions of this plugin and of the clusters',
  long: [
    'Print the version of this plugin and, unless --client is given, those of the super cluster and of the API server of each Running VirtualCluster.',
    'Exit codes: 0 all printed, 2 some API server could not be asked; the rest is printed.',
  ],
  examples: [
    { comment: 'Print all versions', line: 'kubectl vc-pvc version' },
    {
      comment: 'Print the version of this plugin without asking any cluster',
      line: 'kubectl vc-pvc version --client',
    },
    { comment: 'Print what a bug report needs', line: 'kubectl vc-pvc version -o yaml' },
  ],
  options: {
    client: { type: 'boolean', description: 'Show the version of this plugin only (no server required)' },
    output: { ...valued('Output format. One of: (json, yaml)', FORMATS), alias: 'o' },
    ...someOf(SCOPE_OPTIONS, [
      'namespace',
      'all-namespaces',
      'tenant-kubeconfig',
      'tenant-timeout',
      'concurrency',
    ]),
  },
};

/** @throws UserError for a value that cannot be. */
export function versionFlags(argv: Arguments): VersionFlags {
  const output = text(argv, 'output') ?? '';
  if (output !== '' && output !== 'json' && output !== 'yaml') {
    throw new UserError(`-o ${oneLine(output)}: unknown output format; allowed are json, yaml`);
  }
  return {
    clientOnly: flag(argv, 'client'),
    output: output === '' ? 'text' : output,
    tenantTimeout: parseDuration(text(argv, 'tenant-timeout') ?? '', '--tenant-timeout'),
    concurrency: wholeNumber(text(argv, 'concurrency') ?? '', '--concurrency'),
  };
}
