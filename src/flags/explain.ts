/** The flags of `explain`, and the claim that its words mean. */
import type { ExplainFlags } from '../commands/explain.ts';
import { parseDuration } from '../duration.ts';
import { UserError, oneLine } from '../errors.ts';
import type { ClaimQuery } from '../fleet/find-claim.ts';
import { flag, text, texts, valued, wholeNumber } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import type { CommandForm } from './form.ts';
import { RESULT_OPTIONS, SCOPE_OPTIONS, scopeOf, someOf } from './scope.ts';

export const EXPLAIN: CommandForm = {
  name: 'explain',
  usage: '[VIRTUALCLUSTER/]NAMESPACE/CLAIM',
  words: ['claim'],
  mostWords: 1,
  short: 'Tell what is wrong with one claim, and what mends it',
  long: [
    'Show the chain of the four objects with its broken link, whether the disk is safe, and the exact kubectl command that mends it, where one is safe. Nothing is written anywhere, and no command is run.',
    "The claim is named as [VIRTUALCLUSTER/]NAMESPACE/CLAIM, or as pvc/CLAIM with -n NAMESPACE; the namespace may be the tenant's or the super cluster's.",
    'Exit codes: 0 nothing wrong with the claim, 1 a mismatch, 2 an error.',
  ],
  examples: [
    {
      comment: 'Explain a tenant claim, whichever VirtualCluster has it',
      line: 'kubectl vc-pvc explain shop/cart-0',
    },
    {
      comment: 'Explain a claim of VirtualCluster staging in namespace team-b',
      line: 'kubectl vc-pvc explain team-b/staging/default/db-2',
    },
    {
      comment: 'Explain the claim that a super claim was made for',
      line: 'kubectl vc-pvc explain pvc/cart-0 -n default-6177e3-vc-sample-1-shop',
    },
    {
      comment: 'Draw a claim of a recording as a diagram for a report',
      line: 'kubectl vc-pvc explain shop/cart-0 --from ./recording -o mermaid',
    },
  ],
  options: {
    // An explanation is of one claim, so nothing that selects several.
    ...someOf({ ...SCOPE_OPTIONS, ...RESULT_OPTIONS }, [
      'namespace',
      'all-namespaces',
      'from',
      'tenant-kubeconfig',
      'tenant-timeout',
      'concurrency',
      'grace',
      'color',
    ]),
    ascii: { type: 'boolean', description: 'Draw with ASCII characters only' },
    output: {
      ...valued('Output format. One of: (text, json, yaml, mermaid)', ['text', 'json', 'yaml', 'mermaid']),
      alias: 'o',
      default: 'text',
    },
  },
};

/** @throws UserError for a value that cannot be. */
export function explainFlags(argv: Arguments): ExplainFlags {
  const [claim = ''] = argv.words;
  return {
    claim: claimQuery(claim, text(argv, 'namespace')),
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
  return KIND.test(argv.words[0] ?? '') ? null : scopeOf(argv).namespace;
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
