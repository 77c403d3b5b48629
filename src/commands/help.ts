/** `help`, `options` and --help. */
import type { OptionTable } from '../flags/arguments.ts';
import type { CommandForm } from '../flags/form.ts';
import { commandHelp, globalOptionsHelp, overviewHelp } from '../output/help.ts';
import type { Surroundings } from './check.ts';

/** @param command null for the program as a whole @returns the exit code */
export function showHelp(
  command: CommandForm | null,
  commands: readonly CommandForm[],
  { stdout }: Surroundings,
): number {
  stdout.write(
    command === null ? overviewHelp(commands, widthOf(stdout)) : commandHelp(command, widthOf(stdout)),
  );
  return 0;
}

/** @returns the exit code */
export function showOptions(options: OptionTable, { stdout }: Surroundings): number {
  stdout.write(globalOptionsHelp(options, widthOf(stdout)));
  return 0;
}

/** Columns; null where it is no terminal. */
function widthOf(stdout: Surroundings['stdout']): number | null {
  return stdout.isTTY ? stdout.columns : null;
}
