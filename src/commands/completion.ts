/** `completion`: prints the script that makes a shell complete the plugin. */
import { BASH } from '../completion/scripts/bash.ts';
import { FISH } from '../completion/scripts/fish.ts';
import { POWERSHELL } from '../completion/scripts/powershell.ts';
import { ZSH } from '../completion/scripts/zsh.ts';
import type { Shell } from '../flags/completion.ts';
import type { Surroundings } from './check.ts';

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: BASH,
  fish: FISH,
  powershell: POWERSHELL,
  zsh: ZSH,
};

/** @returns the exit code */
export function completion(shell: Shell, { stdout }: Surroundings): number {
  stdout.write(SCRIPTS[shell]);
  return 0;
}
