/** What is offered at the cursor. */
import type { Lookup, OptionTable } from '../flags/arguments.ts';
import { SHELLS } from '../flags/completion.ts';
import type { CommandForm, WordKind } from '../flags/form.ts';
import type { CompletionRequest } from './request.ts';

/** Something that may be typed. */
export interface Candidate {
  readonly value: string;
  /** In a few words; "" for none. */
  readonly description: string;
}

/** Bits of github.com/spf13/cobra completions.go ShellCompDirective. */
const DIRECTIVES = { noSpace: 2, noFiles: 4, directories: 16 } as const;

export interface Answer {
  readonly candidates: readonly Candidate[];
  /** What the shell is to do with them. */
  readonly directive: number;
}

/** Nothing is offered, file names neither. */
export const NOTHING: Answer = { candidates: [], directive: DIRECTIVES.noFiles };

const FILES: Answer = { candidates: [], directive: 0 };
const DIRECTORIES: Answer = { candidates: [], directive: DIRECTIVES.directories };

/** Looks names up that only a kubeconfig or a cluster knows. */
export interface Lookups {
  readonly kubeconfig: (kind: 'context' | 'cluster' | 'user') => Promise<readonly string[]>;
  /** NAMESPACE/NAME of what can be seen, described by its phase. */
  readonly virtualClusters: () => Promise<readonly Candidate[]>;
  /** Namespaces of the super cluster that have VirtualClusters. */
  readonly namespaces: () => Promise<readonly string[]>;
  /** Namespaces of the tenants that have claims. */
  readonly tenantNamespaces: () => Promise<readonly string[]>;
  /** What `explain` takes, up to the next "/" behind what was typed. */
  readonly claims: (typed: string) => Promise<readonly Candidate[]>;
}

/** @returns only what begins with what was typed */
export async function answerTo(
  request: CompletionRequest,
  commands: readonly CommandForm[],
  lookups: () => Promise<Lookups>,
): Promise<Answer> {
  const { wanted, typed } = request;
  if (wanted.kind === 'nothing') return NOTHING;
  if (wanted.kind === 'flag') return answer(flagNames(wanted.options), typed);
  if (wanted.kind === 'word') return wordAnswer(wanted.word, request, commands, lookups);
  const { choices, offers = [] } = wanted.flag;
  if (choices !== undefined) return answer(choices.map(plain), typed);
  return typeof offers === 'string' ? lookUp(offers, request, lookups) : answer(offers.map(plain), typed);
}

async function lookUp(
  kind: Lookup,
  { typed }: CompletionRequest,
  lookups: () => Promise<Lookups>,
): Promise<Answer> {
  if (kind === 'file' || (kind === 'tenant-file' && typed.includes('='))) return FILES;
  if (kind === 'directory') return DIRECTORIES;
  const { kubeconfig, namespaces, tenantNamespaces, virtualClusters } = await lookups();
  if (kind === 'namespace') return answer((await namespaces()).map(plain), typed);
  if (kind === 'tenant-namespace') return answer((await tenantNamespaces()).map(plain), typed);
  if (kind !== 'tenant-file') return answer((await kubeconfig(kind)).map(plain), typed);
  const found = await virtualClusters();
  return answer(
    found.map((one) => ({ ...one, value: `${one.value}=` })),
    typed,
  );
}

async function wordAnswer(
  word: WordKind,
  { typed, argv }: CompletionRequest,
  commands: readonly CommandForm[],
  lookups: () => Promise<Lookups>,
): Promise<Answer> {
  if (word === 'directory') return DIRECTORIES;
  if (word === 'shell') return answer(SHELLS.map(plain), typed);
  if (word === 'command') {
    return answer(
      commands.map(({ name, short }) => ({ value: name, description: short })),
      typed,
    );
  }
  const { claims, virtualClusters } = await lookups();
  if (word === 'claim') return answer(await claims(typed), typed);
  const found = await virtualClusters();
  const all = typed === '' ? found : [...found, ...bareNames(found)];
  return answer(
    all.filter(({ value }) => !argv.words.includes(value)),
    typed,
  );
}

function plain(value: string): Candidate {
  return { value, description: '' };
}

/** NAME is enough where only one VirtualCluster has it. */
function bareNames(virtualClusters: readonly Candidate[]): Candidate[] {
  const byName = Map.groupBy(virtualClusters, ({ value }) => value.slice(value.indexOf('/') + 1));
  return [...byName].flatMap(([name, [only, ...others]]) =>
    only === undefined || others.length > 0 ? [] : [{ value: name, description: only.value }],
  );
}

function flagNames(options: OptionTable): Candidate[] {
  return Object.entries(options).flatMap(([name, { alias = '', description }]) =>
    [name, alias]
      .filter((one) => one !== '')
      .map((one) => ({ value: one.length === 1 ? `-${one}` : `--${one}`, description })),
  );
}

/** What is left where more has to follow directly gets no space behind it. */
function answer(candidates: readonly Candidate[], typed: string): Answer {
  const left = candidates.filter(({ value }) => value.startsWith(typed));
  const unfinished = left.some(({ value }) => /[/=]$/.test(value));
  return { candidates: left, directive: DIRECTIVES.noFiles + (unfinished ? DIRECTIVES.noSpace : 0) };
}
