/** An answer as text. */
import { oneLine } from '../errors.ts';
import type { Answer, Candidate } from './candidates.ts';

/** More than anybody reads; a shell takes seconds over tens of thousands. */
const MOST = 2_000;
/**
 * Names come from clusters and files that others write, and a shell may expand what it is offered: bash's `compgen -W`
 * runs a command substitution, and completion scripts of older kubectls hand names to it as they are. Of these
 * characters no shell makes anything else; every name of Kubernetes consists of them.
 */
const HARMLESS = /^[\p{L}\p{N}_.@%+:,=/-]+$/u;

/** A candidate a line, with a tab and its description, then ":" and the directive. Ends in a newline. */
export function answerLines({ candidates, directive }: Answer): string {
  const lines = candidates.filter(({ value }) => HARMLESS.test(value)).map(line);
  return [...new Set(lines)].slice(0, MOST).concat(`:${directive}`, '').join('\n');
}

function line({ value, description }: Candidate): string {
  const harmless = oneLine(description).replaceAll(/[`$\\]/g, '');
  return harmless === '' ? value : `${value}\t${harmless}`;
}
