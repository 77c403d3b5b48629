/** A command line in, its exit code out; errors in one line. */
import { COMMANDS, FORMS } from './commands/all.ts';
import type { Surroundings } from './commands/check.ts';
import { INTERRUPTED, Interrupted, UserError, oneLine } from './errors.ts';
import { CONNECTION_OPTIONS } from './flags/connection.ts';
import { parseLine } from './flags/parse.ts';

const ERROR = 2;

/** Runs one command line. @returns the exit code. Never throws for what a user can cause. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let verbose = / (-v|--v|--verbosity)[= ]?[1-9]/.test(` ${args.join(' ')}`);
  try {
    return await dispatch(args, surroundings);
  } catch (error) {
    verbose ||= !(error instanceof UserError);
    const message = error instanceof Error ? error.message : String(error);
    if (!isUnread(surroundings.signal)) surroundings.stderr.write(`error: ${oneLine(message)}\n`);
    if (verbose && error instanceof Error) surroundings.stderr.write(`${error.stack}\n`);
    return surroundings.signal.aborted ? INTERRUPTED : ERROR;
  }
}

/** Whether it ends because nobody reads its output any more: `| head` wants no error. */
function isUnread({ reason }: AbortSignal): boolean {
  return reason instanceof Interrupted && reason.signal === 'SIGPIPE';
}

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  if (args[0] === '__complete') {
    const { complete } = await import('./commands/complete.ts');
    return complete(args.slice(1), FORMS, surroundings);
  }
  const { command, help, argv } = await parseLine(args, FORMS, CONNECTION_OPTIONS);
  if (help) {
    const { showHelp } = await import('./commands/help.ts');
    return showHelp(command, FORMS, surroundings);
  }
  const chosen = COMMANDS.find(({ form }) => form === command);
  if (chosen !== undefined) {
    const code = await chosen.run(argv, surroundings);
    return surroundings.signal.aborted && chosen.untilSignal !== true ? INTERRUPTED : code;
  }
  throw new UserError('which command? check is the one to start with; --help shows all');
}
