/** What a command looks like from outside: the parser, the help and completion read one and the same description. */
import type { OptionTable } from './arguments.ts';

/** What a word means that is no flag. */
export type WordKind = 'virtualcluster' | 'claim' | 'directory' | 'shell' | 'command';

export interface CommandForm {
  readonly name: string;
  /** What stands behind the name, as kubectl writes it in a usage line: "[VIRTUALCLUSTER...]". */
  readonly usage: string;
  /** The meaning of each word behind the name; that of the last holds for all that follow. */
  readonly words: readonly WordKind[];
  /** How many words there may be. */
  readonly mostWords: number;
  /** One line. */
  readonly short: string;
  /** Paragraphs. */
  readonly long: readonly string[];
  readonly examples: readonly Example[];
  /** Its flags, without those that every command takes. */
  readonly options: OptionTable;
  /** Flags of other commands that make no sense here, each with the reason, which the user is told. */
  readonly refused?: Readonly<Record<string, string>>;
}

export interface Example {
  /** What it does. */
  readonly comment: string;
  /** A whole command line, which starts with "kubectl vc-pvc". */
  readonly line: string;
}

/** `words` where a command takes names of VirtualClusters. */
export const VIRTUAL_CLUSTERS: Pick<CommandForm, 'words' | 'mostWords'> = {
  words: ['virtualcluster'],
  mostWords: Number.POSITIVE_INFINITY,
};
