/** The flags of `explain`, and the claim that its words mean. */
import type { Argv } from 'yargs';
import type { ExplainFlags } from '../commands/explain.ts';
import { parseDuration } from '../duration.ts';
import { UserError, oneLine } from '../errors.ts';
import type { ClaimQuery } from '../fleet/find-claim.ts';
import { flag, text, texts, valued, wholeNumber } from './arguments.ts';
import type { Arguments, OptionTable } from './arguments.ts';
import { RESULT_OPTIONS, SCOPE_OPTIONS, scopeOf } from './scope.ts';

/** Every flag of `explain` that no other command has, or that means something of its own here. */
export const EXPLAIN_OPTIONS: OptionTable = {
  ascii: { type: 'boolean', description: 'Draw with ASCII characters only' },
  output: { ...valued('text|json|yaml|mermaid'), alias: 'o', default: 'text' },
};

/** What means the same here as for `check`; an explanation is of one claim, so nothing that selects several. */
const SHARED = new Set([
  'namespace',
  'all-namespaces',
  'from',
  'tenant-kubeconfig',
  'tenant-timeout',
  'concurrency',
  'grace',
  'color',
]);
const SHARED_OPTIONS = Object.fromEntries(
  Object.entries({ ...SCOPE_OPTIONS, ...RESULT_OPTIONS }).filter(([name]) => SHARED.has(name)),
);

/** Adds what `explain` takes. */
export function explainOptions(parser: Argv): Argv {
  return parser
    .positional('claim', {
      type: 'string',
      demandOption: true,
      description:
        "[VIRTUALCLUSTER/]NAMESPACE/CLAIM, or pvc/CLAIM with -n NAMESPACE; the namespace may be the super cluster's",
    })
    .options({ ...SHARED_OPTIONS, ...EXPLAIN_OPTIONS })
    .example('$0 explain shop/cart-0', 'a tenant claim, whichever VirtualCluster has it')
    .example('$0 explain team-b/staging/shop/cart-0', 'of VirtualCluster team-b/staging')
    .example('$0 explain pvc/cart-0 -n default-6177e3-vc-sample-1-shop', 'by the super claim')
    .example('$0 explain shop/cart-0 --from ./recording -o mermaid', 'offline, as a diagram for a report');
}

/** @throws UserError for a value that cannot be. */
export function explainFlags(argv: Arguments): ExplainFlags {
  return {
    claim: claimQuery(text(argv, 'claim') ?? String(argv._[1] ?? ''), text(argv, 'namespace')),
    output: text(argv, 'output') ?? 'text',
    ascii: flag(argv, 'ascii'),
    color: text(argv, 'color') as ExplainFlags['color'],
    grace: parseDuration(text(argv, 'grace') ?? '60s', '--grace'),
    tenantTimeout: parseDuration(text(argv, 'tenant-timeout') ?? '30s', '--tenant-timeout'),
    concurrency: wholeNumber(text(argv, 'concurrency') ?? '16', '--concurrency'),
    kubectlFlags: kubectlFlags(argv),
    context: text(argv, 'context') || null,
    tenantKubeconfigs: texts(argv, 'tenant-kubeconfig'),
  };
}

/** Of the VirtualClusters in view: with pvc/CLAIM, -n is the claim's namespace and not theirs. */
export function namespaceInView(argv: Arguments): string | null {
  return KIND.test(text(argv, 'claim') ?? '') ? null : scopeOf(argv).namespace;
}

/** Names become parts of paths: ".." must not. */
const NAME = /^[a-z0-9][-a-z0-9.]*$/i;
const KIND = /^(pvc|persistentvolumeclaims?)\//;

/** @param namespace -n @throws UserError for any other form */
function claimQuery(words: string, namespace: string | null): ClaimQuery {
  const parts = words.split('/');
  if (KIND.test(words) && parts.length === 2 && NAME.test(parts[1] ?? '')) {
    if (namespace === null || namespace === '') {
      throw new UserError(`${oneLine(words)} needs the claim's namespace: -n NAMESPACE`);
    }
    if (!NAME.test(namespace)) throw new UserError(`-n ${oneLine(namespace)}: no name of a namespace`);
    return { virtualCluster: null, namespace, name: parts[1] ?? '' };
  }
  const name = parts.at(-1) ?? '';
  const claimNamespace = parts.at(-2) ?? '';
  const virtualCluster = parts.slice(0, -2).join('/');
  if (parts.length < 2 || parts.length > 4 || !parts.every((part) => NAME.test(part))) {
    throw new UserError(
      `"${oneLine(words)}": which claim? give [VIRTUALCLUSTER/]NAMESPACE/CLAIM (VIRTUALCLUSTER as NAME or NAMESPACE/NAME), or pvc/CLAIM -n NAMESPACE`,
    );
  }
  return { virtualCluster: virtualCluster === '' ? null : virtualCluster, namespace: claimNamespace, name };
}

/** Flags with a value that lead to a cluster. Not --token: a secret is never printed. */
const LEADING = [
  'kubeconfig',
  'cluster',
  'user',
  'server',
  'as',
  'as-uid',
  'tls-server-name',
  'certificate-authority',
  'client-certificate',
  'client-key',
];

/** What the user gave us to find the super cluster, for kubectl to find it too. */
function kubectlFlags(argv: Arguments): string[] {
  const given = LEADING.flatMap((name) => {
    const value = text(argv, name) ?? '';
    return value === '' ? [] : [`--${name}`, value];
  });
  const repeated = ['as-group', 'as-user-extra'].flatMap((name) =>
    texts(argv, name).flatMap((value) => [`--${name}`, value]),
  );
  const insecure = flag(argv, 'insecure-skip-tls-verify') ? ['--insecure-skip-tls-verify'] : [];
  return [...given, ...repeated, ...insecure];
}
