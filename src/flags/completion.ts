/** The words of `completion`. */
import { UserError, oneLine } from '../errors.ts';
import type { Arguments } from './arguments.ts';
import type { CommandForm } from './form.ts';

/** Shells that there is a script for. */
export const SHELLS = ['bash', 'fish', 'powershell', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

export const COMPLETION: CommandForm = {
  name: 'completion',
  usage: 'SHELL',
  words: ['shell'],
  mostWords: 1,
  short: 'Print a script that makes a shell complete this plugin',
  long: [
    `Print a script for SHELL (${SHELLS.join(', ')}) that completes commands, flags, VirtualClusters, tenant namespaces and claims, of "kubectl vc-pvc" as well as of "kubectl-vc_pvc". Source it behind kubectl's own.`,
    'Where kubectl completes in your shell already, it does so for plugins too: an executable kubectl_complete-vc_pvc on PATH is all it needs; the release archive has it.',
  ],
  examples: [
    {
      comment: 'Complete in this bash; put it into ~/.bashrc for every one',
      line: 'source <(kubectl vc-pvc completion bash)',
    },
    {
      comment: 'Complete in this zsh; put it into ~/.zshrc for every one',
      line: 'source <(kubectl vc-pvc completion zsh)',
    },
    {
      comment: 'Complete in every fish',
      line: 'kubectl vc-pvc completion fish > ~/.config/fish/conf.d/kubectl-vc_pvc.fish',
    },
    {
      comment: 'Complete in this PowerShell; put it into $PROFILE for every one',
      line: 'kubectl vc-pvc completion powershell | Out-String | Invoke-Expression',
    },
  ],
  options: {},
};

/** @throws UserError for none, or one that there is no script for */
export function shellOf({ words: [word] }: Arguments): Shell {
  const shell = SHELLS.find((known) => known === word);
  if (shell !== undefined) return shell;
  throw new UserError(
    `completion ${word === undefined ? 'needs a shell' : oneLine(word)}: there is ${SHELLS.join(', ')}`,
  );
}
