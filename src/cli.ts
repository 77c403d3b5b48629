/** yargs wiring: flags in, commands called, errors in one line. */
import yargs from 'yargs';
import type { Argv } from 'yargs';
import { check } from './commands/check.ts';
import type { Surroundings } from './commands/check.ts';
import { explain } from './commands/explain.ts';
import { recordedFleet } from './commands/source.ts';
import type { FleetSource } from './commands/source.ts';
import { UserError, oneLine } from './errors.ts';
import { FLAG_NAMES, SWITCH_NAMES } from './flags/all.ts';
import { texts } from './flags/arguments.ts';
import type { Arguments } from './flags/arguments.ts';
import { checkFlags, checkOptions } from './flags/check.ts';
import { connectionFlags, connectionOptions } from './flags/connection.ts';
import { explainFlags, explainOptions, namespaceInView } from './flags/explain.ts';
import { scopeOf } from './flags/scope.ts';
import { snapshotFlags, snapshotOptions } from './flags/snapshot.ts';
import { syncFlags, syncOptions } from './flags/sync.ts';
import { watchFlags, watchOptions } from './flags/watch.ts';
import { nearest } from './nearest.ts';

const ERROR = 2;
const COMMANDS = ['check', 'explain', 'sync', 'watch', 'snapshot'];

/** Runs one command line. @returns the exit code. Never throws for what a user can cause. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let verbose = / (-v|--v|--verbosity)[= ]?[1-9]/.test(` ${args.join(' ')}`);
  try {
    return await dispatch(args, surroundings);
  } catch (error) {
    verbose ||= !(error instanceof UserError);
    const message = error instanceof Error ? error.message : String(error);
    surroundings.stderr.write(`error: ${oneLine(message)}\n`);
    if (verbose && error instanceof Error) surroundings.stderr.write(`${error.stack}\n`);
    return ERROR;
  }
}

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0;
  const parser = base(yargs(detached(switched(args)), workingDirectory()), args)
    .command(
      'check [virtualcluster..]',
      'Find every claim whose tenant and super cluster state disagree, and say why',
      (command) => checkOptions(command),
      async (argv) => {
        exitCode = await check(checkFlags(argv), fleetSource(argv, scopeOf(argv).namespace), surroundings);
      },
    )
    .command(
      'explain <claim>',
      'Tell what is wrong with one claim, whether its data is in danger, and what mends it',
      (command) => explainOptions(command),
      async (argv) => {
        exitCode = await explain(explainFlags(argv), fleetSource(argv, namespaceInView(argv)), surroundings);
      },
    )
    .command(
      'sync [virtualcluster..]',
      "Make tenant claims show their super claims' phase, and with --hold keep it shown",
      (command) => syncOptions(command),
      async (argv) => {
        const { sync } = await import('./commands/sync.ts');
        exitCode = await sync(syncFlags(argv), fleetSource(argv, scopeOf(argv).namespace), surroundings);
      },
    )
    .command(
      'watch [virtualcluster..]',
      'Tell mismatches as they come and go, and with --sync answer each of them',
      (command) => watchOptions(command),
      async (argv) => {
        const { watch } = await import('./commands/watch.ts');
        const { namespace } = scopeOf(argv);
        exitCode = await watch(watchFlags(argv), namespace, fleetSource(argv, namespace), surroundings);
      },
    )
    .command(
      'snapshot [directory] [virtualcluster..]',
      'Write what check --from reads: a recording of live clusters, without secrets, for a bug report',
      (command) => snapshotOptions(command),
      async (argv) => {
        const { snapshot } = await import('./commands/snapshot.ts');
        exitCode = await snapshot(
          snapshotFlags(argv),
          fleetSource(argv, scopeOf(argv).namespace),
          surroundings,
        );
      },
    )
    .demandCommand(1, 'which command? check is the one to start with; --help shows all');
  await parser.parseAsync();
  return exitCode;
}

/** yargs asks for it although nothing here depends on it, and it may be gone. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/**
 * yargs takes any text for a switch and makes it false; here it has to be a boolean as in spf13/pflag bool.go, so that
 * --release-all=yes is not taken for its opposite. @throws UserError
 */
function switched(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const [, name = '', value = ''] = /^--?([A-Za-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (!SWITCH_NAMES.has(name) || (end >= 0 && index > end)) return arg;
    if (/^(1|t|true)$/i.test(value)) return `${arg.slice(0, arg.indexOf('='))}=true`;
    if (/^(0|f|false)$/i.test(value)) return `${arg.slice(0, arg.indexOf('='))}=false`;
    throw new UserError(`${oneLine(arg)}: a switch takes true or false, or nothing`);
  });
}

/** kubectl takes -owide as well as -o wide; yargs would take it for -o -w -i -d -e. */
function detached(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.flatMap((arg, index) => {
    const attached = end >= 0 && index > end ? null : /^(-[onlsv])([^=].*)$/s.exec(arg);
    return attached === null ? [arg] : [attached[1] ?? '', attached[2] ?? ''];
  });
}

function base(parser: Argv, args: readonly string[]): Argv {
  return connectionOptions(
    parser
      .scriptName('kubectl vc-pvc')
      .usage(
        'The storage truth of VirtualCluster tenants: claims whose tenant and super cluster state disagree.',
      )
      .parserConfiguration({
        'boolean-negation': false,
        'camel-case-expansion': false,
        'dot-notation': false,
        'greedy-arrays': false,
        'parse-numbers': false,
        'parse-positional-numbers': false,
        'strip-dashed': false,
      })
      .strict()
      .version(false)
      .help('help')
      .alias('help', 'h')
      .wrap(100)
      .epilogue(
        'Flags come after the plugin name: kubectl vc-pvc -n team-b check (kubectl -n team-b vc-pvc cannot work, kubectl then finds no plugin).\nExit codes: 0 nothing mismatched, 1 at least one mismatch, 2 an error.',
      )
      .exitProcess(false)
      .showHelpOnFail(false)
      .fail((message, error) => {
        // yargs gives a message for its own findings and the error for whatever a command threw.
        // Its own parsing mistakes are errors too, of a class that it does not export.
        if (error?.name === 'YError') throw new UserError(betterMessage(error.message, args));
        if (error !== undefined && error !== null) throw error;
        throw new UserError(betterMessage(message, args));
      }),
  );
}

/** yargs names an unknown flag; the nearest one that exists is what the user meant. */
function betterMessage(message: string, args: readonly string[]): string {
  const choice = /Argument: (\S+), Given: "(.*?)", Choices: (.+)/s.exec(message);
  if (choice !== null) return `--${choice[1]}=${choice[2]}: allowed are ${choice[3]?.trim()}`;
  const unknown = /^Unknown (?:arguments?|commands?): (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined)
    return message.replace(/^Not enough arguments following: (.+)$/, 'flag $1 needs a value');
  const command = nearest(unknown, COMMANDS);
  if (command !== '') return `unknown command ${unknown}${command}`;
  if (args.includes(unknown)) return `unknown command ${unknown} (see --help)`;
  const dashes = unknown.length === 1 ? '-' : '--';
  const flag =
    unknown.length === 1
      ? ''
      : nearest(
          unknown,
          FLAG_NAMES.filter((name) => name !== unknown),
        ).replace(/"(.+)"/, '"--$1"');
  return `unknown flag ${dashes}${unknown}${flag || ' (see --help)'}`;
}

/** @param namespace of the VirtualClusters in view; null for all */
function fleetSource(argv: Arguments, namespace: string | null): FleetSource {
  const { from, selector } = scopeOf(argv);
  if (from === null) {
    return async (signal) => {
      // Imported only here: reading a recording needs no connection, and starts the faster for it.
      const { liveFleet } = await import('./commands/live-source.ts');
      const tenantKubeconfigs = texts(argv, 'tenant-kubeconfig');
      return liveFleet({ connection: connectionFlags(argv), namespace, selector, tenantKubeconfigs })(signal);
    };
  }
  if (selector !== null)
    throw new UserError('-l cannot be used with --from: a recording is compared as a whole');
  return recordedFleet(from, namespace);
}
